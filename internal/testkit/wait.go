package testkit

import (
	"fmt"
	"os"
	"runtime"
	"strconv"
	"testing"
	"time"
)

// Patience is how long a test waits before it fails: a minute, times PALMARES_TEST_SLOW, which is how many times slower
// or busier the machine is than a developer's. A test that passes does not wait any longer for it.
var Patience = func() time.Duration {
	slow, err := strconv.ParseFloat(os.Getenv("PALMARES_TEST_SLOW"), 64)
	if err != nil || slow < 1 {
		slow = 1
	}
	return time.Duration(slow * float64(time.Minute))
}()

const (
	// saysEvery is how often a wait prints what it waits for.
	saysEvery = 30 * time.Second
	// beforeTheEnd is how long before go test's own timeout a wait gives up. That timeout would print the stacks of all
	// goroutines, but not what the test was waiting for.
	beforeTheEnd = 20 * time.Second
)

// A wait tracks how long a test has been waiting, prints that now and then, and ends the test at its deadline.
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

// limitOf returns the time at which go test ends the test; ok is false if there is none. It recovers because Deadline
// panics in a synctest bubble, which has its own clock.
func limitOf(tb testing.TB) (limit time.Time, ok bool) {
	t, has := tb.(interface{ Deadline() (time.Time, bool) })
	if !has {
		return time.Time{}, false
	}
	defer func() { _ = recover() }()
	return t.Deadline()
}

// goesOn is called between two checks of a wait. It prints what the test waits for every saysEvery. It ends the test if
// that has failed already, or if the deadline has passed, with the stacks of the goroutines.
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

// goroutines returns the stacks of the goroutines, the first 64 KiB: nobody would read more.
func goroutines() []byte {
	stacks := make([]byte, 64<<10)
	return stacks[:runtime.Stack(stacks, true)]
}

// pause returns how long to sleep before the next check: a twentieth of the time waited so far, from 5 to 100 ms, so
// that many long waits side by side leave the CPU to what they wait for.
func (w *wait) pause() time.Duration {
	return min(max(time.Since(w.began)/20, 5*time.Millisecond), 100*time.Millisecond)
}

// Eventually calls check until it returns nil, and prints its error every 30 s. It ends the test with that error after
// Patience, shortly before go test's own timeout, or as soon as the test has failed elsewhere.
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

// EventuallyTrue waits like Eventually until condition returns true. what names the condition.
func EventuallyTrue(tb testing.TB, what string, condition func() bool) {
	tb.Helper()
	Eventually(tb, func() error {
		if !condition() {
			return fmt.Errorf("not yet: %s", what)
		}
		return nil
	})
}

// Await returns the next value from a channel, or the zero value if it is closed. It gives up like Eventually; what
// names what it waits for.
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
