package billing_test

import (
	"testing"
	"time"

	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/billing"
)

// A subscription to another product gives nothing, is reported, and is no reason not to sell. It is left
// alone: somebody made it on purpose.
func TestOutcome_OtherProduct(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	a, sub := s.buys(billing.Active)
	s.want("the plan", s.plan(a.ID), account.Pro)
	s.changes(sub, func() { sub.OtherProduct = true })
	s.want("the plan", s.plan(a.ID), account.Developer)
	s.changes(sub, func() {})
	s.want("counted", s.counted(billing.CountOtherProduct), 1)
	if o := s.overview(a); o.Subscription != nil || o.CannotBuy != nil {
		t.Errorf("the subscription %+v counts, or keeps the owner from buying: %v", o.Subscription, o.CannotBuy)
	}
	r, err := s.Reconcile(t.Context(), false)
	s.must(err)
	if len(r.Findings) != 1 || r.Findings[0].Kind != billing.FoundOtherProduct || r.Findings[0].Subscription != sub.ID || r.Findings[0].Repaired {
		t.Errorf("findings: %+v", r.Findings)
	}
	s.want("counted by the reconciliation", s.counted(billing.CountOtherProduct), 2)
	s.want("ended", s.provider.called("End"), 0)

	s.clock.Advance(time.Hour)
	s.changes(s.provider.subscribe(sub.Customer, a.ID, billing.Active), func() {})
	s.want("the plan with one of ours beside it", s.plan(a.ID), account.Pro)
	s.changes(sub, func() { sub.Status = billing.Canceled })
	r, err = s.Reconcile(t.Context(), false)
	s.must(err)
	s.want("findings about one that is over", len(r.Findings), 0)
}
