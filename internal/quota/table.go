package quota

import (
	"hash/maphash"
	"sync"
	"sync/atomic"
)

// A table is a node's own memory of today's counts. It is bounded: when a shard is
// full, a count that is not used up makes room, so that callers who are over their
// quota cannot hide among many others.
type table struct {
	seed   maphash.Seed
	shards [64]shard
}

type shard struct {
	mu     sync.Mutex
	counts map[string]*count
	most   int
}

type count struct {
	mu    sync.Mutex   // for changes
	n     atomic.Int64 // the most that is known, by the counter or here
	own   int64        // what this node has let through itself; at most n
	limit atomic.Int64
	reset int64       // unix seconds
	gone  atomic.Bool // it made room for another
}

func newTable(most int) *table {
	t := &table{seed: maphash.MakeSeed()}
	for i := range t.shards {
		t.shards[i].counts = make(map[string]*count)
		t.shards[i].most = max(most/len(t.shards), 1)
	}
	return t
}

func (t *table) shard(key string) *shard {
	return &t.shards[maphash.String(t.seed, key)%uint64(len(t.shards))]
}

// find gives the count of the subject; nil when there is none. Subjects that the meter
// remembers lead to it without a search.
func (t *table) find(s Subject) *count {
	if s.count != nil {
		if c := s.count.Load(); c != nil && !c.gone.Load() {
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

// take gives the count of the subject, and makes it when there is none.
func (t *table) take(s Subject, limit int) *count {
	c := t.find(s)
	if c == nil {
		sh := t.shard(s.key)
		sh.mu.Lock()
		if c = sh.counts[s.key]; c == nil {
			if len(sh.counts) >= sh.most {
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
	if c.limit.Load() != int64(limit) { // another plan
		c.limit.Store(int64(limit))
	}
	return c
}

// get gives the count that is known of the subject, if there is one.
func (t *table) get(s Subject) (n int, known bool) {
	c := t.find(s)
	if c == nil {
		return 0, false
	}
	return int(c.n.Load()), true
}

// learn takes the count that the counter gave to a charge and gives the one that
// holds. That is the counter's, unless this node by itself has let more through: then
// the counter missed charges while it was gone, and the node goes on from its own
// number. So no node lets through more than the limit, whatever happens in between.
func (t *table) learn(s Subject, n, limit int) int {
	c := t.take(s, limit)
	c.mu.Lock()
	defer c.mu.Unlock()
	// Answers come in any order. As long as the counter misses nothing, a node that
	// has had k answers has seen a count of k or more.
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

// add counts one here and gives the count. What is over the limit is not counted.
func (t *table) add(s Subject, limit int) int {
	c := t.take(s, limit)
	c.mu.Lock()
	defer c.mu.Unlock()
	n := int(c.n.Load()) + 1
	if n <= limit {
		c.n.Store(int64(n))
		c.own++
	}
	return n
}

// evict makes room: first yesterday's counts, else one of a few picked at random,
// preferably one that is not used up.
func (sh *shard) evict(today int64) {
	const looks = 16
	seen, victim := 0, ""
	for key, c := range sh.counts {
		if c.reset < today {
			victim = key
			break
		}
		if victim == "" || c.n.Load() < c.limit.Load() {
			victim = key
		}
		if seen++; seen == looks {
			break
		}
	}
	sh.counts[victim].gone.Store(true)
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
