package export

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/throttle"
)

// A Catalog gives the snapshot to make files of.
type Catalog interface {
	Current() *catalog.Snapshot
}

// A Keeper makes files when they are first asked for in an edition, one at a time, and keeps them. While it
// makes one, whoever asks gets that of the edition before: the cursor in it stays right. It is safe for
// concurrent use.
type Keeper struct {
	catalog Catalog
	stop    chan struct{}
	fail    func(File, error)
	most    int // bytes that are kept

	mu      sync.Mutex
	kept    map[File]*entry
	queue   []File // to be made, in the order in which they were asked for
	working bool   // a goroutine makes them
	stopped bool
	idle    sync.WaitGroup
	clock   int64 // counts uses
	stats   Stats
}

// An entry is a file, or one that is being made.
type entry struct {
	made   *Made // nil before the first, and once it was dropped
	used   int64
	making *attempt // nil when nothing was asked for
	failed *attempt // the last one, if it failed
}

// An attempt is a file that is being made, for all who wait for it.
type attempt struct {
	done    chan struct{} // closed once the rest is set
	made    *Made
	edition string // the ID
	err     error
}

// Stats tell what a Keeper does.
type Stats struct {
	Files, Bytes int // that are kept
	Waiting      int // to be made
	Made, Failed int64
	Seconds      float64 // that making took, pauses included
}

// NewKeeper makes a Keeper of a catalog. It reports what could not be made to fail.
func NewKeeper(c Catalog, fail func(File, error)) *Keeper {
	return &Keeper{catalog: c, fail: fail, stop: make(chan struct{}), kept: make(map[File]*entry), most: MaxKept}
}

// Get gives a file of the current edition, or that of an edition before while the current one is being made.
// It waits for the very first.
func (k *Keeper) Get(ctx context.Context, f File) (*Made, error) {
	made, making, err := k.ask(f)
	if made != nil || err != nil {
		return made, err
	}
	select {
	case <-making.done:
		return making.made, making.err
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// Peek gives what is kept of a file, and has nothing made; nil for nothing.
func (k *Keeper) Peek(f File) *Made {
	k.mu.Lock()
	defer k.mu.Unlock()
	if e := k.kept[f]; e != nil {
		return e.made
	}
	return nil
}

// Stats tell what the Keeper has done so far.
func (k *Keeper) Stats() Stats {
	k.mu.Lock()
	defer k.mu.Unlock()
	s := k.stats
	s.Waiting = len(k.queue)
	for _, e := range k.kept {
		if e.made != nil {
			s.Files++
			s.Bytes += len(e.made.Gzip)
		}
	}
	return s
}

// Close stops making files, and waits until none is being made.
func (k *Keeper) Close() error {
	k.mu.Lock()
	if !k.stopped {
		k.stopped = true
		close(k.stop)
	}
	k.mu.Unlock()
	k.idle.Wait()
	return nil
}

// ask finds a file, and has that of the current edition made where it is not the one. Without any, it gives the
// attempt to wait for.
func (k *Keeper) ask(f File) (*Made, *attempt, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	current := k.catalog.Current() // under the lock: no file is of a later edition
	edition := current.Edition()
	e := k.kept[f]
	if e == nil {
		e = new(entry)
		k.kept[f] = e
	}
	if e.made != nil && !follows(current, e.made) {
		e.made = nil
	}
	k.clock++
	e.used = k.clock
	switch {
	case e.made != nil && e.made.Edition.ID == edition.ID && e.made.Edition.Number == edition.Number:
		return e.made, nil, nil
	case e.failed != nil && e.failed.edition == edition.ID: // it would fail again
		if e.made == nil {
			return nil, nil, e.failed.err
		}
		return e.made, nil, nil
	case e.making == nil && k.stopped && e.made == nil:
		return nil, nil, errStopped
	case e.making == nil && !k.stopped:
		e.making = &attempt{done: make(chan struct{})}
		k.queue = append(k.queue, f)
		if !k.working {
			k.working = true
			k.idle.Go(k.work)
		}
	}
	return e.made, e.making, nil
}

// follows reports whether the changes since a file are in the log of a snapshot. They are not after a restore of the
// database: nobody could get from that file to what is served.
func follows(s *catalog.Snapshot, m *Made) bool {
	_, held := s.ChangesSince(m.Cursor)
	return held
}

// work makes what is in the queue, until it is empty.
func (k *Keeper) work() {
	for {
		k.mu.Lock()
		if len(k.queue) == 0 {
			k.working = false
			k.mu.Unlock()
			return
		}
		f := k.queue[0]
		k.queue = k.queue[1:]
		k.mu.Unlock()
		began, s := time.Now(), k.catalog.Current()
		made, err := k.try(f, s)
		k.done(f, s, made, err, time.Since(began))
	}
}

// try makes a file. A panic is an error: it must not end the process.
func (k *Keeper) try(f File, s *catalog.Snapshot) (made *Made, err error) {
	defer func() {
		if r := recover(); r != nil {
			made, err = nil, fmt.Errorf("panic: %v", r)
		}
	}()
	return compress(f, s, throttle.New(k.stop), k.stop, k.most)
}

// done keeps what was made, and tells those who wait for it.
func (k *Keeper) done(f File, s *catalog.Snapshot, made *Made, err error, took time.Duration) {
	if err != nil && err != errStopped { //nolint:errorlint // our own, as it is
		k.fail(f, err)
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	e := k.kept[f]
	k.stats.Seconds += took.Seconds()
	was := e.making
	was.made, was.edition, was.err = made, s.Edition().ID, err
	close(was.done)
	e.making, e.failed = nil, nil
	if err != nil {
		e.failed = was
		k.stats.Failed++
		return
	}
	e.made = made
	k.stats.Made++
	k.evict(f)
}

// evict drops the files that were asked for longest ago, but never the one that was just made, until the rest
// is small enough.
func (k *Keeper) evict(just File) {
	var held []File
	bytes := 0
	for f, e := range k.kept {
		if e.made != nil {
			held = append(held, f)
			bytes += len(e.made.Gzip)
		}
	}
	slices.SortFunc(held, func(a, b File) int { return int(k.kept[a].used - k.kept[b].used) })
	for _, f := range held {
		if bytes <= k.most {
			return
		}
		if f != just {
			bytes -= len(k.kept[f].made.Gzip)
			k.kept[f].made = nil
		}
	}
}
