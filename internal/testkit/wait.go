package testkit

import (
	"fmt"
	"os"
	"runtime"
	"strconv"
	"testing"
	"time"
)

// Patience bounds a wait: a minute, times PALMARES_TEST_SLOW on a machine that is so many times slower or busier than a
// developer's own. A test that waits this long has failed, and one that passes never notices.
var Patience = func() time.Duration {
	slow, err := strconv.ParseFloat(os.Getenv("PALMARES_TEST_SLOW"), 64)
	if err != nil || slow < 1 {
		slow = 1
	}
	return time.Duration(slow * float64(time.Minute))
}()

const (
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
	w := &wait{tb: tb, began: now, said: now, deadline: now.Add(Patience)}
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

// goesOn says what is waited for, if it is time to. It ends a test that has failed already, and fails one at the end of its
// patience, with what all goroutines do.
func (w *wait) goesOn(what any) {
	w.tb.Helper()
	now := time.Now()
	lasted := now.Sub(w.began).Round(time.Second)
	if w.tb.Failed() {
		w.tb.Fatalf("no longer waited for, after %v: %v", lasted, what)
	}
	if now.After(w.deadline) {
		w.tb.Fatalf("still after %v: %v\n%s", lasted, what, goroutines())
	}
	if now.Sub(w.said) >= saysEvery {
		w.said = now
		fmt.Fprintf(os.Stderr, "%s has waited for %v: %v\n", w.tb.Name(), lasted, what)
	}
}

// goroutines are the stacks of as many as a person would read.
func goroutines() []byte {
	stacks := make([]byte, 64<<10)
	return stacks[:runtime.Stack(stacks, true)]
}

// pause is how long to wait before looking again: a twentieth of what the wait has lasted, so that many
// long waits beside each other leave the machine to what they wait for.
func (w *wait) pause() time.Duration {
	return min(max(time.Since(w.began)/20, 5*time.Millisecond), 100*time.Millisecond)
}

// Eventually calls check until it returns nil. Every 30 s it prints check's error. It ends the test with it after Patience, or
// shortly before go test's own limit, or as soon as the test has failed elsewhere.
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
