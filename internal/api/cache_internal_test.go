package api

import (
	"math/rand/v2"
	"runtime"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/testkit"
)

const entrySize = 4_000

// numbered is a cache of numbers, each of which may take any number of bytes.
type numbered struct{ *responseCache }

func newNumbered(bytes int) numbered {
	return numbered{newResponseCache(source{Snapshot: catalog.Empty()}, bytes)}
}

func (c numbered) put(i, bytes int) {
	r := &response{}
	r.variants[0] = &variant{}
	r.variants[0].body = make([]byte, bytes-r.size())
	c.responseCache.put(query{slug: strconv.Itoa(i)}, r)
}

func (c numbered) has(i int) bool { return c.get(query{slug: strconv.Itoa(i)}) != nil }

// check checks that the queue, the map and the count of bytes agree, and are within the bound.
func (c numbered) check(t *testing.T) {
	t.Helper()
	c.mu.RLock()
	defer c.mu.RUnlock()
	sum := 0
	for front := c.queue.Front(); front != nil; front = front.Next() {
		e, _ := front.Value.(*cacheEntry)
		sum += e.size
		if c.entries[e.query] != e {
			t.Errorf("%v can be evicted, but not found", e.query)
		}
	}
	if sum != c.bytes || c.queue.Len() != len(c.entries) || c.bytes > c.maxBytes {
		t.Errorf("%d responses of %d bytes are booked as %d of %d; %d are allowed",
			c.queue.Len(), sum, len(c.entries), c.bytes, c.maxBytes)
	}
}

// Eight goroutines put and get responses of any size, some too large to be cached.
func TestResponseCache_StaysInItsBound(t *testing.T) {
	t.Parallel()
	const bound, numbers, largest = 1 << 20, 1_000, 3 * entrySize
	c := newNumbered(bound)
	var hits atomic.Int64
	var wg sync.WaitGroup
	for seed := range uint64(8) {
		wg.Go(func() {
			random := rand.New(rand.NewPCG(1, seed))
			for n := range 5_000 {
				i, size := random.IntN(numbers), entrySize+random.IntN(largest-entrySize)
				if random.IntN(20) == 0 {
					size = entrySize + random.IntN(2*c.maxEntry())
				}
				if c.has(i) {
					hits.Add(1)
				} else {
					c.put(i, size)
				}
				if n%100 == 0 {
					c.check(t)
				}
			}
		})
	}
	wg.Wait()
	c.check(t)
	if hits.Load() == 0 {
		t.Error("no response was ever found")
	}
	// No response makes more room than it needs: the cache is full but for one of them.
	for i := numbers; i < 3*numbers; i++ {
		c.put(i, entrySize+i*7919%(largest-entrySize))
	}
	c.check(t)
	if bytes, _ := c.stats(); bytes <= bound-largest {
		t.Errorf("%d bytes of %d are cached", bytes, bound)
	}
	c.put(-1, c.maxEntry()+1)
	c.put(-2, c.maxEntry())
	testkit.Equal(t, "a large response and one that is too large", []bool{c.has(-2), c.has(-1)}, []bool{true, false})
}

// A response that is asked for now and then survives ten times as many that are not; each new one
// replaces an old one.
func TestResponseCache_UsedResponsesSurvive(t *testing.T) {
	t.Parallel()
	const room, used = 1_600, 160
	c := newNumbered(entrySize * room)
	for i := range 10 * room {
		c.put(i, entrySize)
		if i >= used && !c.has(i%used) { // each one every 160 puts
			t.Fatalf("response %d is gone after %d puts", i%used, i)
		}
		if i%7 == 0 && !c.has(i) {
			t.Fatalf("response %d is not there", i)
		}
	}
}

func TestSeenTable_SecondRequestClaims(t *testing.T) {
	t.Parallel()
	seen := new(seenTable)
	const hash, other = 7, 7 + uint64(len(seen)) // in one slot
	var claimed []bool
	for _, h := range []uint64{hash, hash, hash, hash, 0, hash, 0, other, hash, hash} {
		if h == 0 {
			seen.release(hash)
		} else {
			claimed = append(claimed, seen.claim(h))
		}
	}
	testkit.Equal(t, "claimed", claimed, []bool{false, true, false, false, true, false, false, true})
}

// Many ask for one response at once, from its first time on: never do two of them cache it at the
// same time.
func TestSeenTable_OneClaimAtATime(t *testing.T) {
	t.Parallel()
	seen := new(seenTable)
	for hash := uint64(1); hash < 10_000 && !t.Failed(); hash++ {
		var working, claims atomic.Int64
		var wg sync.WaitGroup
		for range 8 {
			wg.Go(func() {
				for range 4 {
					if !seen.claim(hash) {
						continue
					}
					claims.Add(1)
					if working.Add(1) > 1 {
						t.Errorf("hash %d: two at a time", hash)
					}
					runtime.Gosched()
					working.Add(-1)
					seen.release(hash)
				}
			})
		}
		wg.Wait()
		if claims.Load() == 0 {
			t.Errorf("hash %d: none of 32 requests claimed it", hash)
		}
	}
}
