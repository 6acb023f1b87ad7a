package plan

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/palmares-hq/palmares/internal/billing"
	"github.com/palmares-hq/palmares/internal/limit"
	"github.com/palmares-hq/palmares/internal/portal/page"
)

// InvoicesLimit is how often an account may make us fetch its invoices from the provider. It is separate from
// ProviderLimit, so that somebody who looked too often can still cancel.
var InvoicesLimit = limit.Limit{Name: "invoices", Most: 60, Within: time.Hour}

// A statement is what the provider knows about payments, in words. It is fetched for each view and stored
// nowhere.
type statement struct {
	Problem  string // a sentence that says why there is no statement; "" if there is
	Invoices []invoiceRow
	More     bool // there are older ones
	Facts    []payFact
}

// An invoiceRow is an invoice in the table.
type invoiceRow struct {
	Date   time.Time
	Number string
	Total  string
	State  page.Mark
	URL    string // the provider's page of the invoice
	Unpaid bool
}

// addStatement fetches the statement from the provider. If that fails or takes too long, the page says so in
// its place.
func (p *Pages) addStatement(r *page.Request, body *planBody) {
	if p.Billing == nil || !body.customer {
		return
	}
	if !p.Limits.Allow(r.Context(), InvoicesLimit, r.Account.ID) {
		body.Statement = &statement{Problem: r.Text.Must("bills.often")}
		return
	}
	var found billing.Statement
	var failed error
	err := r.WaitOutside(func(ctx context.Context) { found, failed = p.Billing.Statement(ctx, r.By, r.Account.ID) })
	switch {
	case errors.Is(failed, billing.ErrNotSubscribed) || errors.Is(failed, billing.ErrNoCheckout):
		return
	case err != nil:
		body.Statement = &statement{Problem: r.Text.Must("bills.crowded")}
		return
	case failed != nil:
		r.LogError(failed)
		body.Statement = &statement{Problem: r.Text.Must("bills.away")}
		if errors.Is(failed, billing.ErrRefused) {
			body.Statement.Problem = r.Text.Must("bills.refused")
		}
		return
	}
	body.Statement = newStatement(r, found, body.vatUntil)
	if open := found.Unpaid(); open != nil && body.Subscription != nil && body.Subscription.PaymentFailed {
		body.Subscription.Pay = open.URL
	}
}

// newStatement puts a statement into words. vatUntil is the day by which a VAT number unknown to the register
// must be corrected; zero if there is none.
func newStatement(r *page.Request, s billing.Statement, vatUntil time.Time) *statement {
	view := &statement{More: s.More}
	for _, i := range s.Invoices {
		row := invoiceRow{Date: i.Date, Number: i.Number, Total: r.Text.Euros(i.Total), URL: i.URL, Unpaid: i.State == billing.InvoiceOpen}
		text := r.Text.Must("bills.state." + string(i.State))
		switch {
		case i.State == billing.InvoicePaid && i.Credited > 0:
			row.State = page.Waiting(r.Text.Must("bills.state.refunded", r.Text.Euros(i.Credited)))
		case i.State == billing.InvoicePaid:
			row.State = page.OK(text)
		case i.State == billing.InvoiceOpen:
			row.State = page.Bad(text)
		default:
			row.State = page.Waiting(text)
		}
		view.Invoices = append(view.Invoices, row)
	}
	add := func(name, value string) {
		if value != "" {
			view.Facts = append(view.Facts, payFact{r.Text.Must(name), value})
		}
	}
	if c := s.Card; c != nil {
		says := "bills.card.says"
		if over := time.Date(c.Year, time.Month(c.Month)+1, 1, 0, 0, 0, 0, time.UTC); !r.Now.Before(over) {
			says = "bills.card.expired"
		}
		add("bills.card", r.Text.Must(says, brand(c.Brand), c.Last4, fmt.Sprintf("%02d/%d", c.Month, c.Year)))
	}
	add("bills.name", s.Name)
	lines := s.Address
	if s.Country != "" {
		lines = append(lines, r.Text.Country(s.Country))
	}
	add("bills.address", strings.Join(lines, ", "))
	if s.VATNumber != "" {
		number := s.VATNumber
		switch name := "bills.vat." + string(s.VATState); {
		case s.VATState == billing.VATUnverified && !vatUntil.IsZero():
			number = r.Text.Must("bills.vat.until", s.VATNumber, r.Text.Date(vatUntil.UTC()))
		case r.Text.Has(name):
			number = r.Text.Must(name, s.VATNumber)
		}
		add("bills.vat", number)
	}
	for _, f := range s.Printed {
		view.Facts = append(view.Facts, payFact(f))
	}
	add("bills.email", s.Email)
	return view
}

// brand returns the official spelling of a common card brand, and any other as the provider names it.
func brand(name string) string {
	switch name {
	case "visa":
		return "Visa"
	case "mastercard":
		return "Mastercard"
	case "amex":
		return "American Express"
	case "cartes_bancaires":
		return "CB"
	}
	return name
}
