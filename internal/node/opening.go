package node

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// How long a node that has nothing to load keeps its public address closed, and how often it looks whether it may open it.
const (
	openAfter = 10 * time.Second
	openEvery = 20 * time.Millisecond
)

// errNotOpen is why a node is not ready between the moment in which it could answer and the one in which it does.
var errNotOpen = errors.New("starting: the public address opens in a moment")

// open opens the public address as soon as the node can answer. Until then connections are refused, and a load balancer
// asks another node; a 503 it would hand to the client.
//
// While something loads it waits. With nothing to load it opens after a while all the same: clients then read what is wrong in words,
// and what needs no catalog works.
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
			n.opened.Store(true)
			return nil
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-ticks.C:
		}
	}
}

// orNotOpen lets a node be ready no sooner than it listens.
func (n *Node) orNotOpen(ready func() error) func() error {
	return func() error {
		if err := ready(); err != nil || n.opened.Load() {
			return err
		}
		return errNotOpen
	}
}

// isLoading tells whether what requests need is being read.
func (b *builder) isLoading() bool {
	for _, loading := range b.loading {
		if loading() {
			return true
		}
	}
	return false
}

// notifyEvery is how often a node looks whether there is something to tell the service manager, and extension by how much one that loads puts off
// the end of its patience each time.
const (
	notifyEvery = time.Second
	extension   = 30 * time.Second
)

// keepTold tells what is missing whenever that changes, that the node has opened, and while something loads that it takes longer.
func (n *Node) keepTold(ctx context.Context) {
	if n.notify.socket == "" {
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
		if status := statusLine(n.missing()); status != told {
			told = status
			lines = append(lines, "STATUS="+status)
		}
		if len(lines) > 0 {
			if err := n.notify.tell(lines...); err != nil && !failed {
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
