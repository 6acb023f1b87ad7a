// Package changes reads the change log for clients that keep a copy of the catalog: page by page, after
// a cursor, filtered. A node answers from the part of the log that its snapshot has, and asks the
// database for the rest.
//
// Only the database can tell that a cursor is too old or not of its history: a node that is behind,
// or that still serves the state before a restore, knows less than the client. So while the database
// is unavailable, no client is told to start again.
//
// Begin with Reader.Read.
package changes

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"sync"
	"time"

	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/engine"
)

// The errors of Reader.Read.
var (
	// ErrGone means that the log no longer has the entries after the cursor, or never had the
	// cursor.
	ErrGone = errors.New("the cursor is not of this log")
	// ErrUnavailable means that the node lacks the entries after the cursor and cannot ask the
	// database.
	ErrUnavailable = errors.New("the log cannot be read")
	// ErrBusy means that too many other queries wait for the database.
	ErrBusy = errors.New("too many ask for what only the database has of the log")
)

// A Log is the change log in the database.
type Log interface {
	// ReadChanges answers a query. The error is ErrGone if the log does not have the entries.
	ReadChanges(ctx context.Context, q Query) (Batch, error)
	// EndsAfter returns the last entries of the editions that end after an entry of the log, oldest
	// first, at most MaxEnds.
	EndsAfter(ctx context.Context, seq int64) ([]catalog.Cursor, error)
}

// An Asker is the client that sends a query: an account, or else an address.
type Asker struct {
	Account string // its id; "" if only the address is known
	Addr    netip.Addr
}

// A Queue shares the few connections to the database among clients, so that none keeps the others
// waiting.
type Queue interface {
	// Enter waits for a connection. The caller must call leave once the database has answered. An
	// error means that there was none in time.
	Enter(ctx context.Context, who Asker) (leave func(), err error)
}

// A Catalog has the snapshot that a node serves.
type Catalog interface {
	Current() *catalog.Snapshot
	// Swapped returns a channel that is closed when another snapshot replaces the current one.
	Swapped() <-chan struct{}
}

// MaxEnds is the largest number of editions that a node may be behind.
const MaxEnds = 1000

const (
	askTimeout = time.Second     // for the database
	behindFor  = 5 * time.Second // how long to wait for an edition that the database has
)

// A Reader answers queries that a snapshot alone cannot answer.
type Reader struct {
	catalog Catalog
	log     Log // nil if the snapshot has the whole log
	ends    coalescer[[]catalog.Cursor]

	// Queue, if set, is entered before the database is asked for entries.
	Queue Queue
	// Answered, if set, is called with the outcome of each answer.
	Answered func(outcome string)
}

// The outcomes of answers.
const (
	waited      = "waited"   // for an edition, and then from memory
	database    = "database" // for entries that the node does not have
	gone        = "gone"
	unavailable = "away"
	busy        = "busy"
)

// Outcomes lists the outcomes that Answered is called with.
func Outcomes() []string { return []string{waited, database, gone, unavailable, busy} }

// NewReader returns a reader. If log is nil, the snapshot has the whole log.
func NewReader(c Catalog, log Log) *Reader {
	r := &Reader{catalog: c, log: log}
	r.ends.ask = func() ([]catalog.Cursor, error) {
		ctx, cancel := context.WithTimeout(context.Background(), askTimeout)
		defer cancel()
		return r.log.EndsAfter(ctx, r.catalog.Current().Cursor().Seq)
	}
	return r
}

// Read answers a query. s is the snapshot that its request began with. Read may wait for the
// database. The error is ErrGone, ErrUnavailable or ErrBusy, or the cause if ctx is done.
func (r *Reader) Read(ctx context.Context, who Asker, s *catalog.Snapshot, q Query) (Page, error) {
	engine.Check(ctx)
	batch, outcome, err := r.read(ctx, who, s, q)
	switch {
	case err != nil && ctx.Err() != nil: // the client has left: the database may be fine
		return Page{}, context.Cause(ctx)
	case errors.Is(err, ErrGone):
		outcome = gone
	case errors.Is(err, ErrBusy):
		outcome = busy
	case err != nil:
		outcome, err = unavailable, fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	if r.Answered != nil {
		r.Answered(outcome)
	}
	if err != nil {
		return Page{}, err
	}
	return newPage(batch, q), nil
}

func (r *Reader) read(ctx context.Context, who Asker, s *catalog.Snapshot, q Query) (b Batch, outcome string, err error) {
	if b, held := inSnapshot(s, q); held {
		return b, waited, nil
	}
	if r.log == nil {
		if q.Newest {
			q.Filter = q.Filter.withRenames(s)
			return find(newest(s), q, s.Cursor()), waited, nil
		}
		return Batch{}, gone, ErrGone
	}
	for !q.Newest && q.Since.Seq > s.Cursor().Seq {
		if s, err = r.catchUp(ctx, q.Since); err != nil {
			return Batch{}, unavailable, err
		}
		if b, held := inSnapshot(s, q); held {
			return b, waited, nil
		}
	}
	if r.Queue != nil {
		leave, err := r.Queue.Enter(ctx, who)
		if err != nil {
			return Batch{}, busy, fmt.Errorf("%w: %w", ErrBusy, err)
		}
		defer leave()
	}
	ctx, cancel := context.WithTimeout(ctx, askTimeout)
	defer cancel()
	if len(q.Filter.Slugs) > 0 {
		q.Until = s.Cursor().Seq // s does not know the slugs of later renames
	}
	q.Filter = q.Filter.withRenames(s)
	b, err = r.log.ReadChanges(ctx, q)
	return b, database, err
}

// FromSnapshot answers a query from a snapshot alone; held is false if its part of the log does not
// suffice.
func FromSnapshot(s *catalog.Snapshot, q Query) (p Page, held bool) {
	b, held := inSnapshot(s, q)
	if !held {
		return Page{}, false
	}
	return newPage(b, q), true
}

func inSnapshot(s *catalog.Snapshot, q Query) (b Batch, held bool) {
	q.Filter = q.Filter.withRenames(s)
	if q.Newest {
		entries := newest(s)
		b = find(entries, q, s.Cursor())
		return b, len(b.Entries) == q.Limit || len(entries) >= MaxScanned || s.HoldsLog()
	}
	var begins time.Time
	if !q.From.IsZero() {
		if q.Since, held = s.CursorBefore(q.From); !held {
			return b, false
		}
		begins = beginning(s, q)
	}
	entries, held := s.ChangesSince(q.Since)
	if !held {
		return b, false
	}
	b = find(entries, q, s.Cursor())
	b.Since, b.Begins = q.Since, begins
	return b, true
}

// beginning returns when the log begins, if that is later than where a query begins; else the zero time.
func beginning(s *catalog.Snapshot, q Query) (t time.Time) {
	if entries, held := s.ChangesSince(catalog.Cursor{}); held && len(entries) > 0 && entries[0].At.After(q.From) {
		t = entries[0].At
	}
	return t
}

// newest returns all entries that a snapshot has.
func newest(s *catalog.Snapshot) []*catalog.LogEntry {
	entries, _ := s.ChangesSince(catalog.Cursor{Seq: s.Cursor().Seq - int64(s.LogLength())})
	return entries
}

// catchUp waits for a snapshot that has reached the cursor, and returns it. The error is ErrGone if
// the database does not have the cursor.
func (r *Reader) catchUp(ctx context.Context, c catalog.Cursor) (*catalog.Snapshot, error) {
	ends, err := r.ends.get(ctx)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, behindFor)
	defer cancel()
	known := len(ends) == MaxEnds // too many to tell: assume it
	for _, end := range ends {
		if end.Seq >= c.Seq { // the edition that the entry is of
			known = c.Edition == "" || end.Edition == c.Edition
			break
		}
	}
	for {
		swapped := r.catalog.Swapped()
		s := r.catalog.Current()
		switch {
		case s.Cursor().Seq >= c.Seq: // the caller checks that it is the same history
			return s, nil
		case !known:
			return nil, ErrGone
		}
		select {
		case <-swapped:
		case <-ctx.Done():
			return nil, errors.New("this node does not have the edition yet")
		}
	}
}

// A coalescer merges concurrent look-ups. A caller that arrives during one waits for the next: the
// running one may be too old to see its edition.
type coalescer[T any] struct {
	ask func() (T, error) // must return in limited time

	mu   sync.Mutex
	busy bool
	next *lookup[T]
}

type lookup[T any] struct {
	done  chan struct{}
	value T
	err   error
}

// get returns the result of a look-up that began after the call.
func (t *coalescer[T]) get(ctx context.Context) (T, error) {
	t.mu.Lock()
	if t.next == nil {
		t.next = &lookup[T]{done: make(chan struct{})}
	}
	mine := t.next
	if !t.busy {
		t.busy = true
		go t.run()
	}
	t.mu.Unlock()
	select {
	case <-mine.done:
		return mine.value, mine.err
	case <-ctx.Done():
		var none T
		return none, ctx.Err()
	}
}

// run looks up until no caller waits.
func (t *coalescer[T]) run() {
	for {
		t.mu.Lock()
		now := t.next
		t.next = nil
		t.busy = now != nil
		t.mu.Unlock()
		if now == nil {
			return
		}
		now.value, now.err = t.ask()
		close(now.done)
	}
}
