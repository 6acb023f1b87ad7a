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

// A Feed is one connection that announces editions and hands them out.
type Feed interface {
	// Latest is the current edition.
	Latest(ctx context.Context) (catalog.Edition, error)
	// Since is what changed after the given edition.
	Since(ctx context.Context, e catalog.Edition) (catalog.Delta, error)
	// Wait returns when an edition is announced, or after d.
	Wait(ctx context.Context, d time.Duration) error
	Close()
}

// How long reading a delta may take. Reading the whole catalog gets the most at once.
const (
	minFetch = 2 * time.Second
	maxFetch = time.Minute
)

// maxPauses is how long a snapshot may be made with pauses. After that it is made as fast as can be: an
// edition is to be served two seconds after its commit, on a busy machine too.
const maxPauses = time.Second

// Options say how a Catalog works. Open and Logger are required.
type Options struct {
	Open   func(ctx context.Context) (Feed, error) // connects to the database
	File   string                                  // the disk copy; "" keeps none
	Logger *slog.Logger
	Now    func() time.Time // time.Now when nil

	// Poll is the longest wait between two looks at the edition number, 2 s when 0.
	Poll time.Duration
	// Patience is how long a start waits for the database when it has a disk copy
	// to fall back on, 1 s when 0.
	Patience time.Duration
	// Prepare, when set, is shown each snapshot before it becomes the current one. It pauses often,
	// so that it slows nobody who is served from the last one.
	Prepare func(s *catalog.Snapshot, t *throttle.Throttle)
	// Swapped, when set, is called after each swap.
	Swapped func(Swap)
	// Loading, when set, is called before the disk copy is read, and what it returns afterwards. Nearly
	// all that is allocated meanwhile stays.
	Loading func() (done func())
}

// A Swap tells of a change of edition on this node.
type Swap struct {
	Edition catalog.Edition
	From    int64         // the edition number that was fetched from; 0 is from nothing
	Items   int           // that the delta carried
	Fetch   time.Duration // reading the delta
	Build   time.Duration // making the snapshot
}

// A Catalog holds the snapshot that one process serves.
type Catalog struct {
	o        Options
	current  atomic.Pointer[catalog.Snapshot]
	copies   *copier // nil without a disk copy
	follower follower[Feed]
	limit    limit // of reading a delta

	swapping sync.Mutex
	swapped  chan struct{} // closed by the next swap; nil while nobody waits for it
}

// New makes a node with nothing to serve yet; Run fills it.
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
	c := &Catalog{o: o, limit: newLimit(minFetch, maxFetch)}
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

// Current is the snapshot to answer from. Before the first edition it is empty,
// with edition number 0.
func (c *Catalog) Current() *catalog.Snapshot { return c.current.Load() }

// Ready tells why the node cannot serve yet; nil when it can.
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

// Connected tells why the node does not hear of new editions; nil when it does.
func (c *Catalog) Connected() error {
	_, feedErr, _ := c.follower.state()
	return feedErr
}

// Loading tells whether the node is about to have a catalog, or another one: it reads its disk copy or the database, or makes its
// first connection.
func (c *Catalog) Loading() bool { return c.follower.isLoading() }

// CopyEdition is the edition that the disk copy holds; 0 while there is none.
func (c *Catalog) CopyEdition() int64 {
	if c.copies == nil {
		return 0
	}
	return c.copies.edition.Load()
}

// CopyAge is for how long the disk copy has been behind what is served; 0 while it is not.
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
		l = &limit{maxFetch, maxFetch, maxFetch}
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

// Swap makes the snapshot that the delta leads to the current one, without a pause.
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

// Swapped gives a channel that is closed when another snapshot takes the place of the current one.
func (c *Catalog) Swapped() <-chan struct{} {
	c.swapping.Lock()
	defer c.swapping.Unlock()
	if c.swapped == nil {
		c.swapped = make(chan struct{})
	}
	return c.swapped
}

// loadCopy starts the node from the disk copy.
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
