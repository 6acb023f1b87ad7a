package live

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/catalogtest"
	"github.com/palmares-hq/palmares/internal/testkit"
)

// A source hands out deltas from memory, as slowly as a test wants, in the fake
// time of synctest.
type source struct {
	mu     sync.Mutex
	deltas []catalog.Delta // one per edition, each from the one before
	slow   time.Duration   // what a fetch takes
	limits []time.Duration // the time each fetch was given
	hang   string          // the step that never ends by itself
	open   int             // feeds that are not closed
	opened []time.Time
	fail   error // what Open says
}

// add appends an edition of n changed tools.
func (s *source) add(n int) catalog.Edition {
	s.mu.Lock()
	defer s.mu.Unlock()
	number := int64(len(s.deltas) + 1)
	e := catalog.Edition{Number: number, ID: fmt.Sprint("edition ", number), PublishedAt: time.Now()}
	s.deltas = append(s.deltas, catalog.Delta{From: number - 1, Edition: e, Tools: catalogtest.Generated(n).Tools})
	return e
}

func (s *source) Open(ctx context.Context) (Feed, error) {
	s.mu.Lock()
	s.opened = append(s.opened, time.Now())
	s.mu.Unlock()
	if err := s.step(ctx, "open"); err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.fail != nil {
		return nil, s.fail
	}
	s.open++
	return &sourceFeed{source: s}, nil
}

// set says what Open answers from now on, and which step of a feed never ends by itself.
func (s *source) set(fail error, hang string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.fail, s.hang = fail, hang
}

func (s *source) step(ctx context.Context, name string) error {
	s.mu.Lock()
	hang := s.hang == name
	s.mu.Unlock()
	if hang {
		<-ctx.Done()
		return ctx.Err()
	}
	return nil
}

type sourceFeed struct {
	*source
	closed bool
}

func (f *sourceFeed) Latest(ctx context.Context) (catalog.Edition, error) {
	if err := f.step(ctx, "latest"); err != nil {
		return catalog.Edition{}, err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.deltas) == 0 {
		return catalog.Edition{}, nil
	}
	return f.deltas[len(f.deltas)-1].Edition, nil
}

func (f *sourceFeed) Since(ctx context.Context, _ catalog.Edition) (catalog.Delta, error) {
	if err := f.step(ctx, "since"); err != nil {
		return catalog.Delta{}, err
	}
	deadline, ok := ctx.Deadline()
	if !ok {
		return catalog.Delta{}, errors.New("a fetch without a time limit")
	}
	f.mu.Lock()
	f.limits = append(f.limits, time.Until(deadline))
	d, slow := f.deltas[len(f.deltas)-1], f.slow
	f.mu.Unlock()
	select {
	case <-time.After(slow):
		return d, nil
	case <-ctx.Done():
		return catalog.Delta{}, fmt.Errorf("reading the edition: %w", ctx.Err())
	}
}

func (f *sourceFeed) Wait(ctx context.Context, d time.Duration) error {
	if err := f.step(ctx, "wait"); err != nil {
		return err
	}
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (f *sourceFeed) Close() {
	f.mu.Lock()
	defer f.mu.Unlock()
	if !f.closed {
		f.closed = true
		f.open--
	}
}

// A read that was cut off gets twice the time on the next connection, within bounds; once it is in,
// the limit is the old one again.
func TestLimit(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l := newAdaptiveTimeout(2*time.Second, 20*time.Second)
		cut := fmt.Errorf("reading: %w", context.DeadlineExceeded)
		for i, step := range []struct {
			given int // seconds
			ends  error
		}{
			{2, cut}, {4, cut}, {8, errors.New("refused")}, {8, cut}, {16, cut}, {20, cut}, {20, nil}, {2, nil},
		} {
			err := l.read(t.Context(), func(ctx context.Context) error {
				deadline, _ := ctx.Deadline()
				if got := time.Until(deadline).Seconds(); got != float64(step.given) {
					t.Errorf("read %d was given %v s, want %v", i, got, step.given)
				}
				return step.ends
			})
			if !errors.Is(err, step.ends) {
				t.Errorf("read %d ended with %v", i, err)
			}
		}
	})
}

// The whole catalog gets the most time at once. A delta does not, and meanwhile the node serves on.
func TestSlowFetch(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		src := &source{slow: 30 * time.Second}
		src.add(10)
		n := run(t, Options{Open: src.Open})
		n.wantEdition(t, src.deltas[0].Edition)
		src.slow = 9 * time.Second
		e := src.add(50)
		time.Sleep(8 * time.Second)
		if err := n.Ready(); err != nil || n.Current().Edition().Number != 1 {
			t.Errorf("meanwhile the node serves edition %d and is not ready: %v", n.Current().Edition().Number, err)
		}
		if err := says(n.Connected(), "fetching the edition", "deadline exceeded"); err != nil {
			t.Error(err)
		}
		n.wantEdition(t, e)
		if s := n.last(t); s.Items != 50 || s.From != 1 || s.Fetch != 9*time.Second {
			t.Errorf("the swap was %+v", s)
		}
		n.stop()
		testkit.Equal(t, "what the fetches were given", src.limits,
			[]time.Duration{maxFetch, 2 * time.Second, 4 * time.Second, 8 * time.Second, 16 * time.Second})
	})
}

// Attempts to connect become rarer up to one a second, and are as frequent as at
// first after a connection that had worked.
func TestPausesBetweenAttempts(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		src := &source{fail: errors.New("refused")}
		n := run(t, Options{Open: src.Open})
		pauses := func() (list []time.Duration) {
			src.mu.Lock()
			defer src.mu.Unlock()
			for i := range src.opened[1:] {
				list = append(list, src.opened[i+1].Sub(src.opened[i]))
			}
			src.opened = nil
			return list
		}
		time.Sleep(time.Minute)
		if err := says(n.Ready(), "no catalog to serve", "opening the feed", "refused"); err != nil {
			t.Error(err)
		}
		if p := pauses(); len(p) < 60 || len(p) > 70 || p[0] != minPause || slices.Max(p) != maxPause || !slices.IsSorted(p) {
			t.Errorf("the pauses in a minute were %v", p)
		}
		src.set(nil, "")
		time.Sleep(time.Minute)
		pauses()
		src.set(errors.New("refused"), "latest")
		time.Sleep(time.Minute)
		n.stop()
		if p := pauses(); len(p) < 55 || p[0] != 2*minPause { // the first one went before the first attempt
			t.Errorf("the pauses after a connection that had worked were %v", p)
		}
	})
}

// With a disk copy, a node waits no longer for a database that has refused.
func TestRefusedStartIsReadyAtOnce(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "copy")
	if err := WriteCopy(path, snapshot(catalogtest.Generated(3), 1, "one")); err != nil {
		t.Fatal(err)
	}
	synctest.Test(t, func(t *testing.T) {
		src := &source{fail: errors.New("refused")}
		n := run(t, Options{Open: src.Open, File: path, Patience: time.Hour})
		synctest.Wait()
		if err := n.Ready(); err != nil {
			t.Error(err)
		}
		n.stop()
	})
}

// Whatever step a node is at, it ends when it is told to, and closes its feed; and
// if that step never ended, the node would give up on it and connect anew.
func TestNoStepHoldsANode(t *testing.T) {
	t.Parallel()
	// The longest that a step may take.
	for step, most := range map[string]time.Duration{
		"open": 3 * time.Second, "latest": 2 * time.Second, "since": maxFetch + time.Second, "wait": 0,
	} {
		t.Run(step, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				src := &source{hang: step}
				src.add(1)
				n := run(t, Options{Open: src.Open})
				synctest.Wait()
				if most > 0 { // Wait is bounded by the feed itself
					time.Sleep(most)
					if src.mu.Lock(); len(src.opened) < 2 {
						t.Errorf("after %v the node still hangs in its first attempt", most)
					}
					src.mu.Unlock()
				}
				told := time.Now()
				n.stop()
				if took := time.Since(told); took != 0 {
					t.Errorf("the node took %v to end", took)
				}
				if src.open != 0 {
					t.Errorf("%d feeds were left open", src.open)
				}
			})
		})
	}
}

// Until the first attempt to connect has ended, a node claims neither to hear of
// editions nor to know that there is none.
func TestStartClaimsNothing(t *testing.T) {
	t.Parallel()
	for _, step := range []string{"open", "since"} {
		t.Run(step, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				src := &source{hang: step}
				src.add(1)
				n := run(t, Options{Open: src.Open, Patience: time.Second})
				time.Sleep(1500 * time.Millisecond) // beyond the patience
				if err := says(n.Ready(), "starting: no catalog loaded yet"); err != nil {
					t.Error(err)
				}
				if n.Connected() == nil {
					t.Error("the node claims to follow")
				}
				n.stop()
			})
		})
	}
}

func TestSwapIsTimedByTheClock(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		src := &source{}
		e := src.add(1)
		var mu sync.Mutex
		now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
		n := run(t, Options{Open: src.Open, Now: func() time.Time {
			mu.Lock()
			defer mu.Unlock()
			now = now.Add(time.Hour)
			return now
		}})
		n.wantEdition(t, e)
		n.stop()
		if s := n.last(t); s.Fetch != time.Hour || s.Build != time.Hour {
			t.Errorf("%+v, want an hour for each part by the given clock", s)
		}
	})
}
