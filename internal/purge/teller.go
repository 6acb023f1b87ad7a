package purge

import (
	"context"
	"log/slog"
	"sync"
	"time"
)

// A Store knows what has changed since a cache was last told.
type Store interface {
	// Tell has the cache told, if it is due, and notes that it was. A pass is due that long after an edition that it was not told of
	// was first seen. Nobody is told twice at once, whoever asks. The zero Change is that there was nothing to tell.
	Tell(ctx context.Context, cache string, pass int, after time.Duration, drop func(context.Context, Change) error) (Change, error)
	// Behind is how long ago the first edition was published that the cache was not told of in each pass so far; 0 for none.
	Behind(ctx context.Context, cache string, passes int) (time.Duration, error)
}

// Passes are how long after an edition a cache is told of it. A node may be 5 s behind, and what it answers meanwhile is
// of the edition before: the first pass comes after that. The second is for a node that was slower, and for what was on its way.
func Passes() []time.Duration { return []time.Duration{6 * time.Second, 30 * time.Second} }

// How often it is looked for editions, and how long after a failure at the most.
const (
	lookEvery  = time.Second
	maxBackOff = time.Minute
	longest    = time.Minute // that all its requests may take
)

// A Teller tells one cache of editions.
type Teller struct {
	Store  Store
	Cache  *Cache
	Passes []time.Duration
	Logger *slog.Logger

	mu  sync.Mutex
	err error // of the last attempt
}

// Err says why the cache cannot be told; nil when it can.
func (t *Teller) Err() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.err
}

// Run tells the cache of editions until ctx is done.
func (t *Teller) Run(ctx context.Context) {
	defer t.Cache.Close()
	pause := lookEvery
	for ctx.Err() == nil {
		err := t.look(ctx)
		if ctx.Err() != nil {
			return
		}
		if err == nil {
			pause = lookEvery
		} else {
			pause = min(2*pause, maxBackOff)
			t.Logger.Warn("the cache was not told what has changed: it is tried again", "error", err, "in", pause.String())
		}
		t.mu.Lock()
		t.err = err
		t.mu.Unlock()
		select {
		case <-ctx.Done():
		case <-time.After(pause):
		}
	}
}

// look tells the cache what is due.
func (t *Teller) look(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, longest)
	defer cancel()
	for pass, after := range t.Passes {
		change, err := t.Store.Tell(ctx, t.Cache.ID(), pass, after, t.Cache.Drop)
		if err != nil {
			return err
		}
		if change.Edition > 0 {
			t.Logger.Info("the cache dropped what has changed",
				"edition", change.Edition, "pass", pass+1, "tags", len(change.Tags), "everything", change.Everything)
		}
	}
	return nil
}
