package mcp

import (
	"net/netip"
	"sync"
	"time"
)

const (
	freeAMinute = 300     // free messages a minute for one caller
	maxCallers  = 100_000 // the most callers counted in one minute
)

// A caller is the account, address or IPv6 /64 that free messages are counted for.
type caller struct {
	account string
	network netip.Prefix
}

func callerOf(account string, addr netip.Addr) caller {
	if account != "" {
		return caller{account: account}
	}
	bits := 64
	if addr = addr.Unmap().WithZone(""); addr.Is4() {
		bits = 32
	}
	network, _ := addr.Prefix(bits) // the zero value for no address
	return caller{network: network}
}

// freeMessages limits the messages that no quota is charged for: freeAMinute per caller and minute of the clock, on
// this node.
type freeMessages struct {
	now func() time.Time

	mu     sync.Mutex
	minute int64
	counts map[caller]int
}

// left reports whether the caller has free messages left this minute.
func (f *freeMessages) left(c caller) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.begin()
	return f.counts[c] < freeAMinute
}

// take counts a message and reports whether it is within the limit. Once maxCallers are counted, others are not: only
// the queue limits those.
func (f *freeMessages) take(c caller) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.begin()
	n, counted := f.counts[c]
	switch {
	case n >= freeAMinute:
		return false
	case counted || len(f.counts) < maxCallers:
		f.counts[c] = n + 1
	}
	return true
}

// begin resets the counts when a new minute has begun.
func (f *freeMessages) begin() {
	if minute := f.now().Unix() / 60; minute != f.minute || f.counts == nil {
		f.minute, f.counts = minute, make(map[caller]int)
	}
}

// wait returns how many seconds are left of this minute.
func (f *freeMessages) wait() int { return 60 - int(f.now().Unix()%60) }
