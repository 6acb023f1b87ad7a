package api

import (
	"container/list"
	"hash/maphash"
	"sync"
	"sync/atomic"
)

// kept is a cache of answers, bounded in bytes. What has been there longest without
// being used makes room for what is new (the second-chance rule). A nil kept keeps
// nothing.
type kept struct {
	seed   maphash.Seed
	asked  [1 << 15]atomic.Uint64 // the questions last asked without being kept, by hash
	shards [16]keptShard
}

type keptShard struct {
	mu     sync.RWMutex
	byHash map[uint64]*keptAnswer
	queue  list.List // of them, in the order in which they came
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

func (k *kept) hash(q question) uint64 {
	if k == nil {
		return 0
	}
	return maphash.Comparable(k.seed, q)
}

func (k *kept) shard(hash uint64) *keptShard { return &k.shards[hash%uint64(len(k.shards))] }

// get gives the answer to a question; nil when it is not kept.
func (k *kept) get(hash uint64, q question) *ready {
	if k == nil {
		return nil
	}
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
	if k == nil {
		return false
	}
	slot := &k.asked[hash>>8%uint64(len(k.asked))]
	switch last := slot.Load(); last {
	case hash:
		return slot.CompareAndSwap(hash, ^hash)
	case ^hash: // somebody is at it
	default:
		slot.CompareAndSwap(last, hash)
	}
	return false
}

// takes reports whether a body is small enough to be kept.
func (k *kept) takes(body []byte) bool { return k != nil && 2*len(body) < k.shards[0].most }

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
		sh.queue.PushBack(e)
		sh.bytes += e.size
	}
	k.asked[hash>>8%uint64(len(k.asked))].CompareAndSwap(^hash, hash)
}

// evict takes out the answer that has been here longest, unless it was used since it
// came to the front: then it goes to the back.
func (sh *keptShard) evict() {
	for {
		front := sh.queue.Front()
		e, _ := front.Value.(*keptAnswer)
		if e.used.Swap(false) {
			sh.queue.MoveToBack(front)
			continue
		}
		sh.queue.Remove(front)
		delete(sh.byHash, e.hash)
		sh.bytes -= e.size
		return
	}
}

func (k *kept) stats() (bytes, answers int) {
	if k == nil {
		return 0, 0
	}
	for i := range k.shards {
		sh := &k.shards[i]
		sh.mu.RLock()
		bytes += sh.bytes
		answers += sh.queue.Len()
		sh.mu.RUnlock()
	}
	return bytes, answers
}
