package billing_test

import (
	"testing"
	"time"

	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/billing"
)

// A subscription none of whose invoices was ever paid gives nothing, whatever its status.
func TestOutcome_NeverPaid(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	a, sub := s.buys(billing.Incomplete)
	for _, status := range []billing.Status{billing.Active, billing.Trialing, billing.PastDue} {
		s.changes(sub, func() { sub.Status = status })
		s.want("the plan of "+string(status), s.plan(a.ID), account.Developer)
		o := s.overview(a)
		s.want("waiting", []any{o.Waiting, o.CannotBuy}, []any{true, billing.ErrSubscribed})
	}
	s.want("mail", s.mail(), []string{})
	// A delayed payment fails: the invoice is void, the status still active. Another can be bought.
	s.changes(sub, func() { sub.Status, sub.Latest.State = billing.Active, billing.InvoiceVoid })
	s.want("the plan", s.plan(a.ID), account.Developer)
	s.want("buying", s.overview(a).CannotBuy, nil)
	// Money came after all.
	s.changes(sub, func() { pay(sub) })
	s.want("the plan", s.plan(a.ID), account.Pro)
	s.want("mail", s.mail(), []string{"welcome"})
}

// An invoice of nothing, such as that of a trial, is paid.
func TestOutcome_PaidNothing(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	a, sub := s.buys(billing.Trialing)
	s.changes(sub, func() { sub.Latest.Total, sub.Latest.Paid = 0, 0 })
	s.want("the plan", s.plan(a.ID), account.Pro)
}

// A newest invoice that is not paid is an alarm after a day, and ends Pro after seven, even while the
// subscription is active.
func TestOutcome_UnpaidInvoice(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	a, sub := s.buys(billing.Active)
	s.mail()
	s.changes(sub, func() { bill(sub, "in_next", billing.InvoiceOpen, s.clock.Now()) })
	s.passes(23 * time.Hour)
	s.want("alarms before a day", s.counted(billing.CountUnpaidInvoice), 0)
	s.passes(time.Hour)
	s.want("alarms after a day", s.counted(billing.CountUnpaidInvoice), 1)
	s.changes(sub, func() {})
	s.want("alarms, once", s.counted(billing.CountUnpaidInvoice), 1)
	r, err := s.Reconcile(t.Context(), true)
	s.must(err)
	s.want("findings", []any{len(r.Findings), r.Findings[0].Kind}, []any{1, billing.FoundUnpaidInvoice})
	mails, pro := s.inTime(a, 7)
	s.want("mails", mails, []string{"ended"})
	s.want("quarters of days with Pro", pro, 6*4)
	s.changes(sub, func() { pay(sub) })
	s.want("the plan once it is paid", s.plan(a.ID), account.Pro)
}

// The invoice of a renewal is a draft for an hour, without tax. What the page says of the amounts stays as it was,
// and nothing differs.
func TestOutcome_RenewalDraft(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	a, sub := s.buys(billing.Active)
	s.mail()
	s.changes(sub, func() {
		bill(sub, "in_next", billing.InvoiceDraft, s.clock.Now())
		sub.Net, sub.Tax = 0, 0
	})
	is := s.overview(a).Subscription
	s.want("the amounts", []int64{is.Net, is.Tax}, []int64{9900, 1980})
	s.want("the plan", s.plan(a.ID), account.Pro)
	r, err := s.Reconcile(t.Context(), true)
	s.must(err)
	s.want("findings", len(r.Findings), 0)
	s.changes(sub, func() { pay(sub); sub.Net, sub.Tax = 9900, 1881 })
	s.want("the tax once it is final", s.overview(a).Subscription.Tax, int64(1881))
	s.want("mail", s.mail(), []string{})
}

// A newest invoice that nobody is to pay any more ends Pro at once, even while the subscription is active.
func TestOutcome_VoidInvoice(t *testing.T) {
	t.Parallel()
	for _, state := range []billing.InvoiceState{billing.InvoiceVoid, billing.InvoiceUncollectible} {
		s := newShop(t)
		a, sub := s.buys(billing.Active)
		s.mail()
		s.changes(sub, func() { bill(sub, "in_next", state, s.clock.Now()) })
		s.want("the plan", s.plan(a.ID), account.Developer)
		s.want("mail", s.mail(), []string{"ended"})
		r, err := s.Reconcile(t.Context(), false)
		s.must(err)
		s.want("findings", []any{len(r.Findings), r.Findings[0].Kind}, []any{1, billing.FoundUnpaidInvoice})
	}
}

// An invoice that cannot be finalized is an alarm at once that names its account and the reason. Nobody is
// asked to pay it, so Pro ends as for any other that is not paid.
func TestOutcome_NotFinal(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	a, sub := s.buys(billing.Active)
	s.mail()
	s.provider.with(func() {
		bill(sub, "in_next", billing.InvoiceDraft, s.clock.Now())
		sub.Latest.NotFinal = "customer_tax_location_invalid"
	})
	for range 2 {
		s.event("invoice.finalization_failed", sub.Customer)
		s.work()
	}
	s.want("alarms", s.counted(billing.CountNotFinal), 1)
	s.want("the log", s.logged("an invoice cannot be finalized", a.ID, "customer_tax_location_invalid"), true)
	s.want("the plan", s.plan(a.ID), account.Pro)
	mails, _ := s.inTime(a, 8)
	s.want("mails", mails, []string{"ended"})
	s.want("the plan a week later", s.plan(a.ID), account.Developer)
}

// A bank that asks for a confirmation at a renewal is a payment that failed until it is given.
func TestOutcome_ActionRequired(t *testing.T) {
	t.Parallel()
	s, a := told(t, "invoice.payment_action_required", func(sub *billing.Subscription) { fail(sub, "in_failed", start) })
	s.want("mail", s.mail(), []string{"unpaid 0 until 2026-11-08"})
	sub := s.provider.subs[0]
	s.changes(sub, func() { sub.Status = billing.Active; pay(sub) })
	s.want("the plan", s.plan(a.ID), account.Pro)
}

func TestOutcome_DisputeClosed(t *testing.T) {
	t.Parallel()
	s, _ := told(t, "charge.dispute.closed", func(*billing.Subscription) {})
	s.want("alarms", s.counted(billing.CountDispute), 0)
	s.want("the log", s.logged("a dispute is over", "customer=cus_1"), true)
	s.want("mail", s.mail(), []string{})
}
