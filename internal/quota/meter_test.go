package quota

import (
	"context"
	"crypto/rand"
	"fmt"
	"log/slog"
	"net/netip"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/palmares-hq/palmares/internal/redistest"
	"github.com/palmares-hq/palmares/internal/testkit"
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

// While Redis answers in time, quotas are exact over all nodes.
func TestExact(t *testing.T) {
	t.Parallel()
	mapped := []netip.Addr{netip.MustParseAddr("192.0.2.1"), netip.MustParseAddr("::ffff:192.0.2.1")}
	for name, url := range map[string]string{"one Redis": redistest.URL(t), "cluster": redistest.Cluster(t)} {
		for what, tt := range map[string]struct {
			total, limit int
			subject      func(n *node, secret string, i int) Subject
		}{
			"an account": {5_000, 1_000, func(n *node, secret string, _ int) Subject { return n.Account(secret) }},
			"an IPv4 address": {400, 100, func(n *node, secret string, i int) Subject {
				return addressSubject([]byte(secret), mapped[i%2], n.o.Now())
			}},
			"10,000 addresses of a /64": {10_000, 100, func(n *node, secret string, i int) Subject {
				addr := netip.MustParseAddr(fmt.Sprintf("2001:db8:1:2:%x::%x", i%7, i))
				return addressSubject([]byte(secret), addr, n.o.Now())
			}},
		} {
			t.Run(name+" "+what, func(t *testing.T) {
				t.Parallel()
				nodes, secret := startNodes(t, url, 3, patient), rand.Text()
				allowed := charges(nodes, tt.total, tt.limit, func(n *node, i int) Subject { return tt.subject(n, secret, i) })
				testkit.Equal(t, "charges counted alone", sum(nodes, alone), 0)
				testkit.Equal(t, "requests allowed", len(allowed), tt.limit)
				seen := make([]bool, tt.limit) // each response shows another number of requests left
				for _, d := range allowed {
					if seen[d.Remaining] {
						t.Errorf("two were told that %d remain", d.Remaining)
					}
					seen[d.Remaining] = true
				}
			})
		}
	}
}
