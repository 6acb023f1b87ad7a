package live

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/palmares-hq/palmares/internal/catalog"
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

// maxRests is how long a snapshot may be made with rests. After that it is made as fast as can be: an
// edition is to be served two seconds after its commit, on a busy machine too.
const maxRests = time.Second

// Options say how a Node works. Open and Logger are required.
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
	// Prepare, when set, is shown each snapshot before it becomes the current one. It calls rest often,
	// so that it slows nobody who is served from the last one.
	Prepare func(s *catalog.Snapshot, rest func())
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

// A Node holds the snapshot that one process serves.
type Node struct {
	o        Options
	current  atomic.Pointer[catalog.Snapshot]
	copies   *copier // nil without a disk copy
	follower follower[Feed]
	limit    limit // of reading a delta
}

// New makes a node with nothing to serve yet; Run fills it.
func New(o Options) *Node {
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
	n := &Node{o: o, limit: newLimit(minFetch, maxFetch)}
	n.current.Store(catalog.Empty())
	n.follower = follower[Feed]{
		connect: n.connect, update: n.update, wait: n.wait, rest: sleep, log: n.log,
		patience: o.Patience, now: o.Now, feedErr: errStarting,
	}
	if o.File != "" {
		n.copies = newCopier(o.File, o.Logger)
		n.follower.load = n.loadCopy
	}
	return n
}

// Current is the snapshot to answer from. Before the first edition it is empty,
// with edition number 0.
func (n *Node) Current() *catalog.Snapshot { return n.current.Load() }

// Ready tells why the node cannot serve yet; nil when it can.
func (n *Node) Ready() error {
	settled, feedErr, copyErr := n.follower.state()
	switch {
	case n.Current().Edition().Number > 0 && settled:
		return nil
	case n.Current().Edition().Number > 0:
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
func (n *Node) Connected() error {
	_, feedErr, _ := n.follower.state()
	return feedErr
}

// CopyEdition is the edition that the disk copy holds; 0 while there is none.
func (n *Node) CopyEdition() int64 {
	if n.copies == nil {
		return 0
	}
	return n.copies.edition.Load()
}

// Run follows editions until ctx is done.
func (n *Node) Run(ctx context.Context) {
	if n.copies != nil {
		defer n.copies.close()
	}
	n.follower.run(ctx)
}

func (n *Node) connect(ctx context.Context) (Feed, error) {
	feed, err := n.o.Open(ctx)
	if err != nil {
		return nil, fmt.Errorf("opening the feed: %w", err)
	}
	return feed, nil
}

func (n *Node) wait(ctx context.Context, feed Feed) error {
	if err := feed.Wait(ctx, n.o.Poll); err != nil {
		return fmt.Errorf("waiting for an edition: %w", err)
	}
	return nil
}

func (n *Node) log(err error) {
	if err != nil {
		n.o.Logger.Warn("not following editions; what is loaded is served on", "error", err)
		return
	}
	n.o.Logger.Info("following editions", "edition", n.Current().Edition().Number)
}

// update fetches the current edition if the node does not have it. What counts is the edition's id:
// in a database that was restored from a backup, another edition may have the same number.
func (n *Node) update(ctx context.Context, feed Feed) error {
	asking, cancel := context.WithTimeout(ctx, readTimeout)
	latest, err := feed.Latest(asking)
	cancel()
	if err != nil {
		return fmt.Errorf("asking for the edition: %w", err)
	}
	have := n.Current().Edition()
	switch {
	case latest.Number == 0 && have.Number > 0:
		return fmt.Errorf("the database has no edition at all; edition %d is kept", have.Number)
	case latest.ID == have.ID:
		return nil
	}
	return n.fetch(ctx, feed, have)
}

// fetch reads what changed and swaps it in.
func (n *Node) fetch(ctx context.Context, feed Feed, have catalog.Edition) error {
	l := &n.limit
	if have.Number == 0 { // the whole catalog
		l = &limit{maxFetch, maxFetch, maxFetch}
	}
	started := n.o.Now()
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
	fetched := n.o.Now()
	resting, cancel := context.WithTimeout(ctx, maxRests)
	n.swap(delta, newPace(resting.Done()).rest)
	cancel()
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

// Swap makes the snapshot that the delta leads to the current one, without a rest.
func (n *Node) Swap(d catalog.Delta) { n.swap(d, noRest) }

func (n *Node) swap(d catalog.Delta, rest func()) {
	base := n.Current()
	if base.Edition().Number == 0 {
		rest = noRest // nobody is served yet
	}
	if d.From == 0 {
		base = catalog.Empty()
	}
	n.serve(base.ApplyPaced(d, rest), rest)
}

// serve makes a snapshot the current one, once everything is prepared for it.
func (n *Node) serve(s *catalog.Snapshot, rest func()) {
	if n.o.Prepare != nil {
		n.o.Prepare(s, rest)
	}
	n.current.Store(s)
}

// loadCopy starts the node from the disk copy.
func (n *Node) loadCopy() {
	started := n.o.Now()
	sweep(n.o.File, started)
	done := n.o.Loading()
	s, err := ReadCopy(n.o.File)
	done()
	switch {
	case err == nil:
		n.copies.edition.Store(s.Edition().Number)
		n.serve(s, noRest)
		n.o.Logger.Info("disk copy loaded",
			"edition", s.Edition().Number, "took_ms", n.o.Now().Sub(started).Milliseconds())
	case errors.Is(err, fs.ErrNotExist):
		n.o.Logger.Info("no disk copy yet", "file", n.o.File)
	case errors.Is(err, ErrOtherVersion):
		n.o.Logger.Warn("the disk copy is made anew: another version of the program wrote it", "file", n.o.File)
		n.follower.setCopyErr(err)
	default:
		n.o.Logger.Error("the disk copy cannot be used", "error", err)
		n.follower.setCopyErr(err)
	}
}
