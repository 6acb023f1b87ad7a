package live

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/palmares-hq/palmares/internal/catalog"
)

// A Feed is one connection that announces editions and hands them out.
type Feed interface {
	// Latest is the current edition.
	Latest(ctx context.Context) (catalog.Edition, error)
	// Since is what changed after the given edition.
	Since(ctx context.Context, e catalog.Edition) (catalog.Delta, error)
	// Wait returns when something is announced, or after d.
	Wait(ctx context.Context, d time.Duration) error
	Close()
}

// The time that a healthy database needs at most. Beyond it the connection counts
// as dead and is made anew: a frozen backend never says that it is.
const (
	connectTimeout = 2 * time.Second
	readTimeout    = time.Second
	minFetch       = 2 * time.Second
	maxFetch       = time.Minute
)

// Pauses between two attempts to connect.
const (
	minPause = 10 * time.Millisecond
	maxPause = time.Second
)

// Run follows editions until ctx is done. It first loads the disk copy, if there
// is one, so that the node can serve without the database.
func (n *Node) Run(ctx context.Context) {
	patience := time.AfterFunc(n.o.Patience, n.settle)
	defer patience.Stop()
	if n.copies != nil {
		n.loadCopy()
		defer n.copies.close()
	}

	pause, fetch := minPause, minFetch
	for ctx.Err() == nil {
		started := n.o.Now()
		err := n.follow(ctx, &fetch)
		if ctx.Err() != nil {
			break
		}
		n.note(err)
		n.settle() // no use in waiting for a database that has said no
		if n.o.Now().Sub(started) > maxPause {
			pause = minPause // it had worked for a while
		}
		select {
		case <-ctx.Done():
		case <-time.After(pause):
		}
		pause = min(2*pause, maxPause)
	}
}

// follow works on one connection until it fails.
func (n *Node) follow(ctx context.Context, fetch *time.Duration) error {
	connecting, cancel := context.WithTimeout(ctx, connectTimeout)
	feed, err := n.o.Open(connecting)
	cancel()
	if err != nil {
		return fmt.Errorf("opening the feed: %w", err)
	}
	defer feed.Close()

	for {
		reading, cancel := context.WithTimeout(ctx, readTimeout)
		latest, err := feed.Latest(reading)
		cancel()
		if err != nil {
			return fmt.Errorf("asking for the edition: %w", err)
		}
		have := n.Current().Edition()
		if latest.Number == 0 && have.Number > 0 {
			return fmt.Errorf("the database has no edition at all; edition %d is kept", have.Number)
		}
		if latest.ID != have.ID {
			err := n.fetch(ctx, feed, have, fetch)
			if err != nil {
				return err
			}
		}
		n.note(nil)
		n.settle()
		if err := feed.Wait(ctx, n.o.Poll); err != nil {
			return fmt.Errorf("waiting for an edition: %w", err)
		}
	}
}

// fetch reads what changed and swaps it in. A fetch that was cut off for being
// slow gets twice the time on the next connection: it may just be large.
func (n *Node) fetch(ctx context.Context, feed Feed, have catalog.Edition, limit *time.Duration) error {
	timeout := *limit
	if have.Number == 0 {
		timeout = maxFetch // the whole catalog
	}
	fetching, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	started := n.o.Now()
	delta, err := feed.Since(fetching, have)
	if errors.Is(err, context.DeadlineExceeded) {
		*limit = min(2**limit, maxFetch)
	}
	if err != nil {
		return fmt.Errorf("fetching the edition: %w", err)
	}
	*limit = minFetch
	if delta.Edition.Number == 0 { // emptied since it was asked for its edition
		return fmt.Errorf("the database has no edition any more; edition %d is kept", have.Number)
	}
	fetched := n.o.Now()
	n.Swap(delta)
	swap := Swap{
		Edition: delta.Edition,
		From:    delta.From,
		Items:   len(delta.Tools) + len(delta.Comparisons) + len(delta.Retired),
		Fetch:   fetched.Sub(started),
		Build:   n.o.Now().Sub(fetched),
	}
	n.o.Logger.Info("edition swapped in", "edition", swap.Edition.Number, "from", swap.From,
		"items", swap.Items, "fetch_ms", swap.Fetch.Milliseconds(), "build_ms", swap.Build.Milliseconds())
	if n.o.Swapped != nil {
		n.o.Swapped(swap)
	}
	if n.copies != nil {
		n.copies.save(n.Current())
	}
	return nil
}

// Swap makes the snapshot that the delta leads to the current one.
func (n *Node) Swap(d catalog.Delta) {
	base := n.Current()
	if d.From == 0 {
		base = catalog.Empty()
	}
	n.serve(base.Apply(d))
}

// serve makes a snapshot the current one, once all is ready for it.
func (n *Node) serve(s *catalog.Snapshot) {
	if n.o.Prepare != nil {
		n.o.Prepare(s)
	}
	n.current.Store(s)
}
