package lru

import (
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/palmares-hq/palmares/internal/testkit"
)

const entrySize = 4_000

// check checks that the list, the map and the count of bytes agree, and are within the bound.
func (c *Cache[K, V]) check(t *testing.T) {
	t.Helper()
	c.mu.Lock()
	defer c.mu.Unlock()
	sum := 0
	for at := c.recent.Front(); at != nil; at = at.Next() {
		e, _ := at.Value.(*entry[K, V])
		sum += e.size
		if c.entries[e.key] != at {
			t.Errorf("%v can be evicted, but not found", e.key)
		}
	}
	if sum != c.bytes || c.recent.Len() != len(c.entries) || c.bytes > c.maxBytes {
		t.Errorf("%d values of %d bytes are booked as %d of %d; %d are allowed",
			c.recent.Len(), sum, len(c.entries), c.bytes, c.maxBytes)
	}
}

func (c *Cache[K, V]) has(key K) bool { _, ok := c.Get(key); return ok }

// Eight goroutines put and get values of any size, some too large to be kept.
func TestCache_StaysInItsBound(t *testing.T) {
	t.Parallel()
	const bound, numbers, largest = 1 << 20, 1_000, 3 * entrySize
	c := New[int, struct{}](bound, bound/16)
	var hits atomic.Int64
	var wg sync.WaitGroup
	for seed := range uint64(8) {
		wg.Go(func() {
			random := rand.New(rand.NewPCG(1, seed))
			for n := range 5_000 {
				i, size := random.IntN(numbers), entrySize+random.IntN(largest-entrySize)
				if random.IntN(20) == 0 {
					size = entrySize + random.IntN(2*c.MaxEntry())
				}
				if c.has(i) {
					hits.Add(1)
				} else {
					c.Put(i, struct{}{}, size)
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
		t.Error("no value was ever found")
	}
	// No value makes more room than it needs: the cache is full but for one of them.
	for i := numbers; i < 3*numbers; i++ {
		c.Put(i, struct{}{}, entrySize+i*7919%(largest-entrySize))
	}
	c.check(t)
	if bytes, _ := c.Stats(); bytes <= bound-largest {
		t.Errorf("%d bytes of %d are kept", bytes, bound)
	}
	c.Put(-1, struct{}{}, c.MaxEntry()+1)
	c.Put(-2, struct{}{}, c.MaxEntry())
	testkit.Equal(t, "a large value and one that is too large", []bool{c.has(-2), c.has(-1)}, []bool{true, false})
}

// A value that is asked for now and then survives ten times as many that are not; each new one replaces an
// old one.
func TestCache_UsedValuesSurvive(t *testing.T) {
	t.Parallel()
	const room, used = 1_600, 160
	c := New[int, struct{}](entrySize*room, entrySize)
	for i := range 10 * room {
		c.Put(i, struct{}{}, entrySize)
		if i >= used && !c.has(i%used) { // each one every 160 puts
			t.Fatalf("value %d is gone after %d puts", i%used, i)
		}
		if i%7 == 0 && !c.has(i) {
			t.Fatalf("value %d is not there", i)
		}
	}
}

// What was asked for is popular, the last first; what was only put is not, and neither is what had to go.
func TestCache_Popular(t *testing.T) {
	t.Parallel()
	c := New[string, int](20*100, 100)
	for i := range 20 {
		c.Put(fmt.Sprint(i), i, 100)
	}
	for _, key := range []string{"3", "0", "7", "3"} {
		value, ok := c.Get(key)
		testkit.Equal(t, key, fmt.Sprint(value, ok), key+" true")
	}
	c.Put("7", 70, 100) // it stays as it is
	testkit.Equal(t, "popular", c.Popular(9), []string{"3", "7", "0"})
	testkit.Equal(t, "the first two", c.Popular(2), []string{"3", "7"})
	for i := range 18 {
		c.Put(fmt.Sprint("new", i), i, 100)
	}
	testkit.Equal(t, "after many others", c.Popular(9), []string{"3", "7"})
	nothing := New[string, int](0, 1)
	nothing.Put("2", 2, 1)
	testkit.Equal(t, "in a cache of nothing", nothing.has("2"), false)
}
