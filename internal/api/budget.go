package api

import (
	"sync"
	"sync/atomic"
	"time"
)

// What is compressed for responses that may never be asked for again: 330 pages of 50
// tools a second, which is about a twentieth of one core's time, and 1,300 at once.
// Whoever asks for more different pages than that gets them as they are.
const (
	budgetPerSecond = 8 << 20 // bytes
	budgetAtOnce    = 32 << 20
)

// A budget bounds how many bytes are compressed. It counts bytes and not time, which a
// busy machine stretches.
type budget struct {
	now     func() time.Time
	refused atomic.Int64

	mu   sync.Mutex
	used int64     // of budgetAtOnce
	at   time.Time // when that was
}

// take reports whether that many bytes may be compressed now.
func (b *budget) take(bytes int) bool {
	now := b.now()
	b.mu.Lock()
	defer b.mu.Unlock()
	if elapsed := now.Sub(b.at); elapsed > 0 {
		// What is longer ago than it takes to use nothing again does not matter.
		elapsed = min(elapsed, budgetAtOnce/budgetPerSecond*time.Second)
		b.used = max(b.used-int64(elapsed)*budgetPerSecond/int64(time.Second), 0)
		b.at = now
	}
	if b.used+int64(bytes) > budgetAtOnce {
		b.refused.Add(1)
		return false
	}
	b.used += int64(bytes)
	return true
}
