package billing_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/billing"
)

func TestOutcome_TwoTabs(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	a := s.signUp(account.Developer)
	by := account.ByAccount(a.ID)
	tabs := func() (ids []string) {
		var mu sync.Mutex
		var wg sync.WaitGroup
		for range 5 {
			wg.Go(func() {
				c, err := s.Checkout(t.Context(), by, a.ID)
				mu.Lock()
				defer mu.Unlock()
				if err != nil {
					t.Error(err)
				}
				if !slices.Contains(ids, c.ID) {
					ids = append(ids, c.ID)
				}
			})
		}
		wg.Wait()
		return ids
	}
	first := tabs()
	s.want("checkouts", len(first), 1)
	s.want("customers", len(s.provider.customers), 1)
	o := s.overview(a)
	s.want("waiting", []any{o.Waiting, o.Checkout.ID, o.CannotBuy}, []any{true, first[0], error(nil)})
	request := s.provider.checkouts[first[0]].request
	s.want("the join", request.Account, a.ID)
	s.want("the pages", []string{request.Success, request.Cancel},
		[]string{"https://palmares.example/done?lang=fr", "https://palmares.example/plan?lang=fr"})

	// A day later it is over, and another takes its place.
	s.clock.Advance(25 * time.Hour)
	s.want("waiting for what is over", s.overview(a).Waiting, false)
	second := tabs()
	s.want("checkouts", []any{len(second), second[0] == first[0]}, []any{1, false})
	s.want("customers", len(s.provider.customers), 1)

	// Completed, and not a subscription yet.
	s.provider.with(func() { s.provider.checkouts[second[0]].state = billing.CheckoutComplete })
	_, err := s.Checkout(t.Context(), by, a.ID)
	s.wantError("another, while one is awaited", err, billing.ErrBusy)
	o = s.overview(a)
	s.want("waiting", []any{o.Waiting, o.Checkout == nil}, []any{true, true})
	sub := s.provider.complete(second[0], billing.Active)
	_, err = s.Checkout(t.Context(), by, a.ID)
	s.wantError("another, once subscribed", err, billing.ErrSubscribed)
	s.want("the plan, before any event", s.plan(a.ID), account.Pro)
	o = s.overview(a)
	s.want("waiting", []any{o.Waiting, o.CannotBuy}, []any{false, billing.ErrSubscribed})
	url, err := s.Portal(t.Context(), by, a.ID)
	s.must(err)
	if !strings.Contains(url, sub.Customer) {
		t.Errorf("the portal is %s", url)
	}
}

func TestOutcome_TwoSubscriptions(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	a, first := s.buys(billing.Active)
	s.clock.Advance(time.Hour)
	second := s.provider.subscribe(first.Customer, a.ID, billing.Active)
	s.provider.subscribe(first.Customer, "", billing.Active) // none of ours
	s.provider.subscribe(first.Customer, "00000000-0000-4000-8000-000000000000", billing.Canceled)
	s.changes(second, func() {})
	s.want("the one that counts", s.overview(a).Subscription.ID, first.ID)
	r, err := s.Reconcile(t.Context(), false)
	s.must(err)
	s.want("the report", kinds(r), []billing.FindingKind{billing.FoundNoAccount, billing.FoundTwoSubscriptions})
	s.want("the one of two", r.Findings[1], billing.Finding{Kind: billing.FoundTwoSubscriptions, Account: a.ID, Subscription: first.ID})
	s.want("counted", s.counted(billing.CountTwoSubscriptions), 1)
	s.want("ended", s.provider.called("End"), 0)
	s.changes(first, func() { first.Status = billing.Paused })
	s.want("the plan", s.plan(a.ID), account.Pro) // the other is paid for
	s.want("the one that counts", s.overview(a).Subscription.ID, second.ID)
	s.changes(second, func() { second.Status = billing.Unpaid })
	s.want("the one that counts", s.overview(a).Subscription.ID, first.ID)
	s.want("the plan", s.plan(a.ID), account.Developer)
	s.changes(first, func() { first.Status, first.EndedAt = billing.Canceled, s.clock.Now() })
	for range 2 {
		s.changes(second, func() {
			second.Status, second.EndedAt = billing.Canceled, s.clock.Now()
			slices.Reverse(s.provider.subs)
		})
		s.want("the one that counts of those that have ended", s.overview(a).Subscription.ID, second.ID)
	}
}

func TestOutcome_DeletedAccount(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	remove := func(a account.Account) {
		t.Helper()
		s.must(s.accounts.Delete(t.Context(), operator, a.ID))
	}
	a, sub := s.buys(billing.Active)
	s.provider.away = true
	remove(a)
	for range 3 { // however often it fails
		s.wantError("leaving", s.Leave(t.Context(), billing.LeaveProvider{Account: a.ID}), billing.ErrUnavailable)
		s.want("customers", s.count("billing_customers WHERE customer = $1", sub.Customer), 1)
	}
	s.provider.away = false
	s.event("customer.updated", sub.Customer)
	s.work()
	s.want("at the provider", sub.Status, billing.Canceled)
	for _, table := range []string{"billing_customers", "billing_events", "billing_notices"} {
		s.want("rows of "+table, s.count(table), 0)
	}
	// Neither is known to us any more.
	late := s.signUp(account.Developer)
	remove(late)
	// And what slipped through all the same.
	stray := s.provider.subscribe("cus_gone", late.ID, billing.PastDue)
	for _, dry := range []bool{true, false} {
		r, err := s.Reconcile(t.Context(), dry)
		s.must(err)
		s.want("findings", []any{len(r.Findings), r.Findings[0].Kind, r.Findings[0].Repaired}, []any{1, billing.FoundDeleted, !dry})
		s.want("over", stray.Status == billing.Canceled, !dry)
	}
}

func TestOutcome_EmailChanged(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	a, sub := s.buys(billing.Active)
	never := s.signUp(account.Developer)
	s.must(s.db.Accounts.SetEmail(t.Context(), operator, a.ID, "new@example.org", s.clock.Now()))
	s.must(s.db.Accounts.SetEmail(t.Context(), operator, never.ID, "never@example.org", s.clock.Now()))
	s.want("jobs", s.count("river_job WHERE kind = 'billing_update_customer'"), 1)
	s.want("addresses in jobs", s.count("river_job WHERE args::text LIKE '%@%'"), 0)
	s.work()
	s.want("the customer", s.provider.customers[sub.Customer].Email, "new@example.org")
	s.want("the plan", s.plan(a.ID), account.Pro)
}

func TestOutcome_DeletedCustomer(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	a, sub := s.buys(billing.Active)
	by := account.ByAccount(a.ID)
	s.mail()
	s.changes(sub, func() { delete(s.provider.customers, sub.Customer) })
	s.want("the plan", s.plan(a.ID), account.Developer)
	s.want("mail", s.mail(), []string{"ended"})
	_, err := s.Portal(t.Context(), by, a.ID)
	s.wantError("the portal", err, billing.ErrNotSubscribed)
	_, err = s.Cancel(t.Context(), by, a.ID)
	s.wantError("cancelling", err, billing.ErrNotSubscribed)
	c, err := s.Checkout(t.Context(), by, a.ID)
	s.must(err)
	next := s.provider.complete(c.ID, billing.Active)
	s.changes(next, func() {})
	s.want("another customer", next.Customer != sub.Customer, true)
	s.want("the plan", s.plan(a.ID), account.Pro)
	// Deleted while a checkout was open, and noticed by who clicks.
	b := s.signUp(account.Developer)
	open, err := s.Checkout(t.Context(), account.ByAccount(b.ID), b.ID)
	s.must(err)
	s.provider.with(func() { delete(s.provider.customers, s.provider.checkouts[open.ID].request.Customer) })
	again, err := s.Checkout(t.Context(), account.ByAccount(b.ID), b.ID)
	s.must(err)
	s.want("another checkout", again.ID != open.ID, true)
}

// told is what an event alone changes: nothing.
func told(t *testing.T, event string, change func(sub *billing.Subscription)) (*shop, account.Account) {
	t.Helper()
	s := newShop(t)
	a, sub := s.buys(billing.Active)
	s.mail()
	s.provider.with(func() { change(sub) })
	s.event(event, sub.Customer)
	s.work()
	s.want("the plan", s.plan(a.ID), account.Pro)
	s.want("events that wait", s.count("billing_events WHERE processed_at IS NULL"), 0)
	s.want("the amounts", []int64{s.overview(a).Subscription.Net, s.overview(a).Subscription.Tax}, []int64{sub.Net, sub.Tax})
	return s, a
}

func TestOutcome_Chargeback(t *testing.T) {
	t.Parallel()
	s, a := told(t, "charge.dispute.created", func(*billing.Subscription) {})
	s.want("alarms", s.counted(billing.CountDispute), 1)
	s.want("the log", s.logged("level=ERROR", "a charge is disputed", "customer=cus_1", "account="+a.ID), true)
	s.want("mail", s.mail(), []string{})
}

func TestOutcome_Refund(t *testing.T) {
	t.Parallel()
	s, _ := told(t, "charge.refunded", func(*billing.Subscription) {})
	s.want("alarms", s.counted(billing.CountDispute), 0)
	s.want("mail", s.mail(), []string{})
}

func TestOutcome_CardFails(t *testing.T) {
	t.Parallel()
	s, _ := told(t, "invoice.payment_failed", func(sub *billing.Subscription) {
		fail(sub, "in_failed", start)
	})
	s.want("mail", s.mail(), []string{"unpaid 0 until 2026-11-08"})
}

func TestOutcome_OtherVersion(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	a, sub := s.buys(billing.Active)
	s.provider.with(func() { sub.Status = billing.Canceled })
	s.must(s.Receive(t.Context(), []byte("evt_foreign any "+sub.Customer+" foreign"), "signed"))
	s.work()
	s.want("the plan", s.plan(a.ID), account.Developer)
	s.want("alarms", s.counted(billing.CountUnexpectedVersion), 1)
}

func TestOutcome_PriceChanged(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	a, sub := s.buys(billing.Active)
	b := s.signUp(account.Developer)
	by := account.ByAccount(b.ID)
	for _, wrong := range []func(*billing.Price){
		func(p *billing.Price) { p.Cents = 12900 },
		func(p *billing.Price) { p.Currency = "usd" },
		func(p *billing.Price) { p.Interval = "year" },
		func(p *billing.Price) { p.Exclusive = false },
		func(p *billing.Price) { p.Active = false },
	} {
		s.provider.with(func() { s.provider.price = billing.ProPrice; wrong(&s.provider.price) })
		s.wantError("the comparison", s.CheckPrice(t.Context()), billing.ErrWrongPrice)
		_, err := s.Checkout(t.Context(), by, b.ID)
		s.wantError("buying", err, billing.ErrWrongPrice)
		s.wantError("the page", s.overview(b).CannotBuy, billing.ErrWrongPrice)
		r, err := s.Reconcile(t.Context(), true)
		s.must(err)
		s.want("findings", []any{len(r.Findings), r.Findings[0].Kind}, []any{1, billing.FoundWrongPrice})
	}
	s.want("alarms", s.counted(billing.CountWrongPrice), 10)
	s.want("checkouts", len(s.provider.checkouts), 1)
	s.changes(sub, func() {})
	s.want("the plan of who has bought", s.plan(a.ID), account.Pro)
	s.provider.with(func() { s.provider.away = true })
	s.wantError("the comparison", s.CheckPrice(t.Context()), billing.ErrUnavailable)
	s.wantError("the page", s.overview(b).CannotBuy, billing.ErrWrongPrice)
	s.provider.with(func() { s.provider.away, s.provider.price = false, billing.ProPrice })
	s.clock.Advance(10 * time.Minute) // this node compares again by itself
	_, err := s.Checkout(t.Context(), by, b.ID)
	s.must(err)
	s.provider.with(func() { s.provider.price.Cents++ })
	s.clock.Advance(10 * time.Minute)
	_, err = s.Checkout(t.Context(), by, b.ID)
	s.wantError("buying", err, billing.ErrWrongPrice)
}

func TestOutcome_ProviderAway(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	a, sub := s.buys(billing.Active)
	b := s.signUp(account.Developer)
	s.mail()
	s.provider.with(func() { s.provider.away = true })
	before := s.provider.called("Subscriptions")
	_, err := s.Checkout(t.Context(), account.ByAccount(b.ID), b.ID)
	s.wantError("buying", err, billing.ErrUnavailable)
	s.provider.with(func() { sub.Status = billing.Canceled })
	for range 3 {
		s.event("customer.subscription.deleted", sub.Customer)
	}
	for range 60 {
		s.clock.Advance(time.Minute)
		s.must(s.Sweep(t.Context()))
		s.wantError("looking", s.Sync(t.Context(), billing.SyncAccount{Account: a.ID}), billing.ErrUnavailable)
	}
	s.want("the plan", s.plan(a.ID), account.Pro)
	lag, err := s.Lag(t.Context())
	s.must(err)
	s.want("the lag", lag, time.Hour)
	_, err = s.Reconcile(t.Context(), false)
	s.wantError("reconciling", err, billing.ErrUnavailable)
	s.provider.with(func() { s.provider.away = false })
	looks := s.provider.called("Subscriptions")
	s.work()
	s.want("looks for three events", s.provider.called("Subscriptions")-looks, 1)
	s.want("looks while it was away", looks-before >= 60, true)
	s.want("the plan", s.plan(a.ID), account.Developer)
	s.want("mail", s.mail(), []string{"ended"})
	lag, err = s.Lag(t.Context())
	s.must(err)
	s.want("the lag", lag, time.Duration(0))
}

func TestOutcome_GivenAndPaid(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	a, sub := s.buys(billing.Active)
	s.mail()
	s.must(s.accounts.SetPlan(t.Context(), operator, a.ID, account.Pro))
	r, err := s.Reconcile(t.Context(), false)
	s.must(err)
	s.want("findings", r.Findings, []billing.Finding{{Kind: billing.FoundGivenAndPaid, Account: a.ID, Subscription: sub.ID}})
	_, err = s.Cancel(t.Context(), account.ByAccount(a.ID), a.ID) // its owner may still stop paying
	s.must(err)
	s.changes(sub, func() { sub.Status = billing.Canceled })
	s.want("the plan", s.plan(a.ID), account.Pro)
	s.want("mail", s.mail(), []string{})
	r, err = s.Reconcile(t.Context(), false)
	s.must(err)
	s.want("findings", len(r.Findings), 0)
}

// An answer that is on its way holds the account: nobody else asks meanwhile, so no older answer
// comes after a newer one.
func TestSync_HoldsTheAccount(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	a, sub := s.buys(billing.Active)
	asked, answer := make(chan struct{}), make(chan struct{})
	var late atomic.Bool // the first answer is
	s.provider.with(func() {
		s.provider.answer = func(call string) {
			if call == "Subscriptions" && late.CompareAndSwap(false, true) {
				close(asked)
				<-answer
			}
		}
	})
	s.event("first", sub.Customer)
	done := make(chan error, 1)
	go func() { done <- s.Sync(context.WithoutCancel(t.Context()), billing.SyncAccount{Account: a.ID}) }()
	<-asked // with "active" in hand
	s.provider.with(func() { sub.Status = billing.Canceled })
	s.event("second", sub.Customer) // an event is taken meanwhile
	job := billing.SyncAccount{Account: a.ID}
	s.wantError("another look", s.Sync(t.Context(), job), billing.ErrBusy)
	s.wantError("leaving", s.Leave(t.Context(), billing.LeaveProvider{Account: a.ID}), billing.ErrBusy)
	s.must(s.accounts.SetPlan(t.Context(), operator, s.signUp(account.Pro).ID, account.Developer)) // nobody else waits
	close(answer)
	s.must(<-done)
	s.want("the plan by the older answer", s.plan(a.ID), account.Pro)
	s.want("events that wait", s.count("billing_events WHERE processed_at IS NULL AND type = 'second'"), 1)
	s.must(s.Sync(t.Context(), job))
	s.want("the plan", s.plan(a.ID), account.Developer)
	looks := s.provider.called("Subscriptions")
	s.must(s.Sync(t.Context(), job))
	s.want("looks without an event", s.provider.called("Subscriptions")-looks, 0)
}

func TestReceive(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	_, sub := s.buys(billing.Active)
	before := s.dump()
	for _, body := range []string{"", "evt_x y " + sub.Customer} {
		s.wantError("a forged event", s.Receive(t.Context(), []byte(body), "forged"), billing.ErrForged)
	}
	s.want("what is stored", s.dump(), before)
	s.want("counted", s.counted(billing.CountForged), 2)
	for range 3 {
		s.must(s.Receive(t.Context(), []byte("evt_same y "+sub.Customer), "signed"))
	}
	s.want("rows", s.count("billing_events WHERE id = 'evt_same'"), 1)
	s.want("jobs", s.count("river_job WHERE kind = 'billing_sync'"), 1)
	s.want("repeated", s.counted(billing.CountRepeated), 2)
	s.clock.Advance(90*day + time.Second)
	s.must(s.Tidy(t.Context()))
	s.want("rows after 90 days", s.count("billing_events"), 1) // the one that is not processed
	s.work()
	s.must(s.Tidy(t.Context()))
	s.want("rows after 90 days", s.count("billing_events"), 0)
}

// No address, no page and nothing of an event's body is in a job or among the events.
func TestNothingPersonalIsKept(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	a, sub := s.buys(billing.Active)
	s.must(s.Receive(t.Context(), []byte("evt_body type "+sub.Customer+" the card ends in 4242"), "signed"))
	s.must(s.db.Accounts.SetEmail(t.Context(), operator, a.ID, "secret@example.org", s.clock.Now()))
	_, err := s.Cancel(t.Context(), account.ByAccount(a.ID), a.ID)
	s.must(err)
	s.must(s.accounts.Delete(t.Context(), operator, a.ID))
	for _, table := range []string{"river_job", "billing_events", "billing_customers", "billing_notices", "billing_documents"} {
		for _, personal := range []string{"%@%", "%4242%", "%card%"} {
			s.want(personal+" in "+table, s.count(table+" r WHERE r::text LIKE $1", personal), 0)
		}
	}
}

// Without a provider nothing can be bought, and nothing is touched.
func TestNoProvider(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	a, sub := s.buys(billing.Active)
	s.event("waiting", sub.Customer)
	s.Service = s.service(nil)
	before := s.dump()
	ctx, by := t.Context(), account.ByAccount(a.ID)
	o := s.overview(a)
	s.want("the overview", []any{o.Plan, o.CannotBuy, o.Subscription.ID}, []any{account.Pro, billing.ErrNoCheckout, sub.ID})
	for name, call := range verbs(s, by, a.ID) {
		if err := call(ctx); name != "Overview" && name != "Orders" && name != "Details" && !errors.Is(err, billing.ErrNoCheckout) {
			t.Errorf("%s: %v", name, err)
		}
	}
	_, err := s.Reconcile(ctx, false)
	s.wantError("reconciling", err, billing.ErrNoCheckout)
	s.wantError("the price", s.CheckPrice(ctx), billing.ErrNoCheckout)
	s.wantError("an event", s.Receive(ctx, nil, ""), billing.ErrNoCheckout)
	s.wantError("a look", s.Sync(ctx, billing.SyncAccount{Account: a.ID}), billing.ErrNoCheckout)
	s.wantError("leaving", s.Leave(ctx, billing.LeaveProvider{Account: a.ID}), billing.ErrNoCheckout)
	s.wantError("an address", s.UpdateCustomer(ctx, billing.UpdateCustomer{Account: a.ID}), billing.ErrNoCheckout)
	s.must(s.Sweep(ctx))
	s.want("what is stored", s.dump(), before)
}

// verbs are all methods that take an actor.
func verbs(s *shop, by account.Actor, id string) map[string]func(context.Context) error {
	return map[string]func(context.Context) error{
		"Overview":      func(ctx context.Context) error { _, err := s.Overview(ctx, by, id); return err },
		"Checkout":      func(ctx context.Context) error { _, err := s.Checkout(ctx, by, id); return err },
		"Order":         func(ctx context.Context) error { _, err := s.Order(ctx, by, id, s.form()); return err },
		"Orders":        func(ctx context.Context) error { _, err := s.Orders(ctx, by, id); return err },
		"Details":       func(ctx context.Context) error { _, err := s.Details(ctx, by, id); return err },
		"ChangeDetails": func(ctx context.Context) error { return s.ChangeDetails(ctx, by, id, s.form().Details) },
		"Portal":        func(ctx context.Context) error { _, err := s.Portal(ctx, by, id); return err },
		"Statement":     func(ctx context.Context) error { _, err := s.Statement(ctx, by, id); return err },
		"Refresh":       func(ctx context.Context) error { _, err := s.Refresh(ctx, by, id); return err },
		"Cancel":        func(ctx context.Context) error { _, err := s.Cancel(ctx, by, id); return err },
		"Resume":        func(ctx context.Context) error { _, err := s.Resume(ctx, by, id); return err },
	}
}
