package wire

import (
	"sync"
	"time"
)

// net/http sets eight deadlines in the course of a request. All but two are many seconds away and
// are removed long before they pass, yet each costs a timer. Here a far deadline is only noted, and
// Listener.Run sets it on the wrapped connection when it passes, at most a tick late. Near deadlines,
// and those that have passed, are set at once.
//
// Whether a deadline is far is measured from the last tick: reading the clock would cost more than the
// rest.
const (
	tick = 250 * time.Millisecond // how often Listener.Run checks the deadlines
	near = 4 * tick               // a deadline no further off than this is set at once: it must not be a tick late
	far  = near + tick            // measured from the last tick, which may be a tick ago
)

// deadlines are the read and write deadlines of a connection.
type deadlines struct {
	mu          sync.Mutex
	read, write deadline
}

type deadline struct {
	noted time.Time // zero is none
	set   bool      // on the wrapped connection
}

// note notes a deadline, or with the zero time that there is none, and removes one that is set.
func (d *deadline) note(t time.Time, beneath func(time.Time) error) error {
	d.noted = t
	if !d.set {
		return nil
	}
	d.set = false
	return beneath(time.Time{})
}

// setNow sets a deadline on the wrapped connection.
func (d *deadline) setNow(t time.Time, beneath func(time.Time) error) error {
	d.noted, d.set = time.Time{}, true
	return beneath(t)
}

// check sets a noted deadline that has passed at now.
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

// checkDeadlines sets the noted deadlines that have passed at now.
func (c *Conn) checkDeadlines(now time.Time) {
	c.deadlines.mu.Lock()
	defer c.deadlines.mu.Unlock()
	c.deadlines.read.check(now, c.Conn.SetReadDeadline)
	c.deadlines.write.check(now, c.Conn.SetWriteDeadline)
}
