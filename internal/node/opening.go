package node

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/palmares-hq/palmares/internal/systemd"
)

// How long a node with nothing to load keeps its public address closed, and how often it checks whether it may open
// it.
const (
	openAfter = 10 * time.Second
	openEvery = 20 * time.Millisecond
)

// errNotOpen is why a node that could answer is not ready yet: its address is not open.
var errNotOpen = errors.New("starting: the public address opens in a moment")

// open opens the public address as soon as the node can answer. Until then connections are refused, and a load
// balancer tries another node; it would pass a 503 to the client.
//
// It waits while something is loading. With nothing to load it opens after openAfter even if the node is not ready:
// clients then get an error message, and requests that need no catalog work.
func (n *Node) open(ctx context.Context, ready func() error) error {
	began := time.Now()
	ticks := time.NewTicker(openEvery)
	defer ticks.Stop()
	for {
		lacks := ready()
		if lacks == nil || time.Since(began) >= n.b.openAfter && !n.b.isLoading() {
			if err := n.b.public.Open(); err != nil {
				return err
			}
			if lacks != nil {
				n.b.logger.Warn("answering without being ready: there was nothing to load", "lacks", lacks)
			}
			return nil
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-ticks.C:
		}
	}
}

// orNotOpen returns a check that is ready, and errNotOpen while ready holds but the address is not open.
func (n *Node) orNotOpen(ready func() error) func() error {
	return func() error {
		if err := ready(); err != nil || n.opened.Load() {
			return err
		}
		return errNotOpen
	}
}

// isLoading reports whether something that requests need is still loading.
func (b *builder) isLoading() bool {
	for _, loading := range b.loading {
		if loading() {
			return true
		}
	}
	return false
}

// notifyEvery is how often an open node checks whether to notify the service manager. extension is how much more
// time to start a loading node requests each time.
const (
	notifyEvery = time.Second
	extension   = 30 * time.Second
)

// notifyManager keeps the service manager informed until ctx is done: when the node has opened, when what it lacks changes,
// and while it is loading, that it needs more time to start.
func (n *Node) notifyManager(ctx context.Context) {
	if !n.notify.Listens() {
		return
	}
	told, open, failed := "", false, false
	var extended time.Time
	for {
		var lines []string
		if !open && n.opened.Load() {
			open = true
			lines = append(lines, "READY=1")
		}
		if !open && n.b.isLoading() && time.Since(extended) >= notifyEvery {
			extended = time.Now()
			lines = append(lines, fmt.Sprintf("EXTEND_TIMEOUT_USEC=%d", extension.Microseconds()))
		}
		if status := systemd.Status(n.missing(), "serving"); status != told {
			told = status
			lines = append(lines, status)
		}
		if len(lines) > 0 {
			if err := n.notify.Tell(lines...); err != nil && !failed {
				failed = true
				n.b.logger.Warn("the service manager cannot be told how the node is", "error", err)
			}
		}
		wait := notifyEvery
		if !open {
			wait = openEvery
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(wait):
		}
	}
}
