package server

import (
	"errors"
	"net"
	"os"
	"sync"
	"sync/atomic"
	"time"
)

// A limitedConn is a connection that counts towards a connLimit, and that the limit may close while it waits
// for its client.
type limitedConn struct {
	net.Conn
	limit *connLimit
	wait  atomic.Int64 // the number of the current wait for the client, with the bit silent; 0 when not waiting

	mu       sync.Mutex  // held to change the fields below
	closing  atomic.Bool // it is to be closed to make room
	reported bool        // Read has told net/http so

	inBody       atomic.Bool // the handler has been called, and the body is incomplete
	bodyWait     int64       // the number of the wait for the body
	bodyDeadline time.Time   // the read deadline that was last set for the body
}

// silent is the bit that is set in the number of a wait until the client sends a byte.
const silent = 1

// startWait notes that the connection waits for the client to send a request.
func (c *limitedConn) startWait() {
	c.forgetBody()
	c.wait.Store(c.limit.nextWait() | silent)
}

// endWait makes net/http close the connection if it is still in this wait, and reports whether it was. To
// net/http it looks like a read timeout. If net/http already has a complete request, it handles it and the
// connection stays open.
func (c *limitedConn) endWait(wait int64) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.wait.CompareAndSwap(wait, 0) {
		return false
	}
	c.closing.Store(true)
	_ = c.Conn.SetReadDeadline(longAgo)
	return true
}

var longAgo = time.Unix(1, 0)

// startRequest notes that a request has arrived. It reports whether that saved the connection from being
// closed.
func (c *limitedConn) startRequest() (spared bool) {
	if c.wait.Swap(0) != 0 {
		return false // the wait was not ended to make room
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.reported || !c.closing.Load() {
		return false
	}
	c.closing.Store(false)
	var deadline time.Time // net/http sets another when it reads on
	if c.inBody.Load() {
		deadline = c.bodyDeadline
	}
	_ = c.Conn.SetReadDeadline(deadline)
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
	if wait := c.wait.Load(); n > 0 && wait&silent != 0 {
		c.wait.CompareAndSwap(wait, c.limit.nextWait()) // a header begins, so the client is not silent: a new wait
	}
	return n, err //nolint:wrapcheck // net/http asks what it is
}

// reportClosing reports whether the connection is to be closed. If it is, Read must return an error to
// net/http, and the connection can no longer be saved.
func (c *limitedConn) reportClosing() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.reported = c.closing.Load()
	return c.reported
}

// SetReadDeadline implements net.Conn. net/http removes the deadline when the whole body has arrived,
// just before it begins to watch whether the client hangs up.
func (c *limitedConn) SetReadDeadline(t time.Time) error {
	if c.inBody.Load() {
		c.setBodyDeadline(t)
	}
	err := c.Conn.SetReadDeadline(t)
	if c.closing.Load() {
		c.repeatClosing()
	}
	return err //nolint:wrapcheck // as above
}

// repeatClosing sets endWait's deadline again after net/http has set another.
func (c *limitedConn) repeatClosing() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closing.Load() {
		_ = c.Conn.SetReadDeadline(longAgo)
	}
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

// stopClosing clears closing, and reports whether it was set.
func (c *limitedConn) stopClosing() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.closing.Swap(false)
}

// CloseWrite closes the sending side of the connection. net/http finds the method by its name.
func (c *limitedConn) CloseWrite() error {
	if half, ok := c.Conn.(interface{ CloseWrite() error }); ok {
		return half.CloseWrite() //nolint:wrapcheck // as above
	}
	return nil
}

// NetConn returns the wrapped connection. Package wire uses it to find its own.
func (c *limitedConn) NetConn() net.Conn { return c.Conn }
