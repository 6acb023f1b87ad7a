package limit

import (
	"context"
	"fmt"
	"net/netip"
	"time"
)

// A Limit is how often something may be done within a period.
type Limit struct {
	Name   string // in texts and in the keys of counters
	Most   int
	Within time.Duration
}

// A ReachedError reports that a Limit is reached.
type ReachedError struct {
	Limit
	Until time.Time // when it can be done again
}

// Error implements error.
func (e *ReachedError) Error() string {
	return fmt.Sprintf("the limit of %d in %v (%s) is met until %s",
		e.Most, e.Within, e.Name, e.Until.UTC().Format(time.RFC3339))
}

// A Counter counts what subjects do. Package quota has one for limits in an hour, over all nodes.
type Counter interface {
	// Allow reports whether a subject may do something once more, and counts it if so.
	Allow(ctx context.Context, l Limit, subject string) bool
	// HasRoom reports whether Allow would allow it, and counts nothing.
	HasRoom(ctx context.Context, l Limit, subject string) bool
	// End returns when Allow will allow a subject that it has refused.
	End(ctx context.Context, l Limit, subject string) time.Time
}

// Site returns the network that shares what is given to a whole site: the /24 of an IPv4 address, the /48 of an IPv6
// address. It is the zero Prefix for the zero Addr.
func Site(addr netip.Addr) netip.Prefix {
	addr = addr.Unmap().WithZone("")
	bits := 48
	if addr.Is4() {
		bits = 24
	}
	site, _ := addr.Prefix(bits) // fails for the zero Addr alone
	return site
}

// Widths is how many networks an address is counted with.
const Widths = 3

// widths are the prefix lengths of an IPv6 address's networks, the widest network first.
var widths = [Widths]int{48, 56, 64}

// Networks returns the networks of an address, the widest first. An IPv4 address counts as a network of its own.
func Networks(addr netip.Addr) (all [Widths]string) {
	addr = addr.Unmap().WithZone("")
	for i, bits := range widths {
		if addr.Is4() {
			bits = 32
		}
		if p, err := addr.Prefix(bits); err == nil { // the zero Addr is counted too
			all[i] = p.String()
		}
	}
	return all
}
