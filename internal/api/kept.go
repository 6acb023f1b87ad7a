package api

import (
	"hash/maphash"
	"sync"
	"sync/atomic"
)

// kept is a cache of answers, bounded in bytes. What was not used since the last
// look makes room for what is new (the second-chance, or clock, rule).
type kept struct {
	seed   maphash.Seed
	asked  [1 << 15]atomic.Uint64 // the questions last asked without being kept, by hash
	shards [16]keptShard
}

type keptShard struct {
	mu     sync.RWMutex
	byHash map[uint64]*keptAnswer
	clock  []*keptAnswer
	hand   int
	bytes  int
	most   int
}

type keptAnswer struct {
	question question
	hash     uint64
	answer   *ready
	size     int
	used     atomic.Bool
}

func newKept(size int) *kept {
	k := &kept{seed: maphash.MakeSeed()}
	for i := range k.shards {
		k.shards[i].byHash = make(map[uint64]*keptAnswer)
		k.shards[i].most = size / len(k.shards)
	}
	return k
}

func (k *kept) hash(q question) uint64 { return maphash.Comparable(k.seed, q) }

func (k *kept) shard(hash uint64) *keptShard { return &k.shards[hash%uint64(len(k.shards))] }

// get gives the answer to a question; nil when it is not kept.
func (k *kept) get(hash uint64, q question) *ready {
	sh := k.shard(hash)
	sh.mu.RLock()
	e := sh.byHash[hash]
	sh.mu.RUnlock()
	if e == nil || e.question != q {
		return nil
	}
	if !e.used.Load() { // do not write what all processors read
		e.used.Store(true)
	}
	return e.answer
}

// claim notes that a question was asked, and reports whether the one who asks now
// is to keep the answer: the second one, and not several at a time.
func (k *kept) claim(hash uint64) bool {
	slot := &k.asked[hash>>8%uint64(len(k.asked))]
	switch slot.Load() {
	case hash:
		return slot.CompareAndSwap(hash, ^hash)
	case ^hash: // somebody is at it
		return false
	}
	slot.Store(hash)
	return false
}

// put keeps an answer.
func (k *kept) put(hash uint64, q question, r *ready) {
	e := &keptAnswer{question: q, hash: hash, answer: r, size: r.size()}
	sh := k.shard(hash)
	sh.mu.Lock()
	defer sh.mu.Unlock()
	if sh.byHash[hash] == nil && e.size <= sh.most { // two questions with one hash take turns in not being kept
		for sh.bytes+e.size > sh.most {
			sh.evict()
		}
		sh.byHash[hash] = e
		sh.clock = append(sh.clock, e)
		sh.bytes += e.size
	}
	k.asked[hash>>8%uint64(len(k.asked))].CompareAndSwap(^hash, hash)
}

// evict takes out the next answer that was not used since the hand last passed it.
func (sh *keptShard) evict() {
	for {
		if sh.hand >= len(sh.clock) {
			sh.hand = 0
		}
		e := sh.clock[sh.hand]
		if e.used.Swap(false) {
			sh.hand++
			continue
		}
		last := len(sh.clock) - 1
		sh.clock[sh.hand], sh.clock[last] = sh.clock[last], nil
		sh.clock = sh.clock[:last]
		delete(sh.byHash, e.hash)
		sh.bytes -= e.size
		return
	}
}

func (k *kept) stats() (bytes, answers int) {
	for i := range k.shards {
		sh := &k.shards[i]
		sh.mu.RLock()
		bytes += sh.bytes
		answers += len(sh.clock)
		sh.mu.RUnlock()
	}
	return bytes, answers
}
