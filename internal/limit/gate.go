package limit

import (
	"net/netip"
	"sync"
)

// A Gate bounds how many do something at once. Whoever finds it full is refused at once: where one may be slow for as long as
// it likes, waiting would only move the crowd.
type Gate struct {
	most int

	mu     sync.Mutex
	in     int
	shares map[any]int // how many of those belong to whom
}

// A Share bounds how many of those who are in may belong to one: a client, a network, an account.
type Share struct {
	Of   any // comparable
	Most int
	// Common says that many clients share it, such as all who have no key: where it is full, the gate is full for them.
	Common bool
}

// NewGate makes a gate for as many at once.
func NewGate(most int) *Gate { return &Gate{most: most, shares: make(map[any]int)} }

// Enter lets one in until leave is called, or returns ErrShare or ErrFull. Calling leave
// again does nothing.
func (g *Gate) Enter(shares ...Share) (leave func(), err error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, s := range shares {
		switch {
		case g.shares[s.Of] < s.Most:
		case s.Common:
			return nil, ErrFull
		default:
			return nil, ErrShare
		}
	}
	if g.in >= g.most {
		return nil, ErrFull
	}
	g.in++
	for _, s := range shares {
		g.shares[s.Of]++
	}
	return sync.OnceFunc(func() { g.leave(shares) }), nil
}

func (g *Gate) leave(shares []Share) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.in--
	for _, s := range shares {
		if g.shares[s.Of]--; g.shares[s.Of] == 0 {
			delete(g.shares, s.Of) // or the addresses of strangers would pile up
		}
	}
}

// In is how many are in.
func (g *Gate) In() int {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.in
}

// ClientShares are those of a client: an IPv4 address by itself, an IPv6 address with its /64, which a
// provider gives to one customer. Whoever has a /48 has 65,536 of those, so it has a share as well:
// half of the gate, and the other half stays free for everybody else.
func (g *Gate) ClientShares(client netip.Addr, most int) []Share {
	return ClientShares(client, most, max(g.most/2, 1))
}

// ClientShares are those of a client, and of the /48 that an IPv6 address is of.
func ClientShares(client netip.Addr, most, ofSite int) []Share {
	client = client.Unmap().WithZone("")
	if !client.Is6() {
		return []Share{{Of: client, Most: most}}
	}
	own, _ := client.Prefix(64)
	site, _ := client.Prefix(48)
	return []Share{{Of: own, Most: most}, {Of: site, Most: ofSite}}
}
