package api

import (
	"math/rand/v2"
	"runtime"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
)

// numbered is one question of many.
func numbered(i int) question { return question{route: 2, slug: "outil-" + strconv.Itoa(i)} }

// sized is an answer that takes that many bytes, and knows its number.
func sized(number, bytes int) *ready {
	r := &ready{answer: answer{total: number}}
	r.forms[0] = &form{}
	r.forms[0].body = make([]byte, bytes-r.size())
	return r
}

// whole checks the books of a shard.
func (sh *keptShard) whole(t *testing.T) {
	t.Helper()
	sh.mu.RLock()
	defer sh.mu.RUnlock()
	sum := 0
	for front := sh.queue.Front(); front != nil; front = front.Next() {
		e, _ := front.Value.(*keptAnswer)
		sum += e.size
		if sh.byHash[e.hash] != e {
			t.Errorf("%v can be evicted, but not found", e.question)
		}
	}
	if sum != sh.bytes || sh.queue.Len() != len(sh.byHash) {
		t.Errorf("%d answers of %d bytes are booked as %d of %d", sh.queue.Len(), sum, len(sh.byHash), sh.bytes)
	}
	if sh.bytes > sh.most {
		t.Errorf("%d bytes are kept, at most %d are allowed", sh.bytes, sh.most)
	}
}

// Eight goroutines put and get answers of any size, those that fit nowhere included.
func TestKept_NeverOverItsBound(t *testing.T) {
	t.Parallel()
	const bound, questions = 4 << 20, 4_000
	const least, largest = 4_000, 12_000 // but for those that fill a shard, or fit nowhere
	k := newKept(bound)
	most := k.shards[0].most
	var hits atomic.Int64
	var wg sync.WaitGroup
	for seed := range uint64(8) {
		wg.Go(func() {
			random := rand.New(rand.NewPCG(1, seed))
			for range 5_000 {
				i := random.IntN(questions)
				q := numbered(i)
				hash := k.hash(q)
				switch r := k.get(hash, q); {
				case r == nil:
					size := least + random.IntN(largest-least)
					if random.IntN(20) == 0 {
						size = least + random.IntN(2*most)
					}
					k.put(hash, q, sized(i, size))
				case r.total != i:
					t.Errorf("question %d got answer %d", i, r.total)
					return
				default:
					hits.Add(1)
				}
				if bytes, _ := k.stats(); bytes > bound {
					t.Errorf("%d bytes are kept, at most %d are allowed", bytes, bound)
					return
				}
			}
		})
	}
	wg.Wait()
	for i := range k.shards {
		k.shards[i].whole(t)
	}
	if hits.Load() == 0 {
		t.Error("no answer was ever found")
	}

	// What is left of the large ones makes room for many small ones, none of which makes
	// more room than it needs: then each shard is full but for one of them.
	for i := questions; i < 3*questions; i++ {
		k.put(k.hash(numbered(i)), numbered(i), sized(i, least+i*7919%(largest-least)))
	}
	for i := range k.shards {
		k.shards[i].whole(t)
		if bytes := k.shards[i].bytes; bytes <= most-largest {
			t.Errorf("shard %d keeps %d bytes of %d", i, bytes, most)
		}
	}
}

func TestKept_LargerThanAShard(t *testing.T) {
	t.Parallel()
	k := newKept(16 * 10_000)
	const hash = 5 // all of one shard
	k.put(hash, numbered(1), sized(1, 4_000))
	k.put(hash+16, numbered(2), sized(2, 10_001))
	if k.get(hash+16, numbered(2)) != nil || k.get(hash, numbered(1)) == nil {
		t.Error("an answer larger than its shard is kept, or made room for")
	}
	k.put(hash+32, numbered(3), sized(3, 10_000))
	if bytes, answers := k.stats(); k.get(hash+32, numbered(3)) == nil || bytes != 10_000 || answers != 1 {
		t.Errorf("an answer as large as its shard: %d bytes in %d answers", bytes, answers)
	}
	k.shards[hash].whole(t)
}

// What is asked for now and then survives ten times as much that nobody asks for again.
func TestKept_UsedAnswersSurviveAFlood(t *testing.T) {
	t.Parallel()
	const size, room, used = 4_000, 1_600, 160
	k := newKept(size * room)
	put := func(i int) { k.put(k.hash(numbered(i)), numbered(i), sized(i, size)) }
	get := func(i int) bool { return k.get(k.hash(numbered(i)), numbered(i)) != nil }
	for i := range used {
		put(i)
	}
	for i := used; i < 10*room; i++ {
		put(i)
		get(i % used) // each one every 160 puts
	}
	survived := 0
	for i := range used {
		if get(i) {
			survived++
		}
	}
	if survived != used {
		t.Errorf("%d of %d answers in use survived", survived, used)
	}
}

// A cache that is full of what nobody asks for any more makes room for what
// everybody asks for now, although each is asked for again only after all others.
func TestKept_WhatIsNewReplacesWhatIsOld(t *testing.T) {
	t.Parallel()
	const size, room, fresh = 4_000, 1_600, 400
	k := newKept(size * room)
	for i := range 2 * room {
		k.put(k.hash(numbered(i)), numbered(i), sized(i, size))
	}
	hits := 0
	for range 5 {
		hits = 0
		for i := 2 * room; i < 2*room+fresh; i++ {
			hash := k.hash(numbered(i))
			if k.get(hash, numbered(i)) != nil {
				hits++
				continue
			}
			k.put(hash, numbered(i), sized(i, size))
		}
	}
	if hits < fresh*9/10 {
		t.Errorf("in the fifth round %d of %d new answers are found in a cache that has room for %d", hits, fresh, room)
	}
}

func TestKept_TheSecondAskClaims(t *testing.T) {
	t.Parallel()
	k := newKept(16 * 6_000)
	q := numbered(1)
	const hash = 0xa5_0000_0001_0005
	want := func(claimed bool, when string) {
		t.Helper()
		if k.claim(hash) != claimed {
			t.Errorf("%s: claimed is %v", when, !claimed)
		}
	}
	want(false, "first ask")
	want(true, "second ask")
	want(false, "while the second is at it")
	want(false, "while the second is at it")
	k.put(hash, q, sized(1, 4_000))
	if k.get(hash, q) == nil {
		t.Fatal("not kept")
	}
	// Another answer takes its place.
	k.put(hash+16, numbered(2), sized(2, 4_000))
	if k.get(hash, q) != nil {
		t.Fatal("not evicted")
	}
	want(true, "after eviction")
	k.put(hash, q, sized(3, 4_000))
	if r := k.get(hash, q); r == nil || r.total != 3 {
		t.Error("it is not kept again after it was evicted")
	}

	// Another question that is noted in the same place only costs an ask.
	const other = hash + 1<<(8+15)
	if k.claim(other) || k.claim(hash) || !k.claim(hash) {
		t.Error("of two questions noted in one place the second may be kept when it is asked for again, and not before")
	}
}

// Many ask one question at once, from its first time on: never do two of them make
// its answer ready at the same time.
func TestKept_OneClaimsAtATime(t *testing.T) {
	t.Parallel()
	k := newKept(1 << 20)
	q, tooLarge := numbered(1), sized(1, 1<<20)
	for round := range 10_000 {
		hash := uint64(round+1) << 32
		var working, claims atomic.Int64
		var wg sync.WaitGroup
		start := make(chan struct{})
		for range 8 {
			wg.Go(func() {
				<-start
				for range 4 {
					if !k.claim(hash) {
						continue
					}
					claims.Add(1)
					if working.Add(1) > 1 {
						t.Errorf("round %d: two at a time", round)
					}
					runtime.Gosched()
					working.Add(-1)
					k.put(hash, q, tooLarge) // so that the next may claim
				}
			})
		}
		close(start)
		wg.Wait()
		if claims.Load() == 0 {
			t.Errorf("round %d: of 32 asks none claimed", round)
		}
		if t.Failed() {
			return
		}
	}
}

// Two questions with one hash: each gets its own answer or none.
func TestKept_Collision(t *testing.T) {
	t.Parallel()
	k := newKept(1 << 20)
	const hash = 0xdead_beef_0042
	a, b := numbered(1), numbered(2)
	for round := range 3 {
		k.put(hash, a, sized(1, 4_000))
		k.put(hash, b, sized(2, 4_000))
		if r := k.get(hash, a); r == nil || r.total != 1 {
			t.Errorf("round %d: the first question gets %v", round, r)
		}
		if r := k.get(hash, b); r != nil {
			t.Errorf("round %d: the second question gets answer %d", round, r.total)
		}
	}
	if bytes, answers := k.stats(); bytes != 4_000 || answers != 1 {
		t.Errorf("%d answers of %d bytes", answers, bytes)
	}
	k.shards[hash%16].whole(t)

	// At random, with few hashes for many questions, and little room.
	k = newKept(16 * 20_000)
	var wg sync.WaitGroup
	for seed := range uint64(8) {
		wg.Go(func() {
			random := rand.New(rand.NewPCG(2, seed))
			for range 20_000 {
				i := random.IntN(1_000)
				hash := uint64(i % 37)
				if r := k.get(hash, numbered(i)); r != nil && r.total != i {
					t.Errorf("question %d got answer %d", i, r.total)
					return
				}
				k.put(hash, numbered(i), sized(i, 4_000+random.IntN(10_000)))
			}
		})
	}
	wg.Wait()
}
