package quota

import (
	"crypto/rand"
	"fmt"
	"net/netip"
	"testing"
	"time"

	"github.com/palmares-hq/palmares/internal/redistest"
)

// Exactness is promised while Redis answers in time, so these nodes wait for as long
// as a slow machine may take.
func TestExact(t *testing.T) {
	t.Parallel()
	t.Run("one Redis", func(t *testing.T) {
		t.Parallel()
		testExact(t, redistest.URL(t))
	})
	t.Run("cluster", func(t *testing.T) {
		t.Parallel()
		testExact(t, redistest.Cluster(t))
	})
}

func testExact(t *testing.T, url string) {
	t.Helper()
	for _, c := range []struct {
		name         string
		total, limit int
		subject      func(secret string) func(*node, int) Subject
	}{
		{"an account", 5_000, 1_000, func(secret string) func(*node, int) Subject {
			return func(n *node, _ int) Subject { return n.Account(secret) }
		}},
		{"an IPv4 address", 400, 100, func(secret string) func(*node, int) Subject {
			addrs := []netip.Addr{netip.MustParseAddr("192.0.2.1"), netip.MustParseAddr("::ffff:192.0.2.1")}
			return func(n *node, i int) Subject {
				return addressSubject([]byte(secret), addrs[i%2], n.o.Now())
			}
		}},
		{"10,000 addresses of a /64", 10_000, 100, func(secret string) func(*node, int) Subject {
			return func(n *node, i int) Subject {
				addr := netip.MustParseAddr(fmt.Sprintf("2001:db8:1:2:%x::%x", i%7, i))
				return addressSubject([]byte(secret), addr, n.o.Now())
			}
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var nodes []*node
			for range 3 {
				nodes = append(nodes, startPatientNode(t, url, 10*time.Second))
			}
			waitShared(t, nodes, 10*time.Second)
			allowed := charges(nodes, c.total, c.limit, c.subject(rand.Text()))
			var asked int64
			for i, n := range nodes {
				if n.local.Load() > 0 {
					t.Errorf("node %d counted %d charges alone", i, n.local.Load())
				}
				asked += n.shared.Load()
			}
			t.Logf("%d of %d charges let through; %d asked Redis", len(allowed), c.total, asked)
			if len(allowed) != c.limit {
				t.Errorf("%d let through, want exactly %d", len(allowed), c.limit)
			}
			// Each of them is told another number of requests left.
			seen := make([]bool, c.limit)
			for _, d := range allowed {
				if seen[d.Remaining] {
					t.Errorf("two were told that %d remain", d.Remaining)
				}
				seen[d.Remaining] = true
			}
		})
	}
}
