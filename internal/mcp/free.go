package mcp

import (
	"net/netip"
	"sync"
	"time"
)

const (
	freeAMinute = 300     // messages that cost nothing, for one caller
	maxCallers  = 100_000 // counted in one minute
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

// freeMessages is the limit on messages that cost nothing: so many a minute of the clock per caller, on this node.
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

// take counts a message and reports whether it is within the limit. Beyond maxCallers nobody is counted: the shares
// of the gate bound those.
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
