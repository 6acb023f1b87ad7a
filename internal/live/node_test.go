package live_test

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/live"
	"github.com/palmares-hq/palmares/internal/postgres"
)

// A runningNode is a node that runs until the test ends, or until stop.
type runningNode struct {
	*live.Node
	stop func() // ends it and waits for the end

	mu    sync.Mutex
	swaps []seen
}

// seen is a swap and when it was over.
type seen struct {
	live.Swap
	at time.Time
}

func run(tb testing.TB, o live.Options) *runningNode {
	tb.Helper()
	n := &runningNode{}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	o.Swapped = func(s live.Swap) {
		n.mu.Lock()
		defer n.mu.Unlock()
		n.swaps = append(n.swaps, seen{s, time.Now()})
	}
	n.Node = live.New(o)
	ctx, cancel := context.WithCancel(context.Background())
	var wg sync.WaitGroup
	wg.Go(func() { n.Run(ctx) })
	n.stop = func() { cancel(); wg.Wait() }
	tb.Cleanup(n.stop)
	return n
}

func (n *runningNode) seen() []seen {
	n.mu.Lock()
	defer n.mu.Unlock()
	return append([]seen(nil), n.swaps...)
}

// last is the latest swap.
func (n *runningNode) last(tb testing.TB) live.Swap {
	tb.Helper()
	s := n.seen()
	if len(s) == 0 {
		tb.Fatal("the node has not swapped anything in")
	}
	return s[len(s)-1].Swap
}

func (n *runningNode) wantEdition(tb testing.TB, e catalog.Edition, within time.Duration) {
	tb.Helper()
	eventually(tb, within, func() error {
		if got := n.Current().Edition(); got.Number != e.Number || got.ID != e.ID {
			return fmt.Errorf("the node serves edition %d %s, want %d %s", got.Number, got.ID, e.Number, e.ID)
		}
		// The edition is served a little before the swap is told of.
		if s := n.seen(); len(s) > 0 && s[len(s)-1].Edition.ID != e.ID {
			return fmt.Errorf("the last swap was to %d %s", s[len(s)-1].Edition.Number, s[len(s)-1].Edition.ID)
		}
		return nil
	})
}

// feedOf opens feeds of the database.
func feedOf(db *postgres.DB) func(context.Context) (live.Feed, error) {
	return func(ctx context.Context) (live.Feed, error) {
		feed, err := db.Feed(ctx)
		if err != nil {
			return nil, err
		}
		return feed, nil
	}
}

// eventually waits until ok has nothing to say against it. A busy machine gets a minute:
// only the long form holds promises about time.
func eventually(tb testing.TB, within time.Duration, ok func() error) {
	tb.Helper()
	if !*long {
		within = max(within, time.Minute)
	}
	started := time.Now()
	for {
		err := ok()
		if err == nil {
			return
		}
		if time.Since(started) > within {
			tb.Fatalf("after %v: %v", within, err)
		}
		time.Sleep(5 * time.Millisecond)
	}
}

// says wants an error whose text holds every part.
func says(err error, parts ...string) error {
	if err == nil {
		return fmt.Errorf("no error, want one that says %q", parts)
	}
	for _, p := range parts {
		if !strings.Contains(err.Error(), p) {
			return fmt.Errorf("%q does not say %q", err, p) //nolint:errorlint // quoted
		}
	}
	return nil
}

// nowhere is a database that is not there: nothing listens on the port of discard.
func nowhere(tb testing.TB) func(context.Context) (live.Feed, error) {
	tb.Helper()
	db, err := postgres.Open(tb.Context(), "postgres://postgres@127.0.0.1:9/postgres?sslmode=disable", postgres.Options{})
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(db.Close)
	return feedOf(db)
}
