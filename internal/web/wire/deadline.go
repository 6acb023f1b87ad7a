package wire

import (
	"sync"
	"time"
)

// net/http sets eight deadlines in the course of a request. All but two are many seconds away and
// are removed long before, yet each costs a timer. Here a far deadline is only noted, and
// Listener.Run sets it on the connection beneath when it comes, at most a tick late. Near
// deadlines, and those that have passed, are set at once.
const (
	tick = 250 * time.Millisecond // how often Listener.Run looks
	near = 4 * tick               // up to here a deadline is set at once: it must not be a tick late
)

// deadlines are those of a connection.
type deadlines struct {
	mu          sync.Mutex
	read, write deadline
}

type deadline struct {
	noted time.Time // zero is none
	set   bool      // the connection beneath has one
}

// change notes a deadline or sets it on the connection beneath.
func (d *deadline) change(t time.Time, note bool, beneath func(time.Time) error) error {
	d.noted = time.Time{}
	if !t.IsZero() {
		if !note || time.Until(t) < near {
			d.set = true
			return beneath(t)
		}
		d.noted = t
	}
	if !d.set {
		return nil
	}
	d.set = false
	return beneath(time.Time{})
}

// check sets a noted deadline that is not after now.
func (d *deadline) check(now time.Time, beneath func(time.Time) error) {
	if !d.noted.IsZero() && !d.noted.After(now) {
		_ = d.change(d.noted, false, beneath) // fails when the connection is closed
	}
}

// SetReadDeadline implements net.Conn.
func (c *Conn) SetReadDeadline(t time.Time) error {
	c.deadlines.mu.Lock()
	defer c.deadlines.mu.Unlock()
	return c.deadlines.read.change(t, !c.from.ended.Load(), c.Conn.SetReadDeadline)
}

// SetWriteDeadline implements net.Conn.
func (c *Conn) SetWriteDeadline(t time.Time) error {
	c.deadlines.mu.Lock()
	defer c.deadlines.mu.Unlock()
	return c.deadlines.write.change(t, !c.from.ended.Load(), c.Conn.SetWriteDeadline)
}

// SetDeadline implements net.Conn.
func (c *Conn) SetDeadline(t time.Time) error {
	if err := c.SetReadDeadline(t); err != nil {
		return err
	}
	return c.SetWriteDeadline(t)
}

// checkDeadlines sets the noted deadlines that are not after now.
func (c *Conn) checkDeadlines(now time.Time) {
	c.deadlines.mu.Lock()
	defer c.deadlines.mu.Unlock()
	c.deadlines.read.check(now, c.Conn.SetReadDeadline)
	c.deadlines.write.check(now, c.Conn.SetWriteDeadline)
}
