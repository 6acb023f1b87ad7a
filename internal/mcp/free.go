package mcp

import (
	"net/netip"
	"sync"
	"time"
)

const (
	freeAMinute = 300     // messages that cost nothing, for one caller
	maxCallers  = 100_000 // that are counted in one minute
)

// A caller is whom messages that cost nothing are counted for: an account, else an address or an IPv6 /64.
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

// freeMessages counts messages that cost nothing, on this node, in minutes of the clock.
type freeMessages struct {
	now func() time.Time

	mu     sync.Mutex
	minute int64
	counts map[caller]int
}

// left reports whether the caller has messages left this minute.
func (f *freeMessages) left(c caller) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.begin()
	return f.counts[c] < freeAMinute
}

// take counts a message, and reports whether it is one of those that the caller has. Whoever comes when very many have
// come already is not counted: they share turns with all others of their network.
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

// begin forgets the minutes before this one.
func (f *freeMessages) begin() {
	if minute := f.now().Unix() / 60; minute != f.minute || f.counts == nil {
		f.minute, f.counts = minute, make(map[caller]int)
	}
}

// wait returns how many seconds are left of this minute.
func (f *freeMessages) wait() int { return 60 - int(f.now().Unix()%60) }
