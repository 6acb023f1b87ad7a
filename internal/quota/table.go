package quota

import (
	"hash/maphash"
	"sync"
)

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
