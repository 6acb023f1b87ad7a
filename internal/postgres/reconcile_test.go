package postgres_test

import (
	"testing"
	"time"

	"github.com/palmares-hq/palmares/internal/postgres"
	"github.com/palmares-hq/palmares/internal/testkit"
)

// The last reconciliation is the one that began last, in whatever order they end.
func TestBilling_LastReconciliation(t *testing.T) {
	t.Parallel()
	db := newDB(t)
	noon := time.Date(2026, 11, 15, 12, 0, 0, 0, time.UTC)
	var want postgres.Reconciliation
	for _, r := range []postgres.Reconciliation{
		{}, {At: noon, Drift: 2}, {At: noon.Add(time.Hour), NotCollecting: 3, VATNumbers: 1, Untaxed: map[string]int{"US": 2, "CH": 1}}, {At: noon.Add(time.Minute), Drift: 9},
	} {
		if !r.At.IsZero() {
			db.must(db.Billing.NoteReconciliation(t.Context(), r))
		}
		if r.At.After(want.At) {
			want = r
		}
		last, err := db.Billing.LastReconciliation(t.Context())
		db.must(err)
		last.At = last.At.UTC()
		testkit.Equal(t, "the last reconciliation", last, want)
	}
}
