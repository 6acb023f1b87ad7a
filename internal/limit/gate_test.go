package limit

import (
	"errors"
	"fmt"
	"net/netip"
	"testing"
)

// enter goes through a gate as often as it lets a client in, and returns how often that was, with why
// it refused in the end.
func enter(g *Gate, client string, most int) (leaves []func(), why error) {
	for {
		leave, err := g.Enter(g.ClientShares(netip.MustParseAddr(client), most)...)
		if err != nil {
			return leaves, err
		}
		leaves = append(leaves, leave)
	}
}

func TestGate(t *testing.T) {
	t.Parallel()
	g := NewGate(16)
	var all []func()
	for _, tt := range []struct {
		client string
		in     int
		why    error
	}{
		{"192.0.2.1", 3, ErrShare},
		{"::ffff:192.0.2.1", 0, ErrShare}, // the same
		{"192.0.2.2", 3, ErrShare},
		{"2001:db8:1:1::1", 3, ErrShare},
		{"2001:db8:1:1:ffff::2", 0, ErrShare}, // the same /64
		{"2001:db8:1:2::1", 3, ErrShare},
		{"2001:db8:1:3::1", 2, ErrShare}, // its /48 has half of the gate
		{"2001:db8:1:4::1", 0, ErrShare},
		{"2001:db8:2:1::1", 2, ErrFull},
		{"192.0.2.3", 0, ErrFull},
	} {
		leaves, why := enter(g, tt.client, 3)
		if len(leaves) != tt.in || !errors.Is(why, tt.why) {
			t.Errorf("%s got in %d times, then: %v; want %d, %v", tt.client, len(leaves), why, tt.in, tt.why)
		}
		all = append(all, leaves...)
	}
	all[0]()
	all[0]() // does nothing
	if leaves, why := enter(g, "192.0.2.3", 3); len(leaves) != 1 || g.Len() != 16 {
		t.Errorf("after one has left, %d get in: %v", len(leaves), why)
	} else {
		all = append(all, leaves...)
	}
	for _, leave := range all {
		leave()
	}
	if got := fmt.Sprint(g.Len(), len(g.shares)); got != "0 0" {
		t.Errorf("after all have left, %s are in and kept", got)
	}
}
