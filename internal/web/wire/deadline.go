package wire

import (
	"sync"
	"time"
)

// net/http sets eight deadlines in the course of a request. All but two are many seconds away and
// are removed long before, yet each costs a timer. Here a far deadline is only noted, and
// Listener.Run sets it on the connection beneath when it comes, at most a tick late. Near
// deadlines, and those that have passed, are set at once.
//
// What is far is told by the time of the last tick: reading the clock would cost more than the rest.
const (
	tick = 250 * time.Millisecond // how often Listener.Run looks
	near = 4 * tick               // up to here a deadline is set at once: it must not be a tick late
	far  = near + tick            // from the last tick on
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

// note notes a deadline, or that there is none.
func (d *deadline) note(t time.Time, beneath func(time.Time) error) error {
	d.noted = t
	if !d.set {
		return nil
	}
	d.set = false
	return beneath(time.Time{})
}

// setNow sets a deadline on the connection beneath.
func (d *deadline) setNow(t time.Time, beneath func(time.Time) error) error {
	d.noted, d.set = time.Time{}, true
	return beneath(t)
}

// check sets a noted deadline that is not after now.
func (d *deadline) check(now time.Time, beneath func(time.Time) error) {
	if !d.noted.IsZero() && !d.noted.After(now) {
		_ = d.setNow(d.noted, beneath) // fails when the connection is closed
	}
}

// SetReadDeadline implements net.Conn.
func (c *Conn) SetReadDeadline(t time.Time) error {
	c.deadlines.mu.Lock()
	defer c.deadlines.mu.Unlock()
	if c.from.canNote(t) {
		return c.deadlines.read.note(t, c.Conn.SetReadDeadline)
	}
	return c.deadlines.read.setNow(t, c.Conn.SetReadDeadline)
}

// SetWriteDeadline implements net.Conn.
func (c *Conn) SetWriteDeadline(t time.Time) error {
	c.deadlines.mu.Lock()
	defer c.deadlines.mu.Unlock()
	if c.from.canNote(t) {
		return c.deadlines.write.note(t, c.Conn.SetWriteDeadline)
	}
	return c.deadlines.write.setNow(t, c.Conn.SetWriteDeadline)
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
