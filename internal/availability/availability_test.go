package availability_test

import (
	"context"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/palmares-hq/palmares/internal/availability"
	"github.com/palmares-hq/palmares/internal/pgtest"
	"github.com/palmares-hq/palmares/internal/testkit"
)

// A node counts.
type node struct {
	*availability.Recorder
	answered, failed atomic.Uint64
	log              testkit.Log
}

func newNode(name string, store availability.Store, now func() time.Time) *node {
	n := &node{}
	n.Recorder = availability.NewRecorder(availability.Options{
		Node: name, Store: store, Logger: n.log.Logger(), Now: now,
		Sum: func() (uint64, uint64) { return n.answered.Load(), n.failed.Load() },
	})
	return n
}

func (n *node) answers(answered, failed uint64) {
	n.answered.Add(answered)
	n.failed.Add(failed)
}

var ten = time.Date(2026, 11, 15, 10, 0, 0, 0, time.UTC)

// What two nodes answered adds up, hour by hour. What they answer while PostgreSQL is away is written once it is back, to
// the hour that it belongs to, and nothing counts twice.
func TestRecorder_PostgresAwayAndBack(t *testing.T) {
	t.Parallel()
	server := pgtest.NewServer(t)
	db := server.Open()
	clock := testkit.NewClock(ten.Add(30 * time.Minute))
	a, b := newNode("a", db.Answers, clock.Now), newNode("b", db.Answers, clock.Now)
	both := func() { a.Write(t.Context()); b.Write(t.Context()) }
	want := func(what string, hours ...availability.Hour) {
		t.Helper()
		first, got, err := db.Answers.Hours(t.Context(), ten.Add(-time.Hour))
		testkit.Must(t, err)
		for i := range got {
			got[i].At = got[i].At.UTC()
		}
		testkit.Equal(t, what, got, hours)
		testkit.Equal(t, what+": the first", first, ten)
	}
	a.answers(100, 1)
	b.answers(50, 0)
	clock.Advance(time.Minute)
	both()
	want("two nodes", availability.Hour{At: ten, Answered: 150, Failed: 1})
	both() // as when the answer to the first was lost
	want("written twice", availability.Hour{At: ten, Answered: 150, Failed: 1})

	server.Stop()
	a.answers(7, 7)
	clock.Advance(29 * time.Minute) // it ends at eleven, and belongs to the hour before
	both()
	if a.Behind() != 0 {
		t.Errorf("the failure began %v ago, which is now", a.Behind())
	}
	a.answers(10, 0)
	clock.Advance(2 * time.Hour)
	both()
	testkit.Equal(t, "behind", a.Behind(), 2*time.Hour)
	a.answers(1, 0)
	clock.Advance(time.Minute)
	server.Start()
	testkit.EventuallyTrue(t, "it is written", func() bool { both(); return a.Behind() == 0 && b.Behind() == 0 })
	want("after the outage", availability.Hour{At: ten, Answered: 157, Failed: 8}, availability.Hour{At: ten.Add(time.Hour), Answered: 10},
		availability.Hour{At: ten.Add(3 * time.Hour), Answered: 1}) // no look fell into the hour between
	testkit.Equal(t, "lines about it", len(a.log.Records(t, "what was answered is not written down: it waits")), 1)
	testkit.Equal(t, "lines about its end", len(a.log.Records(t, "what was answered is written down again")), 1)

	clock.Set(ten.Add(availability.KeepFor + 2*time.Hour))
	both()
	_, hours, err := db.Answers.Hours(t.Context(), ten)
	testkit.Must(t, err)
	testkit.Equal(t, "the oldest hour that is kept", hours[0].At.UTC(), ten.Add(3*time.Hour))
}

// A node writes at the end of every minute, and what is left when it ends.
func TestRecorder_Run(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var store hours
		n := newNode("a", &store, time.Now)
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan struct{})
		go func() { n.Run(ctx); close(done) }()
		n.answers(3, 0)
		time.Sleep(time.Minute + time.Second)
		synctest.Wait()
		testkit.Equal(t, "after a minute", store.sum(), int64(3))
		n.answers(2, 0)
		cancel()
		<-done
		testkit.Equal(t, "after the end", store.sum(), int64(5))
	})
}

func TestSummarize(t *testing.T) {
	t.Parallel()
	hour := func(n int) availability.Hour {
		return availability.Hour{At: ten.Add(time.Duration(n) * time.Hour), Answered: 1000, Failed: 1}
	}
	now := ten.Add(5*time.Hour + 20*time.Minute)
	for name, c := range map[string]struct {
		first time.Time
		hours []availability.Hour
		want  availability.Summary
		share int
	}{
		"nothing yet":       {},
		"the first minutes": {ten.Add(5 * time.Hour), []availability.Hour{hour(5)}, availability.Summary{Since: ten.Add(5 * time.Hour), Answered: 1000, Failed: 1}, 9990},
		"no gap":            {ten, []availability.Hour{hour(0), hour(1), hour(2), hour(3), hour(4), hour(5)}, availability.Summary{Since: ten, Answered: 6000, Failed: 6, Hours: 5}, 9990},
		"two gaps":          {ten, []availability.Hour{hour(0), hour(2), hour(4)}, availability.Summary{Since: ten, Answered: 3000, Failed: 3, Hours: 3, Missing: 2}, 9990},
		"nobody since":      {ten, []availability.Hour{hour(0)}, availability.Summary{Since: ten, Answered: 1000, Failed: 1, Hours: 1, Missing: 4}, 9990},
		"a month and more": {
			ten.Add(-1000 * time.Hour),
			[]availability.Hour{hour(-800), hour(4)},
			availability.Summary{Since: ten.Add(5*time.Hour - availability.Over), Answered: 1000, Failed: 1, Hours: 1, Missing: 719},
			9990,
		},
	} {
		got := availability.Summarize(c.first, c.hours, now)
		testkit.Equal(t, name, got, c.want)
		share, known := got.Share()
		testkit.Equal(t, name+": share", share, c.share)
		testkit.Equal(t, name+": known", known, c.want.Answered > 0)
	}
	one := availability.Summary{Answered: 10_000_000, Failed: 1}
	if share, _ := one.Share(); share != 9999 {
		t.Errorf("one failure in ten million is %d", share)
	}
}

// hours keeps what it is given, in a bubble that no server can be asked from.
type hours struct{ last []availability.Hour }

func (h *hours) WriteHours(_ context.Context, _ string, written []availability.Hour, _ time.Time) error {
	h.last = written
	return nil
}

func (h *hours) sum() (n int64) {
	for _, hour := range h.last {
		n += hour.Answered
	}
	return n
}
