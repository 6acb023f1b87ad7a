package api

import (
	"sync"
	"sync/atomic"
	"time"
)

// The limits on compressing responses that may never be asked for again: 330 pages of 50 tools a
// second, about a twentieth of one core, and 1,300 in a burst.
const (
	compressPerSecond = 8 << 20 // bytes
	compressBurst     = 32 << 20
)

// A compressLimiter is a token bucket of bytes to compress. It counts bytes rather than time,
// which a busy machine stretches.
type compressLimiter struct {
	now    func() time.Time
	denied atomic.Int64

	mu      sync.Mutex
	used    int64     // of compressBurst
	updated time.Time // when used was last brought up to date
}

// allow reports whether that many bytes may be compressed now, and counts them.
func (l *compressLimiter) allow(bytes int) bool {
	now := l.now()
	l.mu.Lock()
	defer l.mu.Unlock()
	if elapsed := now.Sub(l.updated); elapsed > 0 {
		// An empty bucket is full again after this long. Anything above would overflow.
		elapsed = min(elapsed, compressBurst/compressPerSecond*time.Second)
		l.used = max(l.used-int64(elapsed)*compressPerSecond/int64(time.Second), 0)
		l.updated = now
	}
	if l.used+int64(bytes) > compressBurst {
		l.denied.Add(1)
		return false
	}
	l.used += int64(bytes)
	return true
}
