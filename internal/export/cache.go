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

// A Catalog returns the snapshot to make files of.
type Catalog interface {
	Current() *catalog.Snapshot
}

// A Cache makes each file on its first request in an edition, one file at a time, and keeps it.
// While it makes one, callers get the file of an earlier edition, whose cursor is still valid. It
// is safe for concurrent use.
type Cache struct {
	catalog Catalog
	stop    chan struct{}
	fail    func(File, error)
	most    int // bytes

	mu      sync.Mutex
	kept    map[File]*entry
	queue   []File // to be made, in the order in which they were asked for
	working bool   // a goroutine is making them
	stopped bool
	idle    sync.WaitGroup
	clock   int64 // counts uses
	stats   Stats
}

// An entry is the state of one file in the cache.
type entry struct {
	made   *Artifact // nil until one is made, and after it is dropped
	used   int64
	making *attempt // nil if none is under way
	failed *attempt // the last one, if it failed
}

// An attempt is a file being made, shared by all callers that wait for it.
type attempt struct {
	done    chan struct{} // closed once the rest is set
	made    *Artifact
	edition string // the ID
	err     error
}

// Stats are counters of a Cache.
type Stats struct {
	Files, Bytes int // cached
	Waiting      int // queued
	Made, Failed int64
	Seconds      float64 // spent making files, pauses included
}

// NewCache returns a cache of a catalog's files. It calls fail with every file that it cannot make.
func NewCache(c Catalog, fail func(File, error)) *Cache {
	return &Cache{catalog: c, fail: fail, stop: make(chan struct{}), kept: make(map[File]*entry), most: MaxCached}
}

// Get returns a file of the current edition, or of an earlier one while that of the current one is
// being made or if making it failed. It waits only if it has no earlier one.
func (k *Cache) Get(ctx context.Context, f File) (*Artifact, error) {
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

// Peek returns the cached file of any edition, or nil, without making one.
func (k *Cache) Peek(f File) *Artifact {
	k.mu.Lock()
	defer k.mu.Unlock()
	if e := k.kept[f]; e != nil {
		return e.made
	}
	return nil
}

// Stats returns the counters.
func (k *Cache) Stats() Stats {
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

// Close stops making files, and waits for the one being made.
func (k *Cache) Close() error {
	k.mu.Lock()
	if !k.stopped {
		k.stopped = true
		close(k.stop)
	}
	k.mu.Unlock()
	k.idle.Wait()
	return nil
}

// ask returns the cached file, and queues the current edition's unless that is the cached one, is
// being made or has failed. Without a cached file it returns the attempt to wait for.
func (k *Cache) ask(f File) (*Artifact, *attempt, error) {
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

// follows reports whether a snapshot's log has the changes since a file. After a restore of the
// database it does not, and clients could not follow the changes from that file on.
func follows(s *catalog.Snapshot, m *Artifact) bool {
	_, held := s.ChangesSince(m.Cursor)
	return held
}

// work makes the files of the queue until it is empty.
func (k *Cache) work() {
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

// try makes a file. It turns a panic into an error, so that the process survives.
func (k *Cache) try(f File, s *catalog.Snapshot) (made *Artifact, err error) {
	defer func() {
		if r := recover(); r != nil {
			made, err = nil, fmt.Errorf("panic: %v", r)
		}
	}()
	return compress(f, s, throttle.New(k.stop), k.stop, k.most)
}

// done ends an attempt: it stores the file or the error, and wakes the callers that wait.
func (k *Cache) done(f File, s *catalog.Snapshot, made *Artifact, err error, took time.Duration) {
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

// evict drops the least recently requested files, but never the one just made, until the rest fits.
func (k *Cache) evict(just File) {
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
