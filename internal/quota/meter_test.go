package quota

import (
	"context"
	"log/slog"
	"math/rand/v2"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// silent is a counter that never answers: a charge waits as long as it can.
type silent struct{}

func (silent) Add(ctx context.Context, _ string, _ time.Time, _ bool) (int, error) {
	<-ctx.Done()
	return 0, ctx.Err()
}

func (silent) Count(ctx context.Context, _ string) (int, error) {
	<-ctx.Done()
	return 0, ctx.Err()
}

func (silent) Ping(context.Context) error { return nil }

func silentMeter(observe func(time.Duration)) *Meter {
	return New(Options{
		Counter: silent{}, Secret: []byte("s"), Logger: slog.New(slog.DiscardHandler),
		Observe: func(_ bool, took time.Duration) { observe(took) },
	})
}

// How long a charge may wait for the counter.
const (
	leastPatience = 250 * time.Millisecond
	mostPatience  = 252 * time.Millisecond
)

// TestChargesOfAMillisecondShareAContext: within the millisecond one, after it another.
func TestChargesOfAMillisecondShareAContext(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m := silentMeter(func(time.Duration) {})
		begun := time.Now()
		first := m.patience(begun)
		for _, after := range []time.Duration{0, 1, time.Microsecond, 500 * time.Microsecond, time.Millisecond - 1} {
			if m.patience(begun.Add(after)) != first {
				t.Errorf("a charge %v later has a context of its own", after)
			}
		}
		second := m.patience(begun.Add(time.Millisecond))
		if second == first {
			t.Error("a charge a millisecond later shares the context")
		}
		if m.patience(begun.Add(time.Millisecond+1)) != second {
			t.Error("the charge after that does not share the new one")
		}
		// Each ends by itself, when its charges have waited long enough.
		for _, ctx := range []context.Context{first, second} {
			end, _ := ctx.Deadline()
			time.Sleep(time.Until(end) - 1)
			synctest.Wait()
			if ctx.Err() != nil {
				t.Errorf("over before its end: %v", ctx.Err())
			}
			time.Sleep(time.Nanosecond)
			synctest.Wait()
			if ctx.Err() != context.DeadlineExceeded {
				t.Errorf("at its end: %v", ctx.Err())
			}
		}
	})
}

// TestPatienceIsWithinItsBounds: charges that follow each other at any distance.
func TestPatienceIsWithinItsBounds(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m := silentMeter(func(time.Duration) {})
		random := rand.New(rand.NewPCG(1, 1))
		contexts := map[context.Context]bool{}
		const charges = 20_000
		for range charges {
			now := time.Now()
			ctx := m.patience(now)
			contexts[ctx] = true
			end, ok := ctx.Deadline()
			if wait := end.Sub(now); !ok || wait < leastPatience || wait > mostPatience {
				t.Fatalf("a charge waits for %v, want %v to %v", wait, leastPatience, mostPatience)
			}
			if ctx.Err() != nil {
				t.Fatalf("a charge begins with a context that is over: %v", ctx.Err())
			}
			time.Sleep(time.Duration(random.Int64N(int64(time.Millisecond) / 4)))
		}
		if len(contexts) > charges/4 {
			t.Errorf("%d charges, eight in a millisecond, have %d contexts", charges, len(contexts))
		}
	})
}

// TestASilentCounterIsWaitedForInVain: the first three charges take that long, be they
// together or not. With the third the breaker opens, and the others wait no more.
func TestASilentCounterIsWaitedForInVain(t *testing.T) {
	t.Parallel()
	for _, apart := range []time.Duration{0, time.Microsecond, 999 * time.Microsecond, time.Millisecond, 3 * time.Millisecond} {
		synctest.Test(t, func(t *testing.T) {
			m := silentMeter(func(time.Duration) {})
			subject := m.Account("a")
			var wg sync.WaitGroup
			begun := time.Now()
			const charges = 80 // the last of which begins in the last few milliseconds
			for i := range charges {
				wg.Go(func() {
					started := time.Now()
					if d := m.Charge(subject, charges); !d.Allowed {
						t.Error("refused because the counter is silent")
					}
					switch took := time.Since(started); {
					case took > mostPatience || i < failures && took < leastPatience:
						t.Errorf("%v apart: charge %d took %v, want %v to %v", apart, i, took, leastPatience, mostPatience)
					case time.Since(begun) > mostPatience+(failures-1)*apart:
						t.Errorf("%v apart: charge %d waits on when the breaker is open", apart, i)
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
