package changes

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"time"

	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/engine"
)

// Why there is no page.
var (
	// ErrGone says that the log no longer has what comes after the cursor, or never had the cursor.
	ErrGone = errors.New("the cursor is not of this log")
	// ErrAway says that the node does not have what comes after the cursor, and cannot find out.
	ErrAway = errors.New("the log cannot be read")
	// ErrBusy says that it could find out, if others did not ask as well.
	ErrBusy = errors.New("too many ask for what only the database has of the log")
)

// A Log is the change log in the database.
type Log interface {
	// ReadChanges finds what a query asks for. The error is ErrGone if the log does not have it.
	ReadChanges(ctx context.Context, q Query) (Batch, error)
	// EndsAfter lists the ends of the editions that end after an entry of the log, oldest first, up to
	// MaxEnds of them.
	EndsAfter(ctx context.Context, seq int64) ([]catalog.Cursor, error)
}

// An Asker is who asks: an account, or else an address.
type Asker struct {
	Account string // its id; "" for one that is known by the address alone
	Addr    netip.Addr
}

// Turns share the few connections to the database between those who ask, so that one of them keeps no other waiting.
type Turns interface {
	// Enter waits for a turn. Whoever got one calls leave when the database has answered. An error says that he waited
	// in vain.
	Enter(ctx context.Context, who Asker) (leave func(), err error)
}

// A Catalog is what a node serves.
type Catalog interface {
	Current() *catalog.Snapshot
	// Swapped gives a channel that is closed when another snapshot takes the place of the current one.
	Swapped() <-chan struct{}
}

// MaxEnds is by how many editions a node can be behind.
const MaxEnds = 1000

const (
	askTimeout = time.Second     // for the database
	behindFor  = 5 * time.Second // how long an edition is waited for that the database has
)

// A Reader reads what a snapshot alone cannot answer.
type Reader struct {
	catalog Catalog
	log     Log // nil where the snapshot has all there is
	ends    turns[[]catalog.Cursor]

	// Turns, when set, are taken before the database is asked for entries.
	Turns Turns
	// Answered, when set, is called with the outcome of each answer.
	Answered func(outcome string)
}

// The outcomes of answers.
const (
	waited   = "waited"   // for an edition, and then from memory
	database = "database" // what the node does not hold
	gone     = "gone"
	away     = "away"
	busy     = "busy"
)

// Outcomes lists them.
func Outcomes() []string { return []string{waited, database, gone, away, busy} }

// NewReader makes a reader. Without a log the snapshot has all there is.
func NewReader(c Catalog, log Log) *Reader {
	r := &Reader{catalog: c, log: log}
	r.ends.ask = func() ([]catalog.Cursor, error) {
		ctx, cancel := context.WithTimeout(context.Background(), askTimeout)
		defer cancel()
		return r.log.EndsAfter(ctx, r.catalog.Current().Cursor().Seq)
	}
	return r
}

// Read answers a query for a request that began with a snapshot. It may wait for the database.
func (r *Reader) Read(ctx context.Context, who Asker, s *catalog.Snapshot, q Query) (Page, error) {
	engine.Check(ctx)
	batch, outcome, err := r.read(ctx, who, s, q)
	switch {
	case err != nil && ctx.Err() != nil: // who asked has left: nothing is away
		return Page{}, context.Cause(ctx)
	case errors.Is(err, ErrGone):
		outcome = gone
	case errors.Is(err, ErrBusy):
		outcome = busy
	case err != nil:
		outcome, err = away, fmt.Errorf("%w: %w", ErrAway, err)
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
			return find(newest(s), q, s.Cursor()), waited, nil
		}
		return Batch{}, gone, ErrGone
	}
	for !q.Newest && q.Since.Seq > s.Cursor().Seq {
		if s, err = r.catchUp(ctx, q.Since); err != nil {
			return Batch{}, away, err
		}
		if b, held := inSnapshot(s, q); held {
			return b, waited, nil
		}
	}
	if r.Turns != nil {
		leave, err := r.Turns.Enter(ctx, who)
		if err != nil {
			return Batch{}, busy, fmt.Errorf("%w: %w", ErrBusy, err)
		}
		defer leave()
	}
	ctx, cancel := context.WithTimeout(ctx, askTimeout)
	defer cancel()
	b, err = r.log.ReadChanges(ctx, q)
	return b, database, err
}

// FromSnapshot answers from what a snapshot has of the log; held is false if that is not enough.
func FromSnapshot(s *catalog.Snapshot, q Query) (p Page, held bool) {
	b, held := inSnapshot(s, q)
	if !held {
		return Page{}, false
	}
	return newPage(b, q), true
}

func inSnapshot(s *catalog.Snapshot, q Query) (b Batch, held bool) {
	if q.Newest {
		entries := newest(s)
		b = find(entries, q, s.Cursor())
		return b, len(b.Entries) == q.Limit || len(entries) >= MaxLooked || s.HoldsLog()
	}
	entries, held := s.ChangesSince(q.Since)
	if !held {
		return b, false
	}
	return find(entries, q, s.Cursor()), true
}

// newest are all entries that a snapshot has.
func newest(s *catalog.Snapshot) []*catalog.LogEntry {
	entries, _ := s.ChangesSince(catalog.Cursor{Seq: s.Cursor().Seq - int64(s.LogLength())})
	return entries
}

// catchUp waits for a snapshot that has a cursor which is newer than the current one, if the database has it.
func (r *Reader) catchUp(ctx context.Context, c catalog.Cursor) (*catalog.Snapshot, error) {
	ends, err := r.ends.get(ctx)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, behindFor)
	defer cancel()
	known := len(ends) == MaxEnds // nobody knows
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
		case s.Cursor().Seq >= c.Seq: // whether it is the same history is looked at again
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
