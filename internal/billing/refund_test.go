package billing_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/billing"
)

// orders is an account with a checkout that nobody has paid yet.
func (s *shop) orders() (account.Account, billing.Checkout) {
	s.Helper()
	a := s.signUp(account.Developer)
	c, err := s.Checkout(s.Context(), account.ByAccount(a.ID), a.ID)
	s.must(err)
	return a, c
}

// refunded is what went back, by invoice, and who was told.
func (s *shop) refunded() (invoices, told []string) {
	for _, r := range s.provider.refunds {
		invoices = append(invoices, r.Invoice+" "+string(r.Reason))
	}
	for _, n := range s.docs {
		if n.Document.Kind == billing.CreditNote {
			told = append(told, n.Email+" "+string(n.Document.Reason))
		}
	}
	return invoices, told
}

// An open checkout of an account that is deleted ends with it: nobody can complete it.
func TestOutcome_DeletedWithCheckout(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	a, c := s.orders()
	s.must(s.accounts.Delete(t.Context(), operator, a.ID))
	s.work()
	s.want("the checkout", s.provider.checkouts[c.ID].state, billing.CheckoutExpired)
	s.want("customers", s.count("billing_customers"), 0)
}

// One that was completed all the same is ended and refunded, once, however often the process dies between the
// call and the write. The mail goes to the address that the provider has: ours is gone.
func TestOutcome_DeletedAndPaid(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	a, c := s.orders()
	s.must(s.accounts.Delete(t.Context(), operator, a.ID))
	s.clock.Advance(time.Second)
	sub := s.provider.complete(c.ID, billing.Active) // before the job
	for _, call := range []string{"ExpireCheckout", "End", "Refund", "Refund", "DeleteCustomer"} {
		ctx, die := context.WithCancel(t.Context())
		s.provider.with(func() {
			s.provider.answer = func(called string) {
				if called == call {
					die()
				}
			}
		})
		err := s.Leave(ctx, billing.LeaveProvider{Account: a.ID})
		for errors.Is(err, billing.ErrBusy) { // the server has not noticed yet that the last one is gone
			err = s.Leave(ctx, billing.LeaveProvider{Account: a.ID})
		}
		s.wantError("dying after "+call, err, context.Canceled)
		s.want("customers", s.count("billing_customers"), 1)
	}
	s.provider.with(func() { s.provider.answer = nil })
	s.work()
	s.want("at the provider", sub.Status, billing.Canceled)
	s.want("customers", s.count("billing_customers"), 0)
	invoices, told := s.refunded()
	s.want("refunds", invoices, []string{sub.Latest.ID + " deleted_account"})
	s.want("told", told, []string{a.Email + " deleted_account"})
	s.want("cents", s.provider.credited[sub.Latest.ID], int64(11880))
	s.want("addresses kept", s.count("river_job r WHERE r::text LIKE '%@%'"), 0)
	_, err := s.Reconcile(t.Context(), false)
	s.must(err)
	s.want("refunds", len(s.provider.refunds), 1)
}

// A checkout may be completed before its subscription is there: the customer of a deleted account stays until it is, and that
// is then ended and refunded.
func TestLeave_WhileCompleting(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	a, c := s.orders()
	s.provider.with(func() { s.provider.checkouts[c.ID].state = billing.CheckoutComplete })
	s.must(s.accounts.Delete(t.Context(), operator, a.ID))
	s.work()
	s.want("customers while the subscription is awaited", []int{len(s.provider.customers), s.count("billing_customers")}, []int{1, 1})
	sub := s.provider.complete(c.ID, billing.Active)
	s.passes(2 * time.Minute)
	s.want("at the provider", sub.Status, billing.Canceled)
	s.want("customers", []int{len(s.provider.customers), s.count("billing_customers")}, []int{0, 0})
	invoices, _ := s.refunded()
	s.want("refunds", invoices, []string{sub.Latest.ID + " deleted_account"})
}

// A subscription that somebody made by hand for the customer is not ours to end, nor its card to take.
func TestLeave_SubscriptionsByHand(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	a, ours := s.buys(billing.Active)
	byHand := s.provider.subscribe(ours.Customer, "", billing.Active)
	s.must(s.accounts.Delete(t.Context(), operator, a.ID))
	s.work()
	s.want("at the provider", []any{ours.Status, byHand.Status, s.provider.detached[ours.Customer]}, []any{billing.Canceled, billing.Active, false})
	s.want("the log", s.logged("level=WARN", "stays at the payment provider", byHand.ID), true)
	s.provider.with(func() { byHand.Status, byHand.EndedAt = billing.Canceled, s.clock.Now() })
	s.passes(day)
	s.want("afterwards", []any{s.provider.customers[ours.Customer] == nil, s.count("billing_customers")}, []any{true, 0})
}

// An invoice of the live subscription has a link to pay it; one of a subscription that is over has none.
func TestStatement_LinksToPay(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	a, live := s.buys(billing.Active)
	over := s.provider.subscribe(live.Customer, a.ID, billing.Active)
	for _, state := range []billing.InvoiceState{billing.InvoiceOpen, billing.InvoiceUncollectible} {
		s.provider.with(func() {
			over.Status, over.EndedAt = billing.Canceled, s.clock.Now()
			for _, sub := range []*billing.Subscription{live, over} {
				bill(sub, "in_"+sub.ID, state, s.clock.Now())
				sub.Latest.Subscription, sub.Latest.URL = sub.ID, "https://pay.example/i/"+sub.ID
			}
		})
		found, err := s.Statement(t.Context(), account.ByAccount(a.ID), a.ID)
		s.must(err)
		links := map[string]string{}
		for _, i := range found.Invoices {
			links[i.Subscription] = i.URL
		}
		s.want("links of invoices that are "+string(state), links, map[string]string{live.ID: live.Latest.URL, over.ID: ""})
	}
}

// What was paid before the deletion stays paid, and an open invoice is void.
func TestOutcome_DeletedLater(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	b, failing := s.pastDue()
	a, sub := s.buys(billing.Active)
	s.clock.Advance(day)
	for _, owner := range []account.Account{a, b} {
		s.must(s.accounts.Delete(t.Context(), operator, owner.ID))
	}
	s.work()
	s.want("at the provider", []billing.Status{sub.Status, failing.Status}, []billing.Status{billing.Canceled, billing.Canceled})
	s.want("refunds", len(s.provider.refunds), 0)
	s.want("the open invoice", failing.Latest.State, billing.InvoiceVoid)
}

// An account that gets Pro from the operator pays nothing: its open checkout ends, and one that was completed
// all the same is ended and refunded.
func TestOutcome_GivenWithCheckout(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	a, c := s.orders()
	s.must(s.accounts.SetPlan(t.Context(), operator, a.ID, account.Pro))
	s.work()
	s.want("the checkout", s.provider.checkouts[c.ID].state, billing.CheckoutExpired)
	s.want("refunds", len(s.provider.refunds), 0)

	b, c := s.orders()
	s.must(s.accounts.SetPlan(t.Context(), operator, b.ID, account.Pro))
	sub := s.provider.complete(c.ID, billing.Active)
	for range 2 {
		s.event("checkout.session.completed", sub.Customer)
		s.work()
	}
	s.want("at the provider", sub.Status, billing.Canceled)
	invoices, told := s.refunded()
	s.want("refunds", invoices, []string{sub.Latest.ID + " given_account"})
	s.want("told", told, []string{b.Email + " given_account"})
	s.want("the plan", s.plan(b.ID), account.Pro)
	s.want("mail", s.mail(), []string{})

	// Who paid before stays subscribed: that is the owner's to end.
	paid, before := s.buys(billing.Active)
	s.must(s.accounts.SetPlan(t.Context(), operator, paid.ID, account.Pro))
	s.work()
	s.want("at the provider", before.Status, billing.Active)
	s.want("refunds", len(s.provider.refunds), 1)
}

// Another price or other terms end the checkouts that are open. One that was completed stands, under the text
// that was accepted.
func TestOutcome_OfferChanged(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	open := func(c billing.Checkout) billing.CheckoutState { return s.provider.checkouts[c.ID].state }
	_, kept := s.orders()
	s.passes(time.Second)
	s.want("a checkout of the same terms", open(kept), billing.CheckoutOpen)
	a, paid := s.orders()
	sub := s.provider.complete(paid.ID, billing.Active)
	s.texts.Store(&billing.OperatorTexts{
		Terms: map[account.Language]string{account.French: "De nouvelles conditions."},
		Legal: map[account.Language]string{account.French: "Qui nous sommes."},
	})
	s.passes(time.Second)
	s.want("a checkout of former terms", open(kept), billing.CheckoutExpired)
	s.want("one that was paid", []any{sub.Status, s.plan(a.ID)}, []any{billing.Active, account.Pro})
	s.want("jobs", s.count("river_job"), 0)

	_, other := s.orders()
	s.texts.Store(&billing.OperatorTexts{
		Terms: map[account.Language]string{account.French: "D’autres encore."}, Legal: s.texts.Load().Legal,
	})
	s.must(s.Sweep(t.Context()))
	s.clock.Advance(time.Second)
	s.must(s.Sweep(t.Context()))
	s.want("jobs for it", s.count("river_job"), 1)
	worker := billing.New(billing.Options{Store: s.db.Billing, Provider: s.provider, Now: s.clock.Now}) // which knows no terms
	j, _ := s.take(t.Context())
	s.must(do(j, func(args billing.SyncAccount) error { return worker.Sync(t.Context(), args) }))
	s.want("a checkout of former terms, on a worker that knows none", open(other), billing.CheckoutExpired)

	_, next := s.orders()
	s.provider.with(func() { s.provider.price.Cents++ })
	s.wantError("the price", s.CheckPrice(t.Context()), billing.ErrWrongPrice)
	s.passes(time.Second)
	s.want("a checkout of another price", open(next), billing.CheckoutExpired)
	s.want("refunds", len(s.provider.refunds), 0)
}

// Cancelling while a payment fails ends at once: there is no period that was paid. What is open is void.
func TestOutcome_CancelledWhileFailing(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	a, sub := s.pastDue()
	s.mail()
	o, err := s.Cancel(t.Context(), account.ByAccount(a.ID), a.ID)
	s.must(err)
	s.work()
	s.want("the subscription", []any{o.Subscription.Status, o.Plan, sub.Latest.State}, []any{billing.Canceled, account.Developer, billing.InvoiceVoid})
	s.mu.Lock()
	s.want("the mail says that nothing is owed", s.mails[0].Void, true)
	s.mu.Unlock()
	s.want("mail", s.mail(), []string{"ended"})
	s.want("cancellations for later", s.provider.called("SetCancel"), 0)
	// Pro was over already: who cancels is told all the same.
	b, late := s.pastDue()
	s.inTime(b, 8)
	s.mail()
	_, err = s.Cancel(t.Context(), account.ByAccount(b.ID), b.ID)
	s.must(err)
	s.work()
	s.want("the invoice", late.Latest.State, billing.InvoiceVoid)
	s.want("mail", s.mail(), []string{"ended"})
	// Paid while that was asked: what counts is the click.
	c, paid := s.pastDue()
	s.mail()
	s.provider.with(func() {
		s.provider.answer = func(call string) {
			if call == "Invoices" {
				s.provider.with(func() { pay(paid); paid.Status = billing.Active })
			}
		}
	})
	o, err = s.Cancel(t.Context(), account.ByAccount(c.ID), c.ID)
	s.must(err)
	s.want("stored", o.Cancelling, s.clock.Now())
	s.provider.with(func() { s.provider.answer, paid.Latest.PaidAt = nil, s.clock.Now() })
	s.work()
	s.want("at the provider", []any{paid.Status, s.provider.credited[paid.Latest.ID]}, []any{billing.Canceled, int64(11880)})
}

// Whoever was given up on can buy again: the old subscription is ended first, and its invoice is void.
func TestOutcome_UnpaidBuysAgain(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	a, sub := s.pastDue()
	by := account.ByAccount(a.ID)
	_, err := s.Checkout(t.Context(), by, a.ID)
	s.wantError("buying while it is tried again", err, billing.ErrSubscribed)
	s.changes(sub, func() { sub.Status = billing.Unpaid })
	s.want("buying", s.overview(a).CannotBuy, nil)
	s.mail()
	s.clock.Advance(time.Hour)
	c, err := s.Checkout(t.Context(), by, a.ID)
	s.must(err)
	s.want("the old one", []any{sub.Status, sub.Latest.State}, []any{billing.Canceled, billing.InvoiceVoid})
	next := s.provider.complete(c.ID, billing.Active)
	s.changes(next, func() {})
	s.want("the one that counts", s.overview(a).Subscription.ID, next.ID)
	s.want("the plan", s.plan(a.ID), account.Pro)
	s.want("mail", s.mail(), []string{"welcome"})
}

// A provider that refuses is an error of its own and an alarm, said once a minute.
func TestOutcome_Refused(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	a, _ := s.buys(billing.Active)
	s.provider.with(func() { s.provider.refuses = true })
	for name, call := range verbs(s, account.ByAccount(a.ID), a.ID) {
		if name == "Overview" || name == "Orders" || name == "Details" || name == "Cancel" { // which ask nobody, and what is stored
			continue
		}
		s.clock.Advance(2 * time.Second)
		before := s.counted(billing.CountRefused)
		s.wantError(name, call(t.Context()), billing.ErrRefused)
		s.want(name+": an alarm", s.counted(billing.CountRefused) > before, true)
	}
	s.want("the log", s.logged("the payment provider refuses"), true)
	s.want("the plan", s.plan(a.ID), account.Pro)
}

// In a sandbox only those may buy who are listed, and their pages say so.
func TestOutcome_TestKey(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	a, b := s.signUp(account.Developer), s.signUp(account.Developer)
	s.testers = []string{a.Email}
	s.Service = s.service(s.provider)
	s.must(s.CheckPrice(t.Context()))
	s.want("who is listed", []any{s.overview(a).Test, s.overview(a).CannotBuy}, []any{true, nil})
	s.want("who is not", []any{s.overview(b).Test, s.overview(b).CannotBuy}, []any{false, billing.ErrNoCheckout})
	_, err := s.Checkout(t.Context(), account.ByAccount(a.ID), a.ID)
	s.must(err)
	_, err = s.Checkout(t.Context(), account.ByAccount(b.ID), b.ID)
	s.wantError("buying", err, billing.ErrNoCheckout)
	s.want("checkouts", len(s.provider.checkouts), 1)
}
