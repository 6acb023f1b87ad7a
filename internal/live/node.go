package live

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/palmares-hq/palmares/internal/catalog"
)

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
	// Prepare, when set, is shown each snapshot before it becomes the current one.
	Prepare func(*catalog.Snapshot)
	// Swapped, when set, is called after each swap.
	Swapped func(Swap)
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
	o       Options
	current atomic.Pointer[catalog.Snapshot]
	copies  *copier

	mu      sync.Mutex
	settled bool  // the start is over: caught up, or done waiting
	feed    error // why no editions are heard of
	copy    error // why the disk copy was of no use
}

// errStarting is the state of the feed until the first attempt has ended, well or
// not: neither a failure yet nor a sign that the database was ever read.
var errStarting = errors.New("not connected to the database yet")

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
	n := &Node{o: o, feed: errStarting}
	n.current.Store(catalog.Empty())
	if o.File != "" {
		n.copies = newCopier(o.File, o.Logger)
	}
	return n
}

// Current is the snapshot to answer from. Before the first edition it is empty,
// with edition number 0.
func (n *Node) Current() *catalog.Snapshot { return n.current.Load() }

// Ready tells why the node cannot serve yet; nil when it can.
func (n *Node) Ready() error {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.Current().Edition().Number > 0 {
		if n.settled {
			return nil
		}
		return errors.New("starting: the disk copy is loaded, waiting for the database")
	}
	var why []error
	switch {
	case n.feed == nil:
		why = append(why, errors.New("no catalog to serve: none has been published yet, run palmares publish"))
	case errors.Is(n.feed, errStarting):
		why = append(why, errors.New("starting: no catalog loaded yet"))
	default:
		why = append(why, fmt.Errorf("no catalog to serve: %w", n.feed))
	}
	if n.copy != nil {
		why = append(why, n.copy)
	}
	return errors.Join(why...)
}

// Connected tells why the node does not hear of new editions; nil when it does.
func (n *Node) Connected() error {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.feed
}

// CopyEdition is the edition that the disk copy holds; 0 while there is none.
func (n *Node) CopyEdition() int64 {
	if n.copies == nil {
		return 0
	}
	return n.copies.edition.Load()
}

func (n *Node) settle() {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.settled = true
}

// note keeps the state of the feed and logs it when it changes.
func (n *Node) note(err error) {
	n.mu.Lock()
	changed := (n.feed == nil) != (err == nil) || errors.Is(n.feed, errStarting)
	n.feed = err
	n.mu.Unlock()
	switch {
	case changed && err != nil:
		n.o.Logger.Warn("not following editions; what is loaded is served on", "error", err)
	case changed:
		n.o.Logger.Info("following editions", "edition", n.Current().Edition().Number)
	}
}
