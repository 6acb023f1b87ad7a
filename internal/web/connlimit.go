package web

import (
	"cmp"
	"errors"
	"net"
	"net/http"
	"os"
	"slices"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// A connLimit bounds the connections of a server, so that those who merely hold them do
// not take descriptors from everything else. When there are too many, the one that has
// waited longest for its client is closed: idle, silent from the start, or with half a
// head. One whose request is being answered never is: when all are, new connections wait
// to be accepted.
type connLimit struct {
	most   int // 0 is no limit
	began  time.Time
	closed prometheus.Counter // for room

	waiting atomic.Int64 // listeners that wait for room
	mu      sync.Mutex
	changed sync.Cond // a connection may be closed, or has gone
	open    map[*limitedConn]struct{}
	doomed  int           // of the open ones, which are about to go
	oldest  []waitingConn // some of those that wait, in order: none of the others has waited longer
}

// A waitingConn is a connection that waits for its client, and since when.
type waitingConn struct {
	*limitedConn
	since int64
}

func newConnLimit(server string, most int, registry prometheus.Registerer) *connLimit {
	labels := prometheus.Labels{"server": server}
	l := &connLimit{most: most, began: time.Now(), open: make(map[*limitedConn]struct{})}
	l.changed.L = &l.mu
	l.closed = prometheus.NewCounter(prometheus.CounterOpts{
		Name: "palmares_http_connections_closed_total", ConstLabels: labels,
		Help: "Connections closed while they waited for their client, to make room for others.",
	})
	if registry != nil {
		registry.MustRegister(l.closed, prometheus.NewGaugeFunc(prometheus.GaugeOpts{
			Name: "palmares_http_connections", ConstLabels: labels, Help: "Open connections.",
		}, func() float64 {
			l.mu.Lock()
			defer l.mu.Unlock()
			return float64(len(l.open))
		}), prometheus.NewGaugeFunc(prometheus.GaugeOpts{
			Name: "palmares_http_connections_limit", ConstLabels: labels, Help: "The most connections; 0 is no limit.",
		}, func() float64 { return float64(most) }))
	}
	return l
}

// now is a time to compare with others.
func (l *connLimit) now() int64 { return int64(time.Since(l.began)) }

// await returns once there is room, or false when the listener is closed.
func (l *connLimit) await(closed *bool) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.most == 0 || len(l.open) <= l.most {
		return !*closed
	}
	l.waiting.Add(1) // whoever becomes idle from here on says so
	defer l.waiting.Add(-1)
	for len(l.open) > l.most && !*closed {
		if len(l.open)-l.doomed <= l.most {
			l.changed.Wait()
			continue
		}
		found, unread := l.closeOldest()
		switch {
		case found:
		case unread: // soon it is known what they have sent
			time.AfterFunc(unreadFor, l.tell)
			fallthrough
		default:
			l.changed.Wait()
		}
	}
	return !*closed
}

// unreadFor is about how long net/http takes to read what has come.
const unreadFor = 5 * time.Millisecond

// closeOldest closes the connection that has waited longest, if there is one. Those whose
// client has sent something that net/http has yet to read are left alone.
func (l *connLimit) closeOldest() (found, unread bool) {
	for again := range 2 {
		for len(l.oldest) > 0 {
			next := l.oldest[0]
			l.oldest = l.oldest[1:]
			if _, open := l.open[next.limitedConn]; !open || next.since != next.limitedConn.since.Load() {
				continue
			}
			if hasUnread(next.Conn) {
				unread = true
				continue
			}
			if next.doom(next.since) {
				l.doomed++
				l.closed.Inc()
				return true, false
			}
		}
		if again == 0 {
			l.findOldest()
		}
	}
	return false, unread
}

// hasUnread tells whether there is something to be read from a connection.
func hasUnread(c net.Conn) bool {
	for {
		if raw, ok := c.(syscall.Conn); ok {
			return hasUnreadRaw(raw)
		}
		wrapper, ok := c.(interface{ NetConn() net.Conn })
		if !ok {
			return false
		}
		c = wrapper.NetConn()
	}
}

func hasUnreadRaw(c syscall.Conn) (has bool) {
	raw, err := c.SyscallConn()
	if err != nil {
		return false
	}
	_ = raw.Control(func(fd uintptr) {
		var first [1]byte
		n, _, err := syscall.Recvfrom(int(fd), first[:], syscall.MSG_PEEK|syscall.MSG_DONTWAIT)
		has = err == nil && n > 0
	})
	return has
}

// findOldest looks at all connections, once for many that are then closed.
func (l *connLimit) findOldest() {
	const most = 1000
	var all []waitingConn
	for c := range l.open {
		if since := c.since.Load(); since != 0 {
			all = append(all, waitingConn{c, since})
		}
	}
	slices.SortFunc(all, func(a, b waitingConn) int { return cmp.Compare(a.since, b.since) })
	l.oldest = slices.Clone(all[:min(len(all), most)])
}

// tell wakes listeners that wait for room.
func (l *connLimit) tell() {
	if l.waiting.Load() > 0 {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.changed.Broadcast()
	}
}

// stateChanged is an http.Server's ConnState.
func (l *connLimit) stateChanged(c net.Conn, state http.ConnState) {
	own, ok := c.(*limitedConn)
	if !ok {
		return
	}
	switch state {
	case http.StateActive, http.StateHijacked:
		if own.busy() {
			l.mu.Lock()
			defer l.mu.Unlock()
			l.doomed--
			l.changed.Broadcast()
		}
	case http.StateIdle:
		own.wait()
		l.tell()
	case http.StateNew, http.StateClosed:
	}
}

// A limitedListener hands out connections that count.
type limitedListener struct {
	net.Listener
	limit  *connLimit
	closed bool // guarded by limit.mu
}

// Accept implements net.Listener. One connection beyond the limit is accepted, so that
// none is closed before there is somebody to close it for.
func (l *limitedListener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		if errors.Is(err, syscall.EMFILE) || errors.Is(err, syscall.ENFILE) {
			l.limit.mu.Lock()
			l.limit.closeOldest() // others have taken more than they should; http.Server tries again
			l.limit.mu.Unlock()
		}
		return nil, err //nolint:wrapcheck // http.Server asks what it is
	}
	own := &limitedConn{Conn: c, limit: l.limit}
	l.limit.mu.Lock()
	l.limit.open[own] = struct{}{}
	l.limit.mu.Unlock()
	if !l.limit.await(&l.closed) {
		_ = own.Close()
		return nil, net.ErrClosed
	}
	own.wait()
	return own, nil
}

// Close implements net.Listener.
func (l *limitedListener) Close() error {
	l.limit.mu.Lock()
	l.closed = true
	l.limit.changed.Broadcast()
	l.limit.mu.Unlock()
	return l.Listener.Close() //nolint:wrapcheck // as above
}

// A limitedConn counts, and can be closed while it waits for its client.
type limitedConn struct {
	net.Conn
	limit  *connLimit
	since  atomic.Int64 // when it began to wait; 0 when it does not
	silent atomic.Bool  // no byte has come since then

	mu       sync.Mutex  // held to change what follows
	ending   atomic.Bool // it is to be closed for room
	told     bool        // and net/http knows
	deadline time.Time   // for reading, as net/http set it
}

// wait tells that it is the client's turn.
func (c *limitedConn) wait() {
	c.silent.Store(true)
	c.since.Store(c.limit.now())
}

// doom makes net/http close the connection, if it has waited since that time. It is told
// that the client is too slow: should it have a whole request by then, it goes on.
func (c *limitedConn) doom(since int64) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.since.CompareAndSwap(since, 0) {
		return false
	}
	c.ending.Store(true)
	_ = c.Conn.SetReadDeadline(longAgo)
	return true
}

var longAgo = time.Unix(1, 0)

// busy tells that a request is there; true means that it came just in time.
func (c *limitedConn) busy() (spared bool) {
	if c.since.Swap(0) != 0 {
		return false // nobody was before us
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.told || !c.ending.Load() {
		return false
	}
	c.ending.Store(false)
	_ = c.Conn.SetReadDeadline(c.deadline)
	return true
}

// Read implements net.Conn.
func (c *limitedConn) Read(p []byte) (int, error) {
	if c.ending.Load() && c.tell() {
		return 0, os.ErrDeadlineExceeded
	}
	n, err := c.Conn.Read(p)
	if err != nil && c.ending.Load() {
		c.tell()
	}
	if n > 0 && c.silent.Load() && c.silent.CompareAndSwap(true, false) {
		// A head begins: it has not waited for long.
		if since := c.since.Load(); since != 0 {
			c.since.CompareAndSwap(since, c.limit.now())
		}
	}
	return n, err //nolint:wrapcheck // net/http asks what it is
}

// tell tells net/http, by what is read, that the connection ends: from now on it does.
func (c *limitedConn) tell() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.told = c.ending.Load()
	return c.told
}

// SetReadDeadline implements net.Conn.
func (c *limitedConn) SetReadDeadline(t time.Time) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.deadline = t
	if c.ending.Load() {
		return nil
	}
	return c.Conn.SetReadDeadline(t) //nolint:wrapcheck // as above
}

// SetDeadline implements net.Conn.
func (c *limitedConn) SetDeadline(t time.Time) error {
	return errors.Join(c.SetReadDeadline(t), c.SetWriteDeadline(t))
}

// Close implements net.Conn.
func (c *limitedConn) Close() error {
	c.limit.mu.Lock()
	if _, open := c.limit.open[c]; open {
		delete(c.limit.open, c)
		if c.forget() {
			c.limit.doomed--
		}
		c.limit.changed.Broadcast()
	}
	c.limit.mu.Unlock()
	return c.Conn.Close() //nolint:wrapcheck // as above
}

// forget tells whether the connection was to be closed.
func (c *limitedConn) forget() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.ending.Swap(false)
}

// CloseWrite is found by net/http by its name.
func (c *limitedConn) CloseWrite() error {
	if half, ok := c.Conn.(interface{ CloseWrite() error }); ok {
		return half.CloseWrite() //nolint:wrapcheck // as above
	}
	return nil
}

// NetConn is the connection beneath, as package wire asks for it.
func (c *limitedConn) NetConn() net.Conn { return c.Conn }
