package billing_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/billing"
)

// Each row of the tables in docs/operations/billing.md has a test of its name here and in
// happening_test.go.

// outcome is that of a subscription which is in a state from the beginning, and once it was active.
func outcome(t *testing.T, status billing.Status, plan account.Plan, first, later []string) {
	t.Helper()
	s := newShop(t)
	a, sub := s.buys(status)
	s.want("the plan", s.plan(a.ID), plan)
	s.want("mail", s.mail(), first)
	s.want("the status", s.overview(a).Subscription.Status, status)
	s.want("subscribed", s.overview(a).CannotBuy, map[bool]error{true: billing.ErrSubscribed}[sub.BlocksPurchase()])

	b, sub := s.buys(billing.Active)
	s.want("mail", s.mail(), []string{"welcome"})
	s.changes(sub, func() { sub.Status = status })
	for range 2 { // what comes again changes nothing
		s.want("the plan later", s.plan(b.ID), plan)
		s.want("mail later", s.mail(), later)
		later = []string{}
		s.changes(sub, func() {})
	}
}

func TestOutcome_None(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	a := s.signUp(account.Developer)
	s.event("customer.created", "cus_unknown")
	s.want("jobs", s.count("river_job"), 0)
	s.want("events, worked off", s.count("billing_events WHERE processed_at IS NOT NULL AND account_id IS NULL"), 1)
	o, err := s.Refresh(t.Context(), account.ByAccount(a.ID), a.ID)
	s.must(err)
	s.want("the overview", o, billing.Overview{Plan: account.Developer, Source: account.FromProvider})
	s.want("calls", len(s.provider.calls), 0)
}

func TestOutcome_Incomplete(t *testing.T) {
	t.Parallel()
	outcome(t, billing.Incomplete, account.Developer, []string{}, []string{"ended"})
}

func TestOutcome_Expired(t *testing.T) {
	t.Parallel()
	outcome(t, billing.Expired, account.Developer, []string{}, []string{"ended"})
}

func TestOutcome_Trialing(t *testing.T) {
	t.Parallel()
	outcome(t, billing.Trialing, account.Pro, []string{}, []string{})
}

func TestOutcome_Active(t *testing.T) {
	t.Parallel()
	outcome(t, billing.Active, account.Pro, []string{"welcome"}, []string{})
}

func TestOutcome_Unpaid(t *testing.T) {
	t.Parallel()
	outcome(t, billing.Unpaid, account.Developer, []string{}, []string{"ended"})
}

func TestOutcome_Paused(t *testing.T) {
	t.Parallel()
	outcome(t, billing.Paused, account.Developer, []string{}, []string{"ended"})
}

func TestOutcome_Canceled(t *testing.T) {
	t.Parallel()
	outcome(t, billing.Canceled, account.Developer, []string{}, []string{"ended"})
}

// Who comes back after an end wakes up again, and is told of the next end.
func TestOutcome_Canceled_Again(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	a, sub := s.buys(billing.Active)
	by := account.ByAccount(a.ID)
	for i := range 5 {
		_, _, err := s.accounts.CreateKey(t.Context(), by, a.ID, "key "+string(rune('a'+i)))
		s.must(err)
	}
	s.exec(`INSERT INTO endpoints (id, account_id, slot, url, description, types, categories, state, reason, secret, cursor, created_at, verified_at)
		VALUES ('e', $1, 1, 'https://example.org', '', '{}', '{}', 'active', '', '', 0, now(), now())`, a.ID)
	s.want("mail", s.mail(), []string{"welcome"})
	s.changes(sub, func() { sub.Status, sub.EndedAt = billing.Canceled, s.clock.Now() })
	s.want("paused", s.count("endpoints WHERE state = 'paused'"), 1)
	s.mu.Lock()
	ended := s.mails[0]
	s.mu.Unlock()
	s.want("what sleeps", []int{ended.SleepingKeys, ended.PausedEndpoints}, []int{2, 1})
	s.want("to", ended.Account.Email, a.Email)
	s.want("mail", s.mail(), []string{"ended"})
	c, err := s.Checkout(t.Context(), by, a.ID)
	s.must(err)
	s.clock.Advance(time.Hour)
	next := s.provider.complete(c.ID, billing.Active)
	s.changes(next, func() {})
	s.want("the plan", s.plan(a.ID), account.Pro)
	s.want("paused", s.count("endpoints WHERE state = 'paused'"), 0)
	s.want("mail", s.mail(), []string{"welcome"})
	for range 2 { // the same subscription can end more than once
		s.changes(next, func() { next.Status = billing.Unpaid })
		s.want("mail", s.mail(), []string{"ended"})
		s.changes(next, func() { next.Status = billing.Active })
		s.want("the plan", s.plan(a.ID), account.Pro)
		s.want("mail", s.mail(), []string{})
	}
}

func TestOutcome_Cancelled(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	a, sub := s.buys(billing.Active)
	by := account.ByAccount(a.ID)
	s.mail()
	for _, want := range [][]string{{"cancelled until 2026-12-01"}, {}} {
		o, err := s.Cancel(t.Context(), by, a.ID)
		s.must(err)
		s.event("customer.subscription.updated", sub.Customer)
		s.work()
		s.want("the end", o.Subscription.CancelAt, sub.PeriodEnd)
		s.want("mail", s.mail(), want)
	}
	s.want("the plan", s.plan(a.ID), account.Pro)
	s.want("cancellations at the provider", s.provider.called("SetCancel"), 1)
	// The provider tells nobody: the sweep looks an hour after the end.
	s.clock.Set(sub.PeriodEnd)
	s.provider.with(func() { sub.Status, sub.EndedAt = billing.Canceled, s.clock.Now() })
	s.passes(59 * time.Minute)
	s.want("the plan until then", s.plan(a.ID), account.Pro)
	s.passes(time.Minute)
	s.want("the plan after it", s.plan(a.ID), account.Developer)
	s.want("mail", s.mail(), []string{"ended"})
	_, err := s.Cancel(t.Context(), by, a.ID)
	s.wantError("cancelling what is over", err, billing.ErrNotSubscribed)
}

func TestOutcome_Resumed(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	a, _ := s.buys(billing.Active)
	by := account.ByAccount(a.ID)
	s.mail()
	step := func(f func() error, want ...string) {
		t.Helper()
		s.must(f())
		s.work()
		s.want("mail", s.mail(), append([]string{}, want...))
		s.want("the plan", s.plan(a.ID), account.Pro)
	}
	cancel := func() error { _, err := s.Cancel(t.Context(), by, a.ID); return err }
	resume := func() error {
		o, err := s.Resume(t.Context(), by, a.ID)
		if err == nil {
			s.want("the end", o.Subscription.CancelAt, time.Time{})
		}
		return err
	}
	step(cancel, "cancelled until 2026-12-01")
	step(resume, "resumed")
	step(cancel, "cancelled until 2026-12-01") // another occasion
	step(resume, "resumed")
	// Undone before its mail went out: only the end of it is told.
	s.must(cancel())
	step(resume, "resumed")
	// Undone and repeated before that: one mail.
	s.must(cancel())
	s.must(resume())
	step(cancel, "cancelled until 2026-12-01")
}

// pastDue is an account whose invoice of today is not paid.
func (s *shop) pastDue() (account.Account, *billing.Subscription) {
	s.Helper()
	a, sub := s.buys(billing.Active)
	s.want("mail", s.mail(), []string{"welcome"})
	s.changes(sub, func() { fail(sub, "in_failed", s.clock.Now()) })
	return a, sub
}

// inTime lets days pass by the quarter, and returns the mails and how many quarters began with Pro.
func (s *shop) inTime(a account.Account, days int) (mails []string, pro int) {
	s.Helper()
	for range days * 4 {
		if s.plan(a.ID) == account.Pro {
			pro++
		}
		s.passes(6 * time.Hour)
		mails = append(mails, s.mail()...)
	}
	return mails, pro
}

func TestOutcome_PastDue(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	a, sub := s.pastDue()
	s.want("mail on day 0", s.mail(), []string{"unpaid 0 until 2026-11-08"})
	mails, pro := s.inTime(a, 6)
	s.want("mails in six days", mails, []string{"unpaid 3 until 2026-11-08", "unpaid 6 until 2026-11-08"})
	s.want("quarters of days with Pro", pro, 6*4)
	s.want("looks", s.provider.called("Subscriptions"), 5) // bought, failed, a day, 3, 6
	// The next invoice that fails is another occasion.
	s.changes(sub, func() { fail(sub, "in_next", s.clock.Now()) })
	s.want("mail", s.mail(), []string{"unpaid 0 until 2026-11-14"})
}

// Seen late, only what is true then is said.
func TestOutcome_PastDue_Late(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	_, sub := s.buys(billing.Active)
	s.mail()
	s.provider.with(func() { fail(sub, "in_failed", s.clock.Now()) })
	s.clock.Advance(4 * day)
	s.changes(sub, func() {})
	s.want("mail", s.mail(), []string{"unpaid 3 until 2026-11-08"})
}

func TestOutcome_PastDueTooLong(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	a, sub := s.pastDue()
	s.mail()
	mails, pro := s.inTime(a, 8)
	s.want("mails", mails, []string{"unpaid 3 until 2026-11-08", "unpaid 6 until 2026-11-08", "ended"})
	s.want("quarters of days with Pro", pro, 7*4)
	for _, status := range []billing.Status{billing.Unpaid, billing.Canceled} {
		s.changes(sub, func() { sub.Status = status })
		s.want("the plan", s.plan(a.ID), account.Developer)
		s.want("mail: they know", s.mail(), []string{})
	}
}

func TestOutcome_PaidInBetween(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	a, sub := s.pastDue()
	s.mail()
	s.clock.Advance(3 * day)
	s.must(s.Sweep(t.Context()))
	sync, _ := s.take(t.Context())
	s.must(s.do(t.Context(), sync))
	s.want("mails about to go out", s.count("river_job WHERE kind = 'billing_mail_notice'"), 1)
	mail, _ := s.take(t.Context())
	s.changes(sub, func() { sub.Status = billing.Active; pay(sub) })
	s.must(s.do(t.Context(), mail))
	mails, pro := s.inTime(a, 10)
	s.want("mails", mails, []string(nil))
	s.want("quarters of days with Pro", pro, 10*4)
}

func TestOutcome_GivenByOperator(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	s.must(s.CheckPrice(t.Context()))
	never := s.signUp(account.Pro) // the provider knows nothing of it
	_, err := s.Checkout(t.Context(), account.ByAccount(never.ID), never.ID)
	s.wantError("buying what was given", err, billing.ErrGiven)
	a, sub := s.buys(billing.Incomplete)
	s.must(s.accounts.SetPlan(t.Context(), operator, a.ID, account.Pro))
	for _, status := range []billing.Status{
		billing.Active, billing.PastDue, billing.Unpaid, billing.Paused, billing.Canceled, billing.Expired, billing.Trialing,
	} {
		s.changes(sub, func() { sub.Status, sub.UnpaidSince = status, s.clock.Now().Add(-30*day) })
		_, err := s.Reconcile(t.Context(), false)
		s.must(err)
		for _, id := range []string{a.ID, never.ID} {
			got, err := s.accounts.Show(t.Context(), operator, id)
			s.must(err)
			s.want("the plan of "+string(status), []any{got.Plan, got.Source}, []any{account.Pro, account.FromOperator})
		}
	}
	s.want("mail", s.mail(), []string{})
	err = s.accounts.SetPlan(t.Context(), operator, a.ID, account.Developer)
	s.wantError("taking Pro from who pays", err, account.ErrSubscribed)
	s.changes(sub, func() { sub.Status = billing.Canceled })
	s.must(s.accounts.SetPlan(t.Context(), operator, a.ID, account.Developer))
	s.want("the plan taken away", s.plan(a.ID), account.Developer)
	s.changes(sub, func() {})
	s.want("mail", s.mail(), []string{})
}

// The rules of what counts and what is told, without a database, are those of the table.
func TestSubscription_Plan(t *testing.T) {
	t.Parallel()
	now := start
	for _, status := range []billing.Status{
		billing.Incomplete, billing.Expired, billing.Trialing, billing.Active, billing.PastDue, billing.Unpaid,
		billing.Paused, billing.Canceled, "unheard_of",
	} {
		for age, late := range map[time.Duration]bool{0: false, 7*day - 1: false, 7 * day: true} {
			sub := billing.Subscription{Status: status, UnpaidSince: now.Add(-age), EverPaid: true}
			pro := status == billing.Trialing || status == billing.Active || status == billing.PastDue && !late
			if got := sub.Plan(now); (got == account.Pro) != pro {
				t.Errorf("%s after %v: %v", status, age, got)
			}
			for _, state := range []billing.InvoiceState{
				billing.InvoiceDraft, billing.InvoiceOpen, billing.InvoicePaid, billing.InvoiceVoid, billing.InvoiceUncollectible,
			} {
				sub.Latest = billing.Invoice{ID: "in", State: state, Date: now.Add(-age)}
				paid := state == billing.InvoicePaid || !late && (state == billing.InvoiceDraft || state == billing.InvoiceOpen)
				if got := sub.Plan(now); (got == account.Pro) != (pro && paid) {
					t.Errorf("%s, the newest invoice %s after %v: %v", status, state, age, got)
				}
			}
			sub.EverPaid = false
			if got := sub.Plan(now); got != account.Developer {
				t.Errorf("%s, never paid: %v", status, got)
			}
		}
		over := slices.Contains([]billing.Status{billing.Incomplete, billing.Expired, billing.Canceled, "unheard_of"}, status)
		if (billing.Subscription{Status: status}).Live() == over || strings.TrimSpace(string(status)) == "" {
			t.Errorf("%s: live is %v", status, over)
		}
	}
}
