package purge

import (
	"context"
	"log/slog"
	"sync"
	"time"
)

// A Store knows what has changed since each pass last told a cache.
type Store interface {
	// Tell calls drop with what has changed if the pass is due, and records that the cache was told. A pass is
	// due when the duration after has elapsed since its first unreported edition was first seen. Only one
	// caller at a time tells a cache in a pass. The zero Change means that there was nothing to tell.
	Tell(ctx context.Context, cache string, pass int, after time.Duration, drop func(context.Context, Change) error) (Change, error)
	// Behind returns the age of the oldest edition that some pass has not told the cache of; 0 for none.
	Behind(ctx context.Context, cache string, passes int) (time.Duration, error)
}

// Passes returns how long after an edition a cache is told of it, once per pass. A node may lag 5 s behind and
// meanwhile answers from the previous edition: the first pass comes after that. The second is for slower nodes
// and for responses that were in flight.
func Passes() []time.Duration { return []time.Duration{6 * time.Second, 30 * time.Second} }

// The interval between checks for editions, and the longest wait after a failure.
const (
	lookEvery  = time.Second
	maxBackOff = time.Minute
	longest    = time.Minute // for all requests of one check
)

// A Teller tells one cache what editions changed. Set its exported fields before Run.
type Teller struct {
	Store  Store
	Cache  *Cache
	Passes []time.Duration
	Logger *slog.Logger

	mu  sync.Mutex
	err error // result of the last attempt
}

// Err returns the error of the last attempt to tell the cache; nil if it succeeded or none was made yet.
func (t *Teller) Err() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.err
}

// Run tells the cache of editions until ctx is done, then closes it.
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

// look tells the cache whatever is due in each pass.
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
