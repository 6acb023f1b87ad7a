package node

import (
	"math"
	"syscall"
)

// descriptors are what a process may have open, shared out: clients cannot take what the
// node itself needs.
type descriptors struct {
	public int // connections of clients, at most
	admin  int // connections of operators, at most
}

const (
	adminConns   = 32
	ownFiles     = 32 // listeners, the disk copy, traces, the log, what the runtime opens
	engineConns  = 48 // PostgreSQL and Redis
	sendingConns = 64 // deliveries under way
	idleConns    = 1000
)

// shareDescriptors shares out as many as limit.
func shareDescriptors(limit int, worker bool) descriptors {
	d := descriptors{admin: adminConns}
	own := ownFiles + engineConns + adminConns
	if worker {
		own += sendingConns + idleReceivers(limit)
	}
	d.public = max(limit-own, limit/4)
	return d
}

// idleReceivers is how many idle connections to receivers of webhooks there may be.
func idleReceivers(limit int) int { return min(idleConns, limit/8) }

// descriptorLimit is how many files and connections this process may have open. The
// runtime has raised it as far as it may.
func descriptorLimit() int {
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil || limit.Cur > math.MaxInt32 {
		return math.MaxInt32
	}
	return int(limit.Cur)
}
