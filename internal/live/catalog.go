package live

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/throttle"
)

// A Feed is a database connection that announces editions and reads them.
type Feed interface {
	// Latest returns the current edition, with number 0 if there is none.
	Latest(ctx context.Context) (catalog.Edition, error)
	// Since returns the changes after the given edition.
	Since(ctx context.Context, e catalog.Edition) (catalog.Delta, error)
	// Wait returns when an edition is announced, or after d.
	Wait(ctx context.Context, d time.Duration) error
	Close()
}

// The timeouts of reading a delta, at first and at most. Reading the whole catalog gets the longer
// one at once.
const (
	minFetch = 2 * time.Second
	maxFetch = time.Minute
)

// maxPauses is how long building a snapshot may pause for requests. After that it runs at full
// speed: an edition should be served two seconds after its commit, even on a busy machine.
const maxPauses = time.Second

// Options configure a Catalog. Open and Logger are required.
type Options struct {
	Open   func(ctx context.Context) (Feed, error) // connects to the database
	File   string                                  // the disk copy; "" keeps none
	Logger *slog.Logger
	Now    func() time.Time // time.Now when nil

	// Poll is the longest wait between two checks of the edition number, 2 s if 0.
	Poll time.Duration
	// Patience is how long a start with a disk copy to fall back on waits for the database, 1 s if
	// 0.
	Patience time.Duration
	// Prepare, if set, is called with each snapshot before it becomes the current one. It should
	// pause often, so as not to slow requests that are served from the last one.
	Prepare func(s *catalog.Snapshot, t *throttle.Throttle)
	// Swapped, if set, is called after each swap.
	Swapped func(Swap)
	// Loading, if set, is called before the disk copy is read, and the function that it returns is
	// called afterwards. Nearly everything allocated in between stays in memory.
	Loading func() (done func())
}

// A Swap describes a change of edition on this node.
type Swap struct {
	Edition catalog.Edition
	From    int64         // the number of the edition that the delta starts from; 0 for none
	Items   int           // in the delta
	Fetch   time.Duration // reading the delta
	Build   time.Duration // making the snapshot
}

// A Catalog holds the snapshot that one process serves.
type Catalog struct {
	o        Options
	current  atomic.Pointer[catalog.Snapshot]
	copies   *copier // nil without a disk copy
	follower follower[Feed]
	limit    adaptiveTimeout // of reading a delta

	swapping sync.Mutex
	swapped  chan struct{} // closed by the next swap; nil while nobody waits for it
}

// New returns a Catalog with an empty snapshot; Run loads the first one.
func New(o Options) *Catalog {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Poll == 0 {
		o.Poll = 2 * time.Second
	}
	if o.Patience == 0 {
		o.Patience = time.Second
	}
	if o.Loading == nil {
		o.Loading = func() func() { return func() {} }
	}
	c := &Catalog{o: o, limit: newAdaptiveTimeout(minFetch, maxFetch)}
	c.current.Store(catalog.Empty())
	c.follower = follower[Feed]{
		connect: c.connect, update: c.update, wait: c.wait, rest: sleep, log: c.log,
		patience: o.Patience, now: o.Now, feedErr: errStarting,
	}
	if o.File != "" {
		c.copies = newCopier(o.File, o.Logger, o.Now)
		c.follower.load = c.loadCopy
	}
	return c
}

// Current returns the snapshot to answer from. Before the first edition it is empty, with edition
// number 0.
func (c *Catalog) Current() *catalog.Snapshot { return c.current.Load() }

// Ready returns an error that says why the node cannot serve yet; nil if it can.
func (c *Catalog) Ready() error {
	settled, feedErr, copyErr := c.follower.state()
	switch {
	case c.Current().Edition().Number > 0 && settled:
		return nil
	case c.Current().Edition().Number > 0:
		return errors.New("starting: the disk copy is loaded, waiting for the database")
	case feedErr == nil:
		feedErr = errors.New("no catalog to serve: none has been published yet, run palmares publish")
	case errors.Is(feedErr, errStarting):
		feedErr = errors.New("starting: no catalog loaded yet")
	default:
		feedErr = fmt.Errorf("no catalog to serve: %w", feedErr)
	}
	return errors.Join(feedErr, copyErr)
}

// Connected returns an error that says why the node does not learn of new editions; nil if it does.
func (c *Catalog) Connected() error {
	_, feedErr, _ := c.follower.state()
	return feedErr
}

// Loading reports whether the node is about to have a catalog, or a newer one: it is reading its
// disk copy or the database, or making its first connection.
func (c *Catalog) Loading() bool { return c.follower.isLoading() }

// CopyEdition returns the number of the edition in the disk copy; 0 if there is none.
func (c *Catalog) CopyEdition() int64 {
	if c.copies == nil {
		return 0
	}
	return c.copies.edition.Load()
}

// CopyAge returns how long the disk copy has been older than the served snapshot; 0 if it is not.
func (c *Catalog) CopyAge() time.Duration {
	if c.copies == nil {
		return 0
	}
	return c.copies.age()
}

// Run follows editions until ctx is done.
func (c *Catalog) Run(ctx context.Context) {
	if c.copies != nil {
		defer c.copies.close()
	}
	c.follower.run(ctx)
}

func (c *Catalog) connect(ctx context.Context) (Feed, error) {
	feed, err := c.o.Open(ctx)
	if err != nil {
		return nil, fmt.Errorf("opening the feed: %w", err)
	}
	return feed, nil
}

func (c *Catalog) wait(ctx context.Context, feed Feed) error {
	if err := feed.Wait(ctx, c.o.Poll); err != nil {
		return fmt.Errorf("waiting for an edition: %w", err)
	}
	return nil
}

func (c *Catalog) log(err error) {
	if err != nil {
		c.o.Logger.Log(context.Background(), Level(err), "not following editions; what is loaded is served on", "error", err)
		return
	}
	c.o.Logger.Info("following editions", "edition", c.Current().Edition().Number)
}

// update fetches the current edition if the node does not have it. What counts is the edition's id:
// in a database that was restored from a backup, another edition may have the same number.
func (c *Catalog) update(ctx context.Context, feed Feed) error {
	asking, cancel := context.WithTimeout(ctx, readTimeout)
	latest, err := feed.Latest(asking)
	cancel()
	if err != nil {
		return fmt.Errorf("asking for the edition: %w", err)
	}
	have := c.Current().Edition()
	switch {
	case latest.Number == 0 && have.Number > 0:
		return fmt.Errorf("the database has no edition at all; edition %d is kept", have.Number)
	case latest.ID == have.ID:
		return nil
	}
	return c.fetch(ctx, feed, have)
}

// fetch reads what changed and swaps it in.
func (c *Catalog) fetch(ctx context.Context, feed Feed, have catalog.Edition) error {
	l := &c.limit
	if have.Number == 0 { // the whole catalog
		l = &adaptiveTimeout{maxFetch, maxFetch, maxFetch}
	}
	started := c.o.Now()
	var delta catalog.Delta
	err := l.read(ctx, func(ctx context.Context) (err error) {
		delta, err = feed.Since(ctx, have)
		return err
	})
	if err != nil {
		return fmt.Errorf("fetching the edition: %w", err)
	}
	if delta.Edition.Number == 0 { // emptied since it was asked for its edition
		return fmt.Errorf("the database has no edition any more; edition %d is kept", have.Number)
	}
	fetched := c.o.Now()
	pauses, cancel := context.WithTimeout(ctx, maxPauses)
	c.swap(delta, throttle.New(pauses.Done()))
	cancel()
	swap := Swap{
		Edition: delta.Edition,
		From:    delta.From,
		Items:   len(delta.Tools) + len(delta.Comparisons) + len(delta.Retired),
		Fetch:   fetched.Sub(started),
		Build:   c.o.Now().Sub(fetched),
	}
	c.o.Logger.Info("edition swapped in", "edition", swap.Edition.Number, "from", swap.From,
		"items", swap.Items, "fetch_ms", swap.Fetch.Milliseconds(), "build_ms", swap.Build.Milliseconds())
	if c.o.Swapped != nil {
		c.o.Swapped(swap)
	}
	if c.copies != nil {
		c.copies.save(c.Current())
	}
	return nil
}

// Swap applies a delta, without pauses, and makes the result the current snapshot.
func (c *Catalog) Swap(d catalog.Delta) { c.swap(d, nil) }

func (c *Catalog) swap(d catalog.Delta, t *throttle.Throttle) {
	base := c.Current()
	if base.Edition().Number == 0 {
		t = nil // nobody is served yet
	}
	if d.From == 0 {
		base = catalog.Empty()
	}
	c.serve(base.ApplyThrottled(d, t), t)
}

// serve makes a snapshot the current one, once everything is prepared for it.
func (c *Catalog) serve(s *catalog.Snapshot, t *throttle.Throttle) {
	if c.o.Prepare != nil {
		c.o.Prepare(s, t)
	}
	c.swapping.Lock()
	defer c.swapping.Unlock()
	c.current.Store(s)
	if c.swapped != nil {
		close(c.swapped)
		c.swapped = nil
	}
}

// Swapped returns a channel that is closed when another snapshot replaces the current one.
func (c *Catalog) Swapped() <-chan struct{} {
	c.swapping.Lock()
	defer c.swapping.Unlock()
	if c.swapped == nil {
		c.swapped = make(chan struct{})
	}
	return c.swapped
}

// loadCopy makes the disk copy the current snapshot. If it cannot be used, it logs why.
func (c *Catalog) loadCopy() {
	started := c.o.Now()
	sweep(c.o.File, started)
	done := c.o.Loading()
	s, err := ReadCopy(c.o.File)
	done()
	switch {
	case err == nil:
		c.copies.edition.Store(s.Edition().Number)
		c.serve(s, nil)
		c.o.Logger.Info("disk copy loaded",
			"edition", s.Edition().Number, "took_ms", c.o.Now().Sub(started).Milliseconds())
	case errors.Is(err, fs.ErrNotExist):
		c.o.Logger.Info("no disk copy yet", "file", c.o.File)
	case errors.Is(err, ErrOtherVersion):
		c.o.Logger.Warn("the disk copy is made anew: another version of the program wrote it", "file", c.o.File)
		c.follower.setCopyErr(err)
	default:
		c.o.Logger.Error("the disk copy cannot be used", "error", err)
		c.follower.setCopyErr(err)
	}
}
