package billing_test

import (
	"testing"

	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/billing"
	"github.com/palmares-hq/palmares/internal/testkit"
)

// Whoever bought Pro reads in the log that the service gave it, and took it when it ended; what the
// operator gave is the operator's.
func TestOutcome_WhoChangedThePlan(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	a, sub := s.buys(billing.Active)
	s.changes(sub, func() { sub.Status = billing.Canceled })
	s.must(s.accounts.SetPlan(t.Context(), operator, a.ID, account.Pro))
	list, err := s.accounts.Activity(t.Context(), account.ByAccount(a.ID), a.ID, 3)
	s.must(err)
	var got []account.Doer
	for _, line := range list {
		got = append(got, line.By)
	}
	testkit.Equal(t, "who did it, the newest first", got, []account.Doer{account.DoneByOperator, account.DoneByService, account.DoneByService})
}
