package quota

import (
	"log/slog"
	"strconv"
	"testing"
	"time"

	"github.com/palmares-hq/palmares/internal/testkit"
)

func numbered(prefix string, i int, reset time.Time) Subject {
	return Subject{key: prefix + strconv.Itoa(i), reset: reset}
}

func localMeter(table int) *Meter {
	return New(Options{Secret: []byte("s"), Logger: slog.New(slog.DiscardHandler), Table: table})
}

func TestMeter_WithoutACounter(t *testing.T) {
	t.Parallel()
	m := localMeter(0)
	m.Run(t.Context()) // returns at once
	if m.Shared() == nil {
		t.Error("a meter without a counter says that its counts are shared")
	}
	subject := func(n *node, _ int) Subject { return n.Account("a") }
	allowed := len(charges([]*node{{Meter: m}}, 5_000, 1_000, subject))
	testkit.Equal(t, "requests allowed", allowed, 1_000)
	for _, want := range []Decision{{true, 1}, {true, 0}, {false, 0}} {
		testkit.Equal(t, "one of three charges to a quota of 2", m.Charge(m.Account("b"), 2), want)
	}
	testkit.Equal(t, "a quota of 0", m.Charge(m.Account("c"), 0), Decision{})
}

// A flood of other callers neither outgrows the table nor hides those whose quota is used up.
func TestTable_IsBounded(t *testing.T) {
	t.Parallel()
	const size, usedUp, limit = 6_400, 500, 2
	flood := 200_000
	if testkit.Long() {
		flood = 1_000_000
	}
	m := localMeter(size)
	reset := time.Now().Add(time.Hour)
	for i := range usedUp {
		for range limit {
			m.Charge(numbered("used up ", i, reset), limit)
		}
	}
	for i := range flood {
		if n := m.table.add(numbered("", i, reset), limit); n != 1 {
			t.Fatalf("subject %d begins at %d", i, n)
		}
		if i%50_000 == 0 && m.table.len() > size {
			t.Fatalf("%d counts, at most %d wanted", m.table.len(), size)
		}
	}
	if n := m.table.len(); n > size || n < size*9/10 {
		t.Errorf("%d counts, want nearly %d", n, size)
	}
	known := 0
	for i := range usedUp {
		if m.Exhausted(numbered("used up ", i, reset), limit) {
			known++
		}
	}
	if known < usedUp*98/100 {
		t.Errorf("only %d of %d used-up subjects are still known after %d others", known, usedUp, flood)
	}
}

// A table full of yesterday's used-up quotas evicts those before any of today's.
func TestTable_EvictsYesterdayFirst(t *testing.T) {
	t.Parallel()
	const size, limit = 6_400, 1
	m := localMeter(size)
	today := time.Now().Add(time.Hour)
	for i := range 2 * size {
		m.Charge(numbered("yesterday ", i, today.AddDate(0, 0, -1)), limit)
	}
	// Eviction samples a few counts: enough while most are of yesterday.
	for i := range size / 4 {
		m.Charge(numbered("today ", i, today), limit)
	}
	for i := range size / 4 {
		if !m.Exhausted(numbered("today ", i, today), limit) {
			t.Fatalf("subject %d of today was evicted before those of yesterday", i)
		}
	}
}

func TestReconcile(t *testing.T) {
	t.Parallel()
	const limit = 10
	for _, tt := range []struct {
		name          string
		alone         int   // requests let through during an outage
		replies, want []int // of the shared counter, and what applies
	}{
		{"replies in any order", 0, []int{3, 1, 2, 7, 6, 5, 4, 10, 9, 8, 11}, []int{3, 1, 2, 7, 6, 5, 4, 10, 9, 8, 11}},
		{"a counter that missed an outage", 9, []int{1, 2, 3}, []int{10, 11, 11}},
		{"a counter that other nodes have driven further", 1, []int{8}, []int{8}},
	} {
		c := &count{}
		for range tt.alone {
			c.add(limit)
		}
		var got []int
		for _, n := range tt.replies {
			got = append(got, c.reconcile(n, limit))
		}
		testkit.Equal(t, tt.name, got, tt.want)
	}
}
