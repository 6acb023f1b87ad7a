package testkit

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

func TestEventually_WaitsForTheCheck(t *testing.T) {
	t.Parallel()
	calls := 0
	Eventually(t, func() error {
		if calls++; calls < 3 {
			return errors.New("not yet")
		}
		return nil
	})
	Equal(t, "calls", calls, 3)
}

func TestAwait_ReceivesAndSeesTheEnd(t *testing.T) {
	t.Parallel()
	c := make(chan int, 1)
	c <- 7
	Equal(t, "received", Await(t, "a number", c), 7)
	close(c)
	Equal(t, "received of a closed channel", Await(t, "the end", c), 0)
}

// A limited test has a limit, as go test gives one, and notes how it failed.
type limited struct {
	testing.TB
	limit  time.Time
	failed bool
	fatal  string
}

func (l *limited) Deadline() (time.Time, bool) { return l.limit, !l.limit.IsZero() }
func (l *limited) Helper()                     {}
func (l *limited) Failed() bool                { return l.failed }

func (l *limited) Fatalf(format string, args ...any) {
	l.fatal = fmt.Sprintf(format, args...)
	panic(l)
}

// A wait fails with what it waits for, before go test ends everything with the stacks of goroutines.
func TestWaits_FailBeforeTheLimit(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		limit, want time.Duration
	}{
		"of go test": {Patience, Patience - beforeTheEnd},
		"none":       {0, Patience},
		"far away":   {10 * Patience, Patience},
	} {
		for kind, waits := range map[string]func(testing.TB){
			"Eventually": func(tb testing.TB) { EventuallyTrue(tb, "the moon is blue", func() bool { return false }) },
			"Await":      func(tb testing.TB) { Await[int](tb, "the moon is blue", nil) },
		} {
			t.Run(name+" "+kind, func(t *testing.T) {
				t.Parallel()
				synctest.Test(t, func(t *testing.T) {
					l := &limited{TB: t}
					if c.limit > 0 {
						l.limit = time.Now().Add(c.limit)
					}
					began := time.Now()
					func() {
						defer func() { Equal(t, "the panic", recover(), any(l)) }()
						waits(l)
					}()
					if took := time.Since(began); took < c.want || took > c.want+2*time.Second {
						t.Errorf("it failed after %v, want %v", took, c.want)
					}
					if !strings.Contains(l.fatal, "the moon is blue") {
						t.Errorf("it failed with %q", l.fatal)
					}
				})
			})
		}
	}
}

// A wait of a test that has failed elsewhere ends at once.
func TestWaits_EndWithTheirTest(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l, began := &limited{TB: t, failed: true}, time.Now()
		defer func() {
			Equal(t, "the panic", recover(), any(l))
			if took := time.Since(began); took > 2*time.Second {
				t.Errorf("it went on for %v", took)
			}
		}()
		EventuallyTrue(l, "the moon is blue", func() bool { return false })
	})
}
