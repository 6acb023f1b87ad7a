package availability_test

import (
	"context"
	"errors"
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

// A clock that is set back over the hour, by a minute or by a year, takes nothing away from an hour that was written,
// and writing goes on, also when it failed meanwhile.
func TestRecorder_ClockSetBack(t *testing.T) {
	t.Parallel()
	db := pgtest.Open(t)
	clock := testkit.NewClock(ten.Add(58 * time.Minute))
	n := newNode("a", db.Answers, clock.Now)
	look := func(ctx context.Context, at time.Time, answered uint64) {
		n.answers(answered, 0)
		clock.Set(at)
		n.Write(ctx)
	}
	away, cancel := context.WithCancel(t.Context())
	cancel()
	look(t.Context(), ten.Add(59*time.Minute), 100)
	look(t.Context(), ten.Add(61*time.Minute), 1)
	look(t.Context(), ten.Add(62*time.Minute), 10)
	look(t.Context(), ten.Add(59*time.Minute), 2) // set back
	look(t.Context(), ten.Add(59*time.Minute+30*time.Second), 4)
	look(away, ten.Add(61*time.Minute), 8)
	look(t.Context(), ten.Add(62*time.Minute), 20)
	look(t.Context(), ten.AddDate(1, 0, 0), 40) // set wrong
	look(t.Context(), ten.AddDate(1, 0, 0).Add(time.Minute), 1000)
	look(t.Context(), ten.Add(2*time.Hour), 2000) // set right
	look(t.Context(), ten.Add(2*time.Hour+time.Minute), 10_000)
	look(t.Context(), ten.Add(2*time.Hour+2*time.Minute), 20_000)
	testkit.Equal(t, "lines about failures", len(n.log.Records(t, "what was answered is not written down: it waits")), 1)
	testkit.Equal(t, "lines about their end", len(n.log.Records(t, "what was answered is written down again")), 1)
	_, got, err := db.Answers.Hours(t.Context(), ten)
	testkit.Must(t, err)
	for i := range got {
		got[i].At = got[i].At.UTC()
	}
	testkit.Equal(t, "hours", got, []availability.Hour{
		{At: ten, Answered: 100 + 1 + 4 + 8},
		{At: ten.Add(time.Hour), Answered: 10 + 2 + 20 + 40},
		{At: ten.Add(2 * time.Hour), Answered: 10_000 + 20_000},
		{At: ten.AddDate(1, 0, 0), Answered: 1000 + 2000},
	})
}

// A node keeps a month of hours while nobody takes them, and not more.
func TestRecorder_Waiting(t *testing.T) {
	t.Parallel()
	const month = 24 * 30
	clock := testkit.NewClock(ten)
	store := hours{err: errors.New("away")}
	n := newNode("a", &store, clock.Now)
	for range month + 10 {
		n.answers(1, 0)
		clock.Advance(time.Hour)
		n.Write(t.Context())
	}
	store.err = nil
	n.answers(1, 0)
	clock.Advance(time.Hour)
	n.Write(t.Context())
	testkit.Equal(t, "hours", len(store.last), month)
	testkit.Equal(t, "the oldest", store.last[0].At, ten.Add(11*time.Hour))
	testkit.Equal(t, "the newest", store.last[month-1].At, ten.Add((month+10)*time.Hour))
	testkit.Equal(t, "answered", store.sum(), int64(month))
	n.Write(t.Context())
	testkit.Equal(t, "hours after those were taken", len(store.last), 1)
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
type hours struct {
	last []availability.Hour
	err  error
}

func (h *hours) WriteHours(_ context.Context, _ string, written []availability.Hour, _ time.Time) error {
	h.last = written
	return h.err
}

func (h *hours) sum() (n int64) {
	for _, hour := range h.last {
		n += hour.Answered
	}
	return n
}
