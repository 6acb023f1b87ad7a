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
	limit *connLimit
	wait  atomic.Int64 // the number of its wait for its client, perhaps silent; 0 when it does not wait

	mu       sync.Mutex  // held to change what follows
	closing  atomic.Bool // it is to be closed to make room
	reported bool        // and net/http knows

	inBody       atomic.Bool // the handler has been called, and the body has not all come
	bodyWait     int64       // the number of the wait for it
	bodyDeadline time.Time   // of that wait, as it was set last
}

// silent is the bit of a wait in which no byte has come.
const silent = 1

// startWait notes that it is the client's turn.
func (c *limitedConn) startWait() {
	c.forgetBody()
	c.wait.Store(c.limit.nextWait() | silent)
}

// endWait makes net/http close the connection, if it is still in that wait. net/http takes the client
// for too slow; should it have a whole request by then, it goes on.
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

// startRequest notes that a request is there. It reports whether the connection was about to be
// closed and now is not.
func (c *limitedConn) startRequest() (spared bool) {
	if c.wait.Swap(0) != 0 {
		return false // nobody has ended the wait
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
		c.wait.CompareAndSwap(wait, c.limit.nextWait()) // a header begins: the client is slow, not silent
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
	if c.inBody.Load() {
		c.setBodyDeadline(t)
	}
	err := c.Conn.SetReadDeadline(t)
	if c.closing.Load() {
		c.repeatClosing()
	}
	return err //nolint:wrapcheck // as above
}

// repeatClosing sets the deadline of endWait again, after net/http has set another.
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
