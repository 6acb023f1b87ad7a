package limit

import (
	"net/netip"
	"sync"
)

// A Gate bounds how many callers are inside at once. It refuses a caller immediately when it is full: where clients
// may be as slow as they like, a queue would only move the crowd.
type Gate struct {
	most int

	mu     sync.Mutex
	in     int
	shares map[any]int // how many of those inside count towards each Share.Of
}

// A Share bounds how many of the callers inside a gate may belong to one client, network or account.
type Share struct {
	Of   any // comparable
	Most int
	// Common says that many clients have the share in common, such as all those without a key. When it is used up,
	// Enter returns ErrFull and not ErrShare.
	Common bool
}

// NewGate returns a gate that admits up to most callers at once.
func NewGate(most int) *Gate { return &Gate{most: most, shares: make(map[any]int)} }

// Enter admits a caller until leave is called. It returns ErrShare if one of the caller's shares is used up, and
// ErrFull if the gate or a common share is. Calling leave again does nothing.
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

// Len returns how many callers are inside.
func (g *Gate) Len() int {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.in
}

// ClientShares returns the shares of a client: most for its IPv4 address, or for its IPv6 /64, which a provider gives
// to one customer. A /48 has 65,536 of those, so it has a share as well: half of the gate, which leaves the other
// half free for everybody else.
func (g *Gate) ClientShares(client netip.Addr, most int) []Share {
	return ClientShares(client, most, max(g.most/2, 1))
}

// ClientShares returns the shares of a client: most for its IPv4 address or IPv6 /64, and ofSite for the /48 around it.
func ClientShares(client netip.Addr, most, ofSite int) []Share {
	client = client.Unmap().WithZone("")
	if !client.Is6() {
		return []Share{{Of: client, Most: most}}
	}
	own, _ := client.Prefix(64)
	site, _ := client.Prefix(48)
	return []Share{{Of: own, Most: most}, {Of: site, Most: ofSite}}
}
