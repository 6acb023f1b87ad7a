package server

import (
	"errors"
	"net"
	"os"
	"sync"
	"sync/atomic"
	"time"
)

// A limitedConn is a connection that counts, and can be closed while it waits for its client.
type limitedConn struct {
	net.Conn
	limit  *connLimit
	since  atomic.Int64 // when it began to wait for its client; 0 when it does not
	silent atomic.Bool  // no byte has come since then

	mu       sync.Mutex  // held to change what follows
	closing  atomic.Bool // it is to be closed to make room
	reported bool        // and net/http knows
	deadline time.Time   // for reading, as net/http set it

	inBody    atomic.Bool // the handler has been called, and the body has not all come
	bodySince int64       // when it began to be waited for
}

// startWait notes that it is the client's turn.
func (c *limitedConn) startWait() {
	c.inBody.Store(false)
	c.silent.Store(true)
	c.since.Store(c.limit.now())
}

// endWait makes net/http close the connection, if it has waited since that time. net/http takes
// the client for too slow; should it have a whole request by then, it goes on.
func (c *limitedConn) endWait(since int64) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.since.CompareAndSwap(since, 0) {
		return false
	}
	c.closing.Store(true)
	_ = c.Conn.SetReadDeadline(longAgo)
	return true
}

var longAgo = time.Unix(1, 0)

// startRequest notes that a request is there. It reports whether the connection was about to be
// closed and now is not.
func (c *limitedConn) startRequest() (spared bool) {
	if c.since.Swap(0) != 0 {
		return false // nobody has ended the wait
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.reported || !c.closing.Load() {
		return false
	}
	c.closing.Store(false)
	_ = c.Conn.SetReadDeadline(c.deadline)
	return true
}

// Read implements net.Conn.
func (c *limitedConn) Read(p []byte) (int, error) {
	if c.closing.Load() && c.reportClosing() {
		return 0, os.ErrDeadlineExceeded
	}
	body := c.inBody.Load() && c.startBodyWait()
	n, err := c.Conn.Read(p)
	if body {
		c.endBodyWait()
	}
	if err != nil && c.closing.Load() {
		c.reportClosing()
	}
	if n > 0 && c.silent.Load() && c.silent.CompareAndSwap(true, false) {
		// A header begins: from now on the client is slow, not silent.
		if since := c.since.Load(); since != 0 {
			c.since.CompareAndSwap(since, c.limit.now())
		}
	}
	return n, err //nolint:wrapcheck // net/http asks what it is
}

// reportClosing reports whether the connection is to be closed. When it is, the error that Read
// returns tells net/http, and nothing spares the connection any more.
func (c *limitedConn) reportClosing() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.reported = c.closing.Load()
	return c.reported
}

// SetReadDeadline implements net.Conn. net/http removes the deadline when the whole body has come,
// just before it begins to watch whether the client hangs up.
func (c *limitedConn) SetReadDeadline(t time.Time) error {
	if t.IsZero() && c.inBody.Load() {
		c.endBody()
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.deadline = t
	if c.closing.Load() {
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
		if c.stopClosing() {
			c.limit.closing--
		}
		c.limit.changed.Broadcast()
	}
	c.limit.mu.Unlock()
	return c.Conn.Close() //nolint:wrapcheck // as above
}

// stopClosing reports whether the connection was to be closed to make room.
func (c *limitedConn) stopClosing() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.closing.Swap(false)
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
