package billing_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/billing"
	"github.com/palmares-hq/palmares/internal/testkit"
)

// A step is a state of a subscription and the event that tells of it.
type step struct {
	event string
	state func(sub *billing.Subscription, now time.Time)
}

// A life is that of a subscription: its steps, and the mails that some order of its events brings.
type life struct {
	steps []step
	mails []billing.NoticeKind // nil for one that was never paid: no mail, and never Pro
}

var over = step{"customer.subscription.deleted", func(sub *billing.Subscription, now time.Time) {
	sub.Status, sub.EndedAt = billing.Canceled, now
}}

// lives are those that are lived in every order of their events.
var lives = map[string]life{
	"a card that fails at the renewal": {[]step{
		{"customer.subscription.created", func(sub *billing.Subscription, _ time.Time) { sub.Status = billing.Incomplete }},
		{"customer.subscription.updated", func(sub *billing.Subscription, _ time.Time) { sub.Status = billing.Active; pay(sub) }},
		{"invoice.payment_failed", func(sub *billing.Subscription, now time.Time) { bill(sub, sub.ID+"-2", billing.InvoiceOpen, now) }},
		{"customer.subscription.updated", func(sub *billing.Subscription, now time.Time) { fail(sub, sub.ID+"-2", now) }},
		over,
	}, []billing.NoticeKind{billing.NoticeWelcome, billing.NoticeUnpaid, billing.NoticeEnded}},
	"a delayed payment that never comes": {[]step{
		{"customer.subscription.created", func(sub *billing.Subscription, _ time.Time) { sub.Status = billing.Active }},
		{"checkout.session.completed", func(*billing.Subscription, time.Time) {}},
		{"checkout.session.async_payment_failed", func(sub *billing.Subscription, _ time.Time) { sub.Latest.State = billing.InvoiceVoid }},
		{"invoice.finalization_failed", func(sub *billing.Subscription, now time.Time) {
			bill(sub, sub.ID+"-2", billing.InvoiceDraft, now)
			sub.Latest.NotFinal = "customer_tax_location_invalid"
		}},
		over,
	}, nil},
	"a delayed payment that comes, and an invoice that is not final": {[]step{
		{"customer.subscription.created", func(sub *billing.Subscription, _ time.Time) { sub.Status = billing.Active }},
		{"checkout.session.async_payment_succeeded", func(sub *billing.Subscription, _ time.Time) { pay(sub) }},
		{"invoice.finalization_failed", func(sub *billing.Subscription, now time.Time) {
			bill(sub, sub.ID+"-2", billing.InvoiceDraft, now)
			sub.Latest.NotFinal = "customer_tax_location_invalid"
		}},
		{"invoice.voided", func(sub *billing.Subscription, _ time.Time) { sub.Latest.State = billing.InvoiceVoid }},
		over,
	}, []billing.NoticeKind{billing.NoticeWelcome, billing.NoticeEnded}},
}

// In whatever order events come, each twice and five at a time, with answers that are late between
// fetch and write: the plan is the same at the end, an event has one row, nobody gets two mails
// for one state of one subscription, and nobody ever has Pro for one that was never paid.
func TestEveryOrderOfEvents(t *testing.T) {
	t.Parallel()
	for name, l := range lives {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newShop(t)
			s.provider.answer = func(string) { time.Sleep(rand.N(2 * time.Millisecond)) } // the provider's answers are late, at random
			orders := permutations(len(l.steps))
			s.want("orders", len(orders), 120)
			kinds := make(map[billing.NoticeKind]int)
			busy := 0
			for _, order := range orders {
				busy += s.inOrder(l.steps, order)
				for _, n := range s.mails {
					kinds[n.Kind]++
				}
				s.mails = nil
			}
			t.Logf("mails %v; %d jobs found the account held by another", kinds, busy)
			for _, kind := range l.mails {
				if kinds[kind] == 0 {
					t.Errorf("no %s was ever sent: the test shows nothing", kind)
				}
			}
			if l.mails == nil {
				s.want("mails", kinds, map[billing.NoticeKind]int{})
				s.want("times that somebody had Pro", s.count("activity WHERE action = 'plan.changed' AND subject = 'pro'"), 0)
			}
		})
	}
}

func (s *shop) inOrder(life []step, order []int) (busy int) {
	s.Helper()
	a := s.signUp(account.Developer)
	c, err := s.Checkout(s.Context(), account.ByAccount(a.ID), a.ID)
	s.must(err)
	sub := s.provider.complete(c.ID, billing.Incomplete)
	found := s.atWork(func() { s.deliver(life, order, sub) })
	s.want(fmt.Sprint(order, ": the plan"), s.plan(a.ID), account.Developer)
	s.want(fmt.Sprint(order, ": the status"), s.overview(a).Subscription.Status, billing.Canceled)
	s.want(fmt.Sprint(order, ": rows"), s.count("billing_events WHERE account_id = $1", a.ID), len(life))
	s.want(fmt.Sprint(order, ": rows that wait"), s.count("billing_events WHERE processed_at IS NULL"), 0)
	s.want(fmt.Sprint(order, ": jobs left"), s.count("river_job"), 0)
	var told []string
	for _, n := range s.mails {
		what := fmt.Sprint(n.Subscription.ID, n.Kind, n.Day)
		if slices.Contains(told, what) {
			s.Errorf("%v: two mails: %s", order, what)
		}
		told = append(told, what)
	}
	// Whoever was seen to have Pro is told that it is over, once.
	had := s.count("activity WHERE account_id = $1 AND action = 'plan.changed' AND subject = 'pro'", a.ID)
	ended := s.count("billing_notices WHERE account_id = $1 AND kind = 'ended'", a.ID)
	s.want(fmt.Sprint(order, ": ends"), ended, had)
	return found
}

// deliver delivers events in that order, each twice, up to five at a time. The provider is as far as
// the latest event that it has sent. Now and then all that it has sent is worked off before it goes on.
func (s *shop) deliver(life []step, order []int, sub *billing.Subscription) {
	bodies := make(chan string)
	var wg sync.WaitGroup
	var received atomic.Int64
	for range 5 {
		wg.Go(func() {
			for body := range bodies {
				if err := s.Receive(s.Context(), []byte(body), "signed"); err != nil {
					s.Error(err)
				}
				received.Add(1)
			}
		})
	}
	reached := 0
	for i, e := range append(slices.Clone(order), order...) {
		if rand.IntN(2) == 0 {
			testkit.EventuallyTrue(s, "all is worked off and told", func() bool {
				return received.Load() == int64(i) &&
					s.count("billing_events WHERE processed_at IS NULL") == 0 && s.count("river_job") == 0
			})
		}
		s.provider.with(func() {
			for ; i < len(order) && reached <= e; reached++ {
				life[reached].state(sub, s.clock.Now())
			}
		})
		bodies <- fmt.Sprintf("evt_%s_%d %s %s", sub.ID, e, life[e].event, sub.Customer)
	}
	close(bodies)
	wg.Wait()
}

// atWork has five workers do jobs during f and until none is left. It returns how many jobs met an
// account that another held.
func (s *shop) atWork(f func()) int {
	var over atomic.Bool
	var busy atomic.Int64
	var wg sync.WaitGroup
	for range 5 {
		wg.Go(func() {
			for {
				last := over.Load()
				j, ok := s.take(s.Context())
				if !ok {
					if last {
						return
					}
					runtime.Gosched()
					continue
				}
				err := s.do(s.Context(), j)
				for ; errors.Is(err, billing.ErrBusy); err = s.do(s.Context(), j) {
					busy.Add(1)
					time.Sleep(time.Millisecond) // it snoozes
				}
				if err != nil {
					s.Errorf("%s %s: %v", j.kind, j.args, err)
				}
			}
		})
	}
	f()
	over.Store(true)
	wg.Wait()
	s.work() // what the last ones inserted
	return int(busy.Load())
}

// permutations are all orders of n things.
func permutations(n int) (all [][]int) {
	if n == 0 {
		return [][]int{{}}
	}
	for _, p := range permutations(n - 1) {
		for i := range n {
			all = append(all, slices.Insert(slices.Clone(p), i, n-1))
		}
	}
	return all
}

// A process that dies between the provider's answer and the write has done nothing: the event waits,
// and is worked off once.
func TestSync_DiesBeforeItWrites(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	a, sub := s.buys(billing.Active)
	s.mail()
	s.provider.with(func() { sub.Status = billing.Canceled })
	s.event("customer.subscription.deleted", sub.Customer)
	ctx, die := context.WithCancel(t.Context())
	s.provider.with(func() { s.provider.answer = func(string) { die() } })
	s.wantError("the look", s.Sync(ctx, billing.SyncAccount{Account: a.ID}), context.Canceled)
	s.provider.with(func() { s.provider.answer = nil })
	s.want("the plan", s.plan(a.ID), account.Pro)
	s.want("events that wait", s.count("billing_events WHERE processed_at IS NULL"), 1)
	s.work()
	s.want("the plan", s.plan(a.ID), account.Developer)
	s.want("mail", s.mail(), []string{"ended"})
}

// An event is stored with its job or not at all, and a plan changes with its mail or not at all.
func TestAllOrNothing(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	a, sub := s.buys(billing.Active)
	s.mail()
	s.provider.with(func() { sub.Status = billing.Canceled })
	s.exec(`CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'it failed'; END $$`)
	failing := func(do func() error) {
		t.Helper()
		s.exec(`CREATE TRIGGER fail BEFORE INSERT ON river_job EXECUTE FUNCTION fail()`)
		before := s.dump()
		if do() == nil {
			t.Error("no error")
		}
		s.want("what is stored", s.dump(), before)
		s.exec(`DROP TRIGGER fail ON river_job`)
	}
	body := []byte("evt_torn customer.subscription.deleted " + sub.Customer)
	failing(func() error { return s.Receive(t.Context(), body, "signed") })
	s.must(s.Receive(t.Context(), body, "signed"))
	failing(func() error { return s.Sync(t.Context(), billing.SyncAccount{Account: a.ID}) })
	failing(func() error { return s.accounts.Delete(t.Context(), operator, a.ID) })
	s.work()
	s.want("the plan", s.plan(a.ID), account.Developer)
	s.want("mail", s.mail(), []string{"ended"})
}

// Everything that locks an account or a customer, all at once: nobody waits for ever, and nothing
// fails but for being deleted.
func TestLocksHaveAnOrder(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	var wg sync.WaitGroup
	const accounts = 4
	var owners [accounts]account.Account
	var subs [accounts]*billing.Subscription
	for n := range accounts {
		owners[n], subs[n] = s.buys(billing.Active)
	}
	for n := range accounts {
		a, sub := owners[n], subs[n]
		ctx, by := t.Context(), account.ByAccount(a.ID)
		each := []func(i int) error{
			func(i int) error {
				return s.Receive(ctx, fmt.Appendf(nil, "evt_%d_%d any %s", n, i, sub.Customer), "signed")
			},
			func(int) error { return s.Sync(ctx, billing.SyncAccount{Account: a.ID}) },
			func(i int) error {
				s.provider.with(func() {
					if sub.Status != billing.Canceled {
						sub.Status = []billing.Status{billing.Active, billing.Unpaid}[i%2]
					}
				})
				return s.Sync(ctx, billing.SyncAccount{Account: a.ID, Due: s.clock.Now().Add(time.Hour)})
			},
			func(i int) error {
				return s.accounts.SetPlan(ctx, operator, a.ID, []account.Plan{account.Pro, account.Developer}[i%2])
			},
			func(i int) error {
				return s.db.Accounts.SetEmail(ctx, by, a.ID, fmt.Sprintf("n%d-%d@example.org", n, i), s.clock.Now())
			},
			func(int) error { return s.UpdateCustomer(ctx, billing.UpdateCustomer{Account: a.ID}) },
			func(i int) error {
				_, err := map[bool]func(context.Context, account.Actor, string) (billing.Overview, error){true: s.Cancel, false: s.Resume}[i%2 == 0](ctx, by, a.ID)
				return err
			},
			func(i int) error {
				if i < 15 {
					return s.Sweep(ctx)
				}
				return s.accounts.Delete(ctx, operator, a.ID)
			},
		}
		for _, f := range each {
			wg.Go(func() {
				for i := range 20 {
					err := f(i)
					for _, allowed := range []error{billing.ErrBusy, billing.ErrNotSubscribed, account.ErrNoAccount, account.ErrSubscribed} {
						if errors.Is(err, allowed) {
							err = nil
						}
					}
					if err != nil {
						t.Error(err)
					}
				}
			})
		}
	}
	wg.Wait()
	s.work()
	s.want("customers left", s.count("billing_customers"), 0)
	for _, sub := range s.provider.subs {
		s.want("at the provider", sub.Status, billing.Canceled)
	}
}
