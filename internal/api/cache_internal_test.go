package api

import (
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/palmares-hq/palmares/internal/testkit"
)

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
