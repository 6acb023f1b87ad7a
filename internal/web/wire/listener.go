package wire

import (
	"context"
	"net"
	"sync"
	"sync/atomic"
	"time"
)

// A Listener accepts connections as Conns. Run must be running while they are used.
type Listener struct {
	net.Listener
	ticked atomic.Pointer[time.Time] // the time of Run's last tick; nil when Run is not running
	mu     sync.Mutex
	open   map[*Conn]struct{}
}

// NewListener wraps a listener.
func NewListener(l net.Listener) *Listener {
	return &Listener{Listener: l, open: make(map[*Conn]struct{})}
}

// Accept implements net.Listener.
func (l *Listener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil || !enabled {
		return c, err //nolint:wrapcheck // http.Server asks what it is
	}
	own := &Conn{Conn: c, from: l}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.open[own] = struct{}{}
	return own, nil
}

// Run sets noted deadlines when they pass, until ctx is done. Then it sets all that are noted, for the
// connections that are still open, such as hijacked ones.
func (l *Listener) Run(ctx context.Context) {
	ticks := time.NewTicker(tick)
	defer ticks.Stop()
	began := time.Now()
	l.ticked.Store(&began)
	for {
		select {
		case <-ctx.Done():
			l.ticked.Store(nil)
			l.checkDeadlines(farFuture)
			return
		case now := <-ticks.C:
			l.ticked.Store(&now)
			l.checkDeadlines(now)
		}
	}
}

// canNote reports whether a deadline can be noted instead of set: it is zero, or far off while Run is
// running.
func (l *Listener) canNote(t time.Time) bool {
	if t.IsZero() {
		return true
	}
	ticked := l.ticked.Load()
	return ticked != nil && t.Sub(*ticked) >= far
}

var farFuture = time.Unix(1<<55, 0)

func (l *Listener) checkDeadlines(now time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for c := range l.open {
		c.checkDeadlines(now)
	}
}

// Close implements net.Conn.
func (c *Conn) Close() error {
	c.from.mu.Lock()
	delete(c.from.open, c)
	c.from.mu.Unlock()
	return c.Conn.Close()
}
