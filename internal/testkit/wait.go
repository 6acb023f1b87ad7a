package testkit

import (
	"fmt"
	"os"
	"testing"
	"time"
)

const (
	// patience bounds a wait. It is far beyond what a busy machine needs: a test that waits this
	// long has failed, and one that passes never notices.
	patience = 10 * time.Minute
	// saysEvery is how often a wait says what it waits for.
	saysEvery = 30 * time.Second
	// beforeTheEnd is how long before go test's own limit a wait gives up. That limit shows the
	// stacks of all goroutines, and not what the test was waiting for.
	beforeTheEnd = 20 * time.Second
)

// A wait knows how long it has lasted, says so now and then, and ends in time.
type wait struct {
	tb              testing.TB
	began, deadline time.Time
	said            time.Time // when it last said something, or began
}

func newWait(tb testing.TB) *wait {
	now := time.Now()
	w := &wait{tb: tb, began: now, said: now, deadline: now.Add(patience)}
	if limit, ok := limitOf(tb); ok && limit.Add(-beforeTheEnd).Before(w.deadline) {
		w.deadline = limit.Add(-beforeTheEnd)
	}
	return w
}

// limitOf is when go test ends the test. In a bubble of synctest, whose clock is another, Deadline panics.
func limitOf(tb testing.TB) (limit time.Time, ok bool) {
	t, has := tb.(interface{ Deadline() (time.Time, bool) })
	if !has {
		return time.Time{}, false
	}
	defer func() { _ = recover() }()
	return t.Deadline()
}

// goesOn says what is waited for, if it is time to, and fails the test at the end of its patience.
func (w *wait) goesOn(what any) {
	w.tb.Helper()
	now := time.Now()
	lasted := now.Sub(w.began).Round(time.Second)
	if now.After(w.deadline) {
		w.tb.Fatalf("still after %v: %v", lasted, what)
	}
	if now.Sub(w.said) >= saysEvery {
		w.said = now
		fmt.Fprintf(os.Stderr, "%s has waited for %v: %v\n", w.tb.Name(), lasted, what)
	}
}

// pause is how long to wait before looking again: a twentieth of what the wait has lasted, so that many
// long waits beside each other leave the machine to what they wait for.
func (w *wait) pause() time.Duration {
	return min(max(time.Since(w.began)/20, 5*time.Millisecond), 100*time.Millisecond)
}

// Eventually calls check until it returns nil. Every 30 s it prints check's error. It fails the test
// with it after ten minutes, or shortly before go test's own limit.
func Eventually(tb testing.TB, check func() error) {
	tb.Helper()
	for w := newWait(tb); ; time.Sleep(w.pause()) {
		err := check()
		if err == nil {
			return
		}
		w.goesOn(err)
	}
}

// EventuallyTrue is Eventually for a condition; what names it.
func EventuallyTrue(tb testing.TB, what string, condition func() bool) {
	tb.Helper()
	Eventually(tb, func() error {
		if !condition() {
			return fmt.Errorf("not yet: %s", what)
		}
		return nil
	})
}

// Await receives from a channel, or finds it closed. It is as patient as Eventually; what names
// what it waits for.
func Await[T any](tb testing.TB, what string, from <-chan T) T {
	tb.Helper()
	w := newWait(tb)
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for {
		select {
		case x := <-from:
			return x
		case <-tick.C:
			w.goesOn("not yet: " + what)
		}
	}
}
