package quota

import (
	"hash/maphash"
	"sync"
	"sync/atomic"
)

// A count is this node's knowledge of one subject's counter.
type count struct {
	mu      sync.Mutex   // guards changes
	n       atomic.Int64 // the highest count known, from the shared counter or counted here
	own     int64        // what this node has let through; at most n
	limit   atomic.Int64
	reset   int64       // Unix seconds
	evicted atomic.Bool // it is no longer in the table
}

// add counts one request on this node and returns the new count. Requests over the limit are not
// counted.
func (c *count) add(limit int) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	n := int(c.n.Load()) + 1
	if n <= limit {
		c.n.Store(int64(n))
		c.own++
	}
	return n
}

// reconcile applies the count that the shared counter returned for a charge, and returns the one
// that decides. That is the shared count, unless this node alone has let more through: then the
// counter missed charges during an outage, and the node continues from its own number. So no node
// ever lets through more than the limit.
func (c *count) reconcile(n, limit int) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	// Replies arrive in any order. As long as the counter misses nothing, a node that has had k
	// replies has seen a count of at least k.
	known, own := int(c.n.Load()), int(c.own)+1
	if own > min(max(known, n), limit) {
		n = max(n, own)
	}
	if n <= limit {
		c.own = int64(own)
	}
	c.n.Store(int64(max(known, n)))
	return n
}

// A table holds this node's counts of the day. It is bounded: when a shard is full it evicts,
// preferring counts that are below their limit, so that a caller who is over quota cannot hide
// among many others.
type table struct {
	seed   maphash.Seed
	shards [64]shard
}

type shard struct {
	mu     sync.Mutex
	counts map[string]*count
	max    int
}

func newTable(size int) *table {
	t := &table{seed: maphash.MakeSeed()}
	for i := range t.shards {
		t.shards[i].counts = make(map[string]*count)
		t.shards[i].max = max(size/len(t.shards), 1)
	}
	return t
}

func (t *table) shard(key string) *shard {
	return &t.shards[maphash.String(t.seed, key)%uint64(len(t.shards))]
}

// find returns the subject's count, or nil. Cached subjects point at it, which saves the look-up.
func (t *table) find(s Subject) *count {
	if s.count != nil {
		if c := s.count.Load(); c != nil && !c.evicted.Load() {
			return c
		}
	}
	sh := t.shard(s.key)
	sh.mu.Lock()
	c := sh.counts[s.key]
	sh.mu.Unlock()
	if c != nil && s.count != nil {
		s.count.Store(c)
	}
	return c
}

// findOrCreate returns the subject's count, creating it if there is none.
func (t *table) findOrCreate(s Subject, limit int) *count {
	c := t.find(s)
	if c == nil {
		sh := t.shard(s.key)
		sh.mu.Lock()
		if c = sh.counts[s.key]; c == nil {
			if len(sh.counts) >= sh.max {
				sh.evict(s.reset.Unix())
			}
			c = &count{reset: s.reset.Unix()}
			c.limit.Store(int64(limit))
			sh.counts[s.key] = c
		}
		sh.mu.Unlock()
		if s.count != nil {
			s.count.Store(c)
		}
	}
	if c.limit.Load() != int64(limit) { // the plan has changed
		c.limit.Store(int64(limit))
	}
	return c
}

// get returns the subject's count and whether there is one.
func (t *table) get(s Subject) (n int, known bool) {
	c := t.find(s)
	if c == nil {
		return 0, false
	}
	return int(c.n.Load()), true
}

func (t *table) reconcile(s Subject, n, limit int) int {
	return t.findOrCreate(s, limit).reconcile(n, limit)
}

func (t *table) add(s Subject, limit int) int { return t.findOrCreate(s, limit).add(limit) }

// evict removes one count: one of an earlier day if it finds any among a few, else a random one,
// preferably below its limit.
func (sh *shard) evict(today int64) {
	const sample = 16
	seen, victim := 0, ""
	for key, c := range sh.counts {
		if c.reset < today {
			victim = key
			break
		}
		if victim == "" || c.n.Load() < c.limit.Load() {
			victim = key
		}
		if seen++; seen == sample {
			break
		}
	}
	sh.counts[victim].evicted.Store(true)
	delete(sh.counts, victim)
}

func (t *table) len() (n int) {
	for i := range t.shards {
		t.shards[i].mu.Lock()
		n += len(t.shards[i].counts)
		t.shards[i].mu.Unlock()
	}
	return n
}
