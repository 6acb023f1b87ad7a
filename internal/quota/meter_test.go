package quota

import (
	"context"
	"log/slog"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// A silentCounter never answers: charges wait as long as they may.
type silentCounter struct{}

func (silentCounter) Add(ctx context.Context, _ string, _ time.Time, _ bool) (int, error) {
	<-ctx.Done()
	return 0, ctx.Err()
}

func (silentCounter) Count(ctx context.Context, _ string) (int, error) {
	<-ctx.Done()
	return 0, ctx.Err()
}

func (silentCounter) Ping(context.Context) error { return nil }

func silentMeter() *Meter {
	return New(Options{Counter: silentCounter{}, Secret: []byte("s"), Logger: slog.New(slog.DiscardHandler)})
}

// How long a charge may wait for the counter.
const (
	minWait = 250 * time.Millisecond
	maxWait = 252 * time.Millisecond
)

func TestChargeContext_IsSharedForAMillisecond(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m := silentMeter()
		begun := time.Now()
		first := m.chargeContext(begun)
		for _, after := range []time.Duration{0, 1, 500 * time.Microsecond, time.Millisecond - 1} {
			if m.chargeContext(begun.Add(after)) != first {
				t.Errorf("a charge %v later has a context of its own", after)
			}
		}
		second := m.chargeContext(begun.Add(time.Millisecond))
		if second == first {
			t.Error("a charge a millisecond later shares the context")
		}
		for _, ctx := range []context.Context{first, second} {
			end, _ := ctx.Deadline()
			time.Sleep(time.Until(end) - 1)
			synctest.Wait()
			if ctx.Err() != nil {
				t.Errorf("done before its deadline: %v", ctx.Err())
			}
			time.Sleep(time.Nanosecond)
			synctest.Wait()
			if ctx.Err() != context.DeadlineExceeded {
				t.Errorf("at its deadline: %v", ctx.Err())
			}
		}
	})
}

// The first three charges wait in vain. The third opens the breaker, which ends the wait of all
// others.
func TestCharge_OfASilentCounter(t *testing.T) {
	t.Parallel()
	for _, apart := range []time.Duration{0, time.Microsecond, 999 * time.Microsecond, time.Millisecond, 3 * time.Millisecond} {
		synctest.Test(t, func(t *testing.T) {
			m := silentMeter()
			subject := m.Account("a")
			var wg sync.WaitGroup
			begun := time.Now()
			const charges = 80 // the last begins in the last few milliseconds
			for i := range charges {
				wg.Go(func() {
					started := time.Now()
					if d := m.Charge(subject, charges); !d.Allowed {
						t.Error("refused because the counter is silent")
					}
					switch took := time.Since(started); {
					case took > maxWait || i < maxFailures && took < minWait:
						t.Errorf("%v apart: charge %d took %v, want %v to %v", apart, i, took, minWait, maxWait)
					case time.Since(begun) > maxWait+(maxFailures-1)*apart:
						t.Errorf("%v apart: charge %d goes on waiting after the breaker opened", apart, i)
					}
				})
				time.Sleep(apart)
			}
			wg.Wait()
			if m.Shared() == nil {
				t.Error("the breaker is closed")
			}
		})
	}
}
