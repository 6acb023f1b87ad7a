package quota

import (
	"log/slog"
	"strconv"
	"testing"
	"time"
)

func numbered(prefix string, i int, reset time.Time) Subject {
	return Subject{key: prefix + strconv.Itoa(i), reset: reset}
}

func localMeter(table int) *Meter {
	return New(Options{Secret: []byte("s"), Logger: slog.New(slog.DiscardHandler), Table: table})
}

func TestMeterWithoutCounter(t *testing.T) {
	t.Parallel()
	m := localMeter(0)
	m.Run(t.Context()) // returns at once: there is nothing to look for
	if m.Shared() == nil {
		t.Error("a meter without a counter says that its counts are shared")
	}
	if got := len(charges([]*node{{Meter: m}}, 5_000, 1_000, func(n *node, _ int) Subject { return n.Account("a") })); got != 1_000 {
		t.Errorf("%d let through, want 1,000", got)
	}
	if d := m.Charge(m.Account("b"), 0); d.Allowed {
		t.Error("a quota of 0 lets a request through")
	}
}

// TestTableIsBounded floods the table and looks for those whose quota was used up.
func TestTableIsBounded(t *testing.T) {
	t.Parallel()
	const most, usedUp, limit = 6_400, 500, 2
	flood := 1_000_000
	if raced && !*long {
		flood = 200_000
	}
	m := localMeter(most)
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
		if i%100_000 == 0 && m.table.len() > most {
			t.Fatalf("%d counts, at most %d wanted", m.table.len(), most)
		}
	}
	if n := m.table.len(); n > most || n < most*9/10 {
		t.Errorf("%d counts, want nearly %d", n, most)
	}
	kept := 0
	for i := range usedUp {
		if m.Exhausted(numbered("used up ", i, reset), limit) {
			kept++
		}
	}
	t.Logf("%d of %d used-up subjects are still known after %d others", kept, usedUp, flood)
	if kept < usedUp*98/100 {
		t.Errorf("only %d of %d used-up subjects are still known", kept, usedUp)
	}
}

// TestTableForgetsYesterday fills the table, all used up, and comes back the next day.
func TestTableForgetsYesterday(t *testing.T) {
	t.Parallel()
	const most, limit = 6_400, 1
	m := localMeter(most)
	today := time.Now().Add(time.Hour)
	for i := range 2 * most {
		m.Charge(numbered("yesterday ", i, today.AddDate(0, 0, -1)), limit)
	}
	// Eviction looks at a few counts only: enough as long as most are of yesterday.
	for i := range most / 4 {
		m.Charge(numbered("today ", i, today), limit)
	}
	for i := range most / 4 {
		if !m.Exhausted(numbered("today ", i, today), limit) {
			t.Fatalf("subject %d of today had to go before those of yesterday", i)
		}
	}
}

// TestLearnTakesAnswersInAnyOrder: while the counter misses nothing, its number holds.
func TestLearnTakesAnswersInAnyOrder(t *testing.T) {
	t.Parallel()
	table, s := newTable(100), numbered("s", 1, time.Now())
	for _, n := range []int{3, 1, 2, 7, 6, 5, 4, 10, 9, 8} {
		if got := table.learn(s, n, 10); got != n {
			t.Errorf("answer %d became %d", n, got)
		}
	}
	if got := table.learn(s, 11, 10); got != 11 {
		t.Errorf("answer 11 became %d", got)
	}
}

// TestLearnAfterAnOutage: what the counter missed still counts on this node.
func TestLearnAfterAnOutage(t *testing.T) {
	t.Parallel()
	const limit = 10
	table, s := newTable(100), numbered("s", 1, time.Now())
	through := 0
	for range 9 {
		if table.add(s, limit) <= limit {
			through++
		}
	}
	for n := 1; n <= limit; n++ { // the counter is back and begins at 1
		if table.learn(s, n, limit) <= limit {
			through++
		}
	}
	if through != limit {
		t.Errorf("one node lets %d through, want %d", through, limit)
	}
	// A counter that others have driven further is believed.
	other := numbered("s", 2, time.Now())
	table.add(other, limit)
	if got := table.learn(other, 8, limit); got != 8 {
		t.Errorf("answer 8 became %d", got)
	}
}
