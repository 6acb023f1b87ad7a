package quota

import (
	"hash/maphash"
	"sync"
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
	counts map[string]count
	most   int
}

type count struct {
	n     int // the most that is known, by the counter or here
	own   int // what this node has let through itself; at most n
	limit int
	reset int64 // unix seconds
}

func newTable(most int) *table {
	t := &table{seed: maphash.MakeSeed()}
	for i := range t.shards {
		t.shards[i].counts = make(map[string]count)
		t.shards[i].most = max(most/len(t.shards), 1)
	}
	return t
}

func (t *table) shard(key string) *shard {
	return &t.shards[maphash.String(t.seed, key)%uint64(len(t.shards))]
}

// get gives the count that is known of the subject, if there is one.
func (t *table) get(s Subject) (n int, known bool) {
	sh := t.shard(s.key)
	sh.mu.Lock()
	c, known := sh.counts[s.key]
	sh.mu.Unlock()
	return c.n, known
}

// learn takes the count that the counter gave to a charge and gives the one that
// holds. That is the counter's, unless this node by itself has let more through: then
// the counter missed charges while it was gone, and the node goes on from its own
// number. So no node lets through more than the limit, whatever happens in between.
func (t *table) learn(s Subject, n, limit int) int {
	sh := t.shard(s.key)
	sh.mu.Lock()
	defer sh.mu.Unlock()
	c := sh.counts[s.key]
	// Answers come in any order. As long as the counter misses nothing, a node that
	// has had k answers has seen a count of k or more.
	own := c.own + 1
	if own > min(max(c.n, n), limit) {
		n = max(n, own)
	}
	if n <= limit {
		c.own = own
	}
	c.n = max(c.n, n)
	sh.put(s, c, limit)
	return n
}

// add counts one here and gives the count. What is over the limit is not counted.
func (t *table) add(s Subject, limit int) int {
	sh := t.shard(s.key)
	sh.mu.Lock()
	defer sh.mu.Unlock()
	c := sh.counts[s.key]
	n := c.n + 1
	if n <= limit {
		c.n = n
		c.own++
		sh.put(s, c, limit)
	}
	return n
}

func (sh *shard) put(s Subject, c count, limit int) {
	if _, ok := sh.counts[s.key]; !ok && len(sh.counts) >= sh.most {
		sh.evict(s.reset.Unix())
	}
	c.limit, c.reset = limit, s.reset.Unix()
	sh.counts[s.key] = c
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
		if victim == "" || c.n < c.limit {
			victim = key
		}
		if seen++; seen == looks {
			break
		}
	}
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
