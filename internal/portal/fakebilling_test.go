package portal_test

import (
	"context"
	"sync"
	"time"

	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/billing"
	"github.com/palmares-hq/palmares/internal/portal"
	"github.com/palmares-hq/palmares/internal/portal/plan"
)

// A fakeBilling says about a subscription what a test has it say. It stands in the place of package billing
// for what that has its own tests of: how pages say each state and each error.
type fakeBilling struct {
	mu    sync.Mutex
	says  map[string]billing.Overview // by account
	err   error                       // of every verb but Overview
	calls []string                    // of those verbs

	statement  billing.Statement
	statements int   // how often it was asked for
	missing    error // of Statement

	subscribed bool // Checkout and Order fail: there is a subscription

	scheme billing.Scheme // of the seller's VAT; "" for the standard one
}

// shop knows what Pro costs, and the terms.
var shop = billing.New(billing.Options{Country: "FR", Texts: texts})

// texts are what an operator wrote.
func texts() billing.OperatorTexts {
	return billing.OperatorTexts{
		Terms: map[account.Language]string{account.French: "Nos conditions.", account.English: "Our terms."},
		Legal: map[account.Language]string{account.French: "Qui nous sommes."},
	}
}

func (d *fakeBilling) Total(f billing.OrderForm) (billing.VAT, []billing.Fault) {
	if d.scheme != "" {
		return billing.New(billing.Options{Country: "FR", Scheme: d.scheme}).Total(f)
	}
	return shop.Total(f)
}

func (d *fakeBilling) Terms(l account.Language) billing.Text { return shop.Terms(l) }

func (d *fakeBilling) Details(context.Context, account.Actor, string) (*billing.Details, error) {
	return nil, nil
}

func (d *fakeBilling) ChangeDetails(_ context.Context, by account.Actor, id string, _ billing.Details) error {
	_, err := d.do("ChangeDetails", by, id)
	return err
}

func (d *fakeBilling) Order(_ context.Context, by account.Actor, id string, _ billing.OrderForm) (billing.Checkout, error) {
	_, err := d.do("Order", by, id)
	if d.subscribed {
		err = billing.ErrSubscribed
	}
	return billing.Checkout{ID: "cs_1", URL: "https://pay.example/c/cs_1"}, err
}

var _ plan.Billing = (*fakeBilling)(nil)

// withBilling has the pages ask a fakeBilling.
func withBilling(d *fakeBilling) func(*portal.Options) {
	return func(o *portal.Options) { o.Billing = d }
}

// set has the fakeBilling say something about an account, and fail from then on with an error, or not.
func (d *fakeBilling) set(a account.Account, o billing.Overview, err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.says == nil {
		d.says = make(map[string]billing.Overview)
	}
	d.says[a.ID], d.err, d.calls = o, err, nil
}

func (d *fakeBilling) do(verb string, by account.Actor, id string) (billing.Overview, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if by != account.ByAccount(id) {
		return billing.Overview{}, account.ErrNoAccount
	}
	if verb == "Overview" {
		return d.says[id], nil
	}
	d.calls = append(d.calls, verb)
	return d.says[id], d.err
}

func (d *fakeBilling) Overview(_ context.Context, by account.Actor, id string) (billing.Overview, error) {
	return d.do("Overview", by, id)
}

func (d *fakeBilling) Refresh(_ context.Context, by account.Actor, id string) (billing.Overview, error) {
	return d.do("Refresh", by, id)
}

func (d *fakeBilling) Checkout(_ context.Context, by account.Actor, id string) (billing.Checkout, error) {
	_, err := d.do("Checkout", by, id)
	if d.subscribed {
		err = billing.ErrSubscribed
	}
	return billing.Checkout{ID: "cs_1", URL: "https://pay.example/c/cs_1"}, err
}

func (d *fakeBilling) Portal(_ context.Context, by account.Actor, id string) (string, error) {
	_, err := d.do("Portal", by, id)
	return "https://pay.example/p/1", err
}

func (d *fakeBilling) Cancel(_ context.Context, by account.Actor, id string) (billing.Overview, error) {
	return d.do("Cancel", by, id)
}

func (d *fakeBilling) Resume(_ context.Context, by account.Actor, id string) (billing.Overview, error) {
	return d.do("Resume", by, id)
}

// A day of the tests, and the end of the month that was paid on it.
var (
	billed = time.Date(2026, 11, 15, 9, 40, 0, 0, time.UTC)
	renews = time.Date(2026, 12, 15, 9, 40, 0, 0, time.UTC)
)

// subscribed is what is known of an account with a subscription, which change changes.
func subscribed(change func(*billing.Subscription)) billing.Overview {
	s := &billing.Subscription{
		ID: "sub_1", EverPaid: true, Status: billing.Active, CreatedAt: billed, PeriodEnd: renews, Net: 9900, Tax: 1980,
	}
	if change != nil {
		change(s)
	}
	return billing.Overview{
		Plan: s.Plan(billed), Source: account.FromProvider, Subscription: s, SyncedAt: billed, CannotBuy: billing.ErrSubscribed,
	}
}

func (d *fakeBilling) Statement(_ context.Context, by account.Actor, id string) (billing.Statement, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if by != account.ByAccount(id) {
		return billing.Statement{}, account.ErrNoAccount
	}
	d.statements++
	return d.statement, d.missing
}
