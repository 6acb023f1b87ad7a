package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/billing"
	"github.com/palmares-hq/palmares/internal/services"
)

// billingCommand groups the commands about payments.
type billingCommand struct {
	Show      billingShow      `cmd:"" help:"Show what is stored about an account's payments, and what the provider says now."`
	Reconcile billingReconcile `cmd:"" help:"Compare all subscriptions with the provider, and fix what differs."`
	Adopt     billingAdopt     `cmd:"" help:"Move the customers to the account of another key, on purpose."`
	Setup     billingSetup     `cmd:"" help:"Make at the provider what Pro is sold with."`
	Check     billingCheck     `cmd:"" help:"Ask the provider what of its set-up is right, wrong or cannot be seen."`
	Export    billingExport    `cmd:"" help:"Print the invoices and credit notes of a time for an accountant, as CSV."`
}

// Help is shown by palmares billing --help.
func (billingCommand) Help() string {
	return `Pro is sold through Stripe. What the provider says now decides which plan an account
has, unless you assigned it one: palmares account plan.

PALMARES_DATABASE_URL names the database; PALMARES_STRIPE_KEY, PALMARES_STRIPE_WEBHOOK_SECRET and
PALMARES_STRIPE_PRICE are those of the nodes. Results are tables, or one JSON value with --json; that of
export is CSV. Everything else goes to standard error.`
}

type billingShow struct {
	Account string `arg:"" name:"email" help:"The account. One that was deleted is named by its id, which the log has."`
	JSON    bool   `help:"Print both sides as JSON."`
}

// Help is shown by palmares billing show --help.
func (billingShow) Help() string {
	return `It changes nothing on either side. Of a deleted account it shows why its customer is at the
provider still. Exit status 1 when the provider does not answer: what is held is printed all the same.`
}

func (c *billingShow) Run(ctx context.Context, con *console) error {
	id := c.Account
	email := ""
	if strings.Contains(c.Account, "@") {
		var err error
		if email, err = account.ParseEmail(c.Account); err != nil {
			return err
		}
	}
	return withBilling(ctx, func(s *services.Services) error {
		if email != "" {
			a, err := s.Accounts.Find(ctx, account.Operator(), email)
			if err != nil {
				return fmt.Errorf("%s: %w", email, err)
			}
			id = a.ID
		}
		both, asked := s.BothSides(ctx, account.Operator(), id)
		if both.Held.Account.ID == "" {
			return fmt.Errorf("%s: %w", c.Account, asked)
		}
		if c.JSON {
			return errors.Join(con.json(shownBothSides(both, asked)), asked)
		}
		if err := con.table(append(heldRows(both.Held), orderRows(both.Orders)...)); err != nil {
			return err
		}
		if asked != nil {
			return asked
		}
		fmt.Fprintln(con.err, verdict(both))
		if len(both.Now) == 0 {
			return nil
		}
		fmt.Fprintln(con.out)
		return con.table(subscriptionRows(both.Now))
	})
}

// heldRows returns the rows with what we store about an account's payments.
func heldRows(r billing.Record) [][]string {
	customer := r.Customer
	rows := [][]string{
		{"e-mail", orNone(r.Account.Email)},
		{"id", r.Account.ID},
		{"plan", r.Account.Plan.String() + ", decided by the " + string(r.Account.Source)},
		{"customer", orNone(customer.ID)},
	}
	if !r.DeletedAt.IsZero() {
		rows = append(rows, []string{"deleted", moment(r.DeletedAt)})
	}
	if sub := customer.Subscription; sub != nil {
		rows = append(rows, []string{"subscription", sub.ID + ", " + string(sub.Status)})
		for _, when := range []struct {
			what string
			at   time.Time
		}{{"period ends", sub.PeriodEnd}, {"cancelled for", sub.CancelAt}, {"ended", sub.EndedAt}, {"unpaid since", sub.UnpaidSince}} {
			if !when.at.IsZero() {
				rows = append(rows, []string{when.what, moment(when.at)})
			}
		}
	} else {
		rows = append(rows, []string{"subscription", "none"})
	}
	if c := r.Cancellation; c != nil {
		rows = append(rows, []string{"cancellation", "of " + moment(c.At) + ", which the provider was not told of yet"})
	}
	if customer.Checkout != nil {
		rows = append(rows, []string{"checkout", "open until " + moment(customer.Checkout.ExpiresAt)})
	}
	if customer.VATNumber != "" {
		rows = append(rows, []string{"VAT number", customer.VATNumber + ", not in the register since " + moment(customer.VATRefusedAt)})
	}
	rows = append(rows, []string{"events", fmt.Sprintf("%d wait", r.Events)})
	if !customer.SyncedAt.IsZero() {
		rows = append(rows, []string{"last asked", moment(customer.SyncedAt)})
	}
	return rows
}

// orderRows returns the orders of an account: who ordered, and which terms were accepted.
func orderRows(list []billing.Order) (rows [][]string) {
	for _, o := range list {
		what := []string{moment(o.At), o.Name}
		for _, part := range []string{o.Number, o.Country, o.Subscription} {
			if part != "" {
				what = append(what, part)
			}
		}
		rows = append(rows, []string{"ordered", strings.Join(what, ", ") + ", terms " + o.Terms.Hash + " (" + string(o.Terms.Language) + ")"})
	}
	return rows
}

// subscriptionRows returns the subscriptions that the provider reports.
func subscriptionRows(list []billing.Subscription) [][]string {
	rows := [][]string{{"AT THE PROVIDER", "STATUS", "CREATED", "PERIOD ENDS", "CANCELLED FOR", "NEWEST INVOICE", "UNPAID SINCE", "NET", "TAX"}}
	for _, s := range list {
		tax := cents(s.Tax)
		switch {
		case s.ReverseCharge:
			tax += " (reverse charge)"
		case s.NotCollecting:
			tax += " (not collecting)"
		}
		rows = append(rows, []string{
			s.ID, string(s.Status), moment(s.CreatedAt), moment(s.PeriodEnd), moment(s.CancelAt), newestInvoice(s), moment(s.UnpaidSince), cents(s.Net), tax,
		})
	}
	return rows
}

// newestInvoice returns the state of a subscription's newest invoice, and whether any was ever paid.
func newestInvoice(s billing.Subscription) string {
	said := string(s.Latest.State)
	if s.Latest.NotFinal != "" {
		said += " (" + s.Latest.NotFinal + ")"
	}
	if !s.EverPaid && s.Live() {
		said += ", never paid"
	}
	return said
}

func cents(n int64) string {
	if n < 0 {
		return "-" + cents(-n)
	}
	return fmt.Sprintf("%d.%02d", n/100, n%100)
}

// verdict returns a sentence that says whether we and the provider agree about the subscription that counts.
func verdict(both services.BothSides) string {
	held := both.Held.Customer.Subscription
	switch {
	case both.Left.Any():
		return "the account is deleted; its customer stays at the provider, without cards, until this is over: " + both.Left.String()
	case both.Held.Account.Email == "":
		return "the account is deleted, and nothing is under way at the provider: its customer goes with the next palmares billing reconcile"
	case both.Held.Customer.ID == "":
		return "the provider does not know the account: it never opened a checkout"
	case held == nil && len(both.Now) == 0:
		return "both sides have no subscription"
	case held == nil:
		return "they differ: the provider has a subscription; palmares billing reconcile mends that"
	}
	for _, s := range both.Now {
		if s.ID == held.ID && s.Status == held.Status && s.CancelAt.Equal(held.CancelAt) && s.PeriodEnd.Equal(held.PeriodEnd) {
			return "both sides agree"
		}
	}
	return "they differ; palmares billing reconcile mends that"
}

// subscriptionJSON is how --json shows a subscription.
type subscriptionJSON struct {
	ID            string  `json:"id"`
	Status        string  `json:"status"`
	CreatedAt     *string `json:"created_at"`
	PeriodEnd     *string `json:"period_end"`
	CancelAt      *string `json:"cancel_at"`
	EndedAt       *string `json:"ended_at"`
	UnpaidSince   *string `json:"unpaid_since"`
	EverPaid      bool    `json:"ever_paid"`
	Invoice       string  `json:"newest_invoice"`
	InvoiceState  string  `json:"newest_invoice_state"`
	NotFinal      string  `json:"not_final"` // why it stays a draft
	Net           int64   `json:"net_cents"`
	Tax           int64   `json:"tax_cents"`
	ReverseCharge bool    `json:"reverse_charge"`
	NotCollecting bool    `json:"not_collecting"`
}

func shownSubscription(s billing.Subscription) subscriptionJSON {
	return subscriptionJSON{
		ID: s.ID, Status: string(s.Status), CreatedAt: orNull(s.CreatedAt), PeriodEnd: orNull(s.PeriodEnd),
		CancelAt: orNull(s.CancelAt), EndedAt: orNull(s.EndedAt), UnpaidSince: orNull(s.UnpaidSince),
		Net: s.Net, Tax: s.Tax, ReverseCharge: s.ReverseCharge, NotCollecting: s.NotCollecting,
		EverPaid: s.EverPaid, Invoice: s.Latest.ID, InvoiceState: string(s.Latest.State), NotFinal: s.Latest.NotFinal,
	}
}

// orderJSON is how --json shows an order.
type orderJSON struct {
	ID           string `json:"id"`
	At           string `json:"ordered_at"`
	Business     bool   `json:"for_business"`
	Accepted     bool   `json:"terms_accepted"`
	Name         string `json:"name"`
	Number       string `json:"number"`
	Country      string `json:"country"`
	Net          int64  `json:"net_cents"`
	Tax          int64  `json:"tax_cents"`
	Terms        string `json:"terms_sha256"`
	Language     string `json:"terms_language"`
	Subscription string `json:"subscription"`
}

// bothSidesJSON is what we store and what the provider reports, as --json prints it.
type bothSidesJSON struct {
	ID           string             `json:"id"`
	Email        string             `json:"email"`
	Plan         string             `json:"plan"`
	Source       string             `json:"plan_source"`
	Customer     string             `json:"customer"`
	Events       int                `json:"events_waiting"`
	VATNumber    string             `json:"vat_number"` // the provider's id of one unknown to the register; "" for none
	VATRefusedAt *string            `json:"vat_refused_at"`
	AskedAt      *string            `json:"last_asked_at"`
	Cancelling   *string            `json:"cancelling_since"` // its owner cancelled, and the provider was not told yet
	DeletedAt    *string            `json:"deleted_at"`
	Left         string             `json:"left_at_the_provider"` // why a deleted account still has a customer; "" for none
	Subscription *subscriptionJSON  `json:"subscription"`
	Orders       []orderJSON        `json:"orders"`
	Provider     []subscriptionJSON `json:"at_the_provider"` // null where the provider did not answer
}

func shownBothSides(both services.BothSides, asked error) bothSidesJSON {
	held := both.Held
	shown := bothSidesJSON{
		ID: held.Account.ID, Email: held.Account.Email, Plan: held.Account.Plan.String(), Source: string(held.Account.Source),
		Customer: held.Customer.ID, Events: held.Events, VATNumber: held.Customer.VATNumber,
		VATRefusedAt: orNull(held.Customer.VATRefusedAt), AskedAt: orNull(held.Customer.SyncedAt), Orders: []orderJSON{},
		DeletedAt: orNull(held.DeletedAt), Left: both.Left.String(),
	}
	if c := held.Cancellation; c != nil {
		shown.Cancelling = orNull(c.At)
	}
	if held.Customer.Subscription != nil {
		s := shownSubscription(*held.Customer.Subscription)
		shown.Subscription = &s
	}
	for _, o := range both.Orders {
		shown.Orders = append(shown.Orders, orderJSON{
			ID: o.ID, At: o.At.UTC().Format(time.RFC3339), Business: o.Business, Accepted: o.Accepted, Name: o.Name, Number: o.Number,
			Country: o.Country, Net: o.Net, Tax: o.Tax, Terms: o.Terms.Hash, Language: string(o.Terms.Language), Subscription: o.Subscription,
		})
	}
	if asked == nil {
		shown.Provider = []subscriptionJSON{}
	}
	for _, s := range both.Now {
		shown.Provider = append(shown.Provider, shownSubscription(s))
	}
	return shown
}
