package quota

import (
	"crypto/rand"
	"fmt"
	"net/netip"
	"testing"

	"github.com/palmares-hq/palmares/internal/redistest"
	"github.com/palmares-hq/palmares/internal/testkit"
)

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
