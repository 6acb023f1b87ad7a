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

// InvoicesLimit is how often an account may have the provider asked for its invoices. It is apart from
// ProviderLimit: whoever looked too often can still cancel.
var InvoicesLimit = limit.Limit{Name: "invoices", Most: 60, Within: time.Hour}

// A statement is what the provider holds, in words. It is asked for at each view, and kept nowhere.
type statement struct {
	Problem  string // why there is none, in a sentence; "" for one
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
	URL    string // at the provider
	Unpaid bool
}

// addStatement asks the provider. What it does not say in time is left out, and that part of the page says so.
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

// newStatement says what the provider holds. A VAT number that the register does not know has a day by which it is
// to be corrected.
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

// brand writes that of a card as it writes itself, as far as it is a common one.
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
