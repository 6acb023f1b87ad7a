package wire

import (
	"sync"
	"time"
)

// net/http sets eight deadlines in the course of a request. All but two are many seconds
// away and are taken off again long before, yet each costs a timer. Here a far deadline
// is only noted, and Listener.Run makes it a real one when it comes, to the exactness
// of a tick. Near ones, and those that have passed, are real at once.

// near is the distance from which a deadline is only noted: few enough ticks that a tick
// hardly matters to it.
const near = 4 * tick

// tick is how often Listener.Run looks.
const tick = 250 * time.Millisecond

// deadlines are those of a connection.
type deadlines struct {
	mu          sync.Mutex
	read, write deadline
}

type deadline struct {
	noted time.Time // zero is none
	real  bool      // the connection beneath has one
}

// set notes a deadline or passes it on.
func (d *deadline) set(t time.Time, note bool, pass func(time.Time) error) error {
	d.noted = time.Time{}
	if !t.IsZero() {
		if !note || time.Until(t) < near {
			d.real = true
			return pass(t)
		}
		d.noted = t
	}
	if !d.real {
		return nil
	}
	d.real = false
	return pass(time.Time{})
}

// come makes the deadline real if it is not after now.
func (d *deadline) come(now time.Time, pass func(time.Time) error) {
	if !d.noted.IsZero() && !d.noted.After(now) {
		_ = d.set(d.noted, false, pass) // fails when the connection is closed
	}
}

// SetReadDeadline implements net.Conn.
func (c *Conn) SetReadDeadline(t time.Time) error {
	c.deadlines.mu.Lock()
	defer c.deadlines.mu.Unlock()
	return c.deadlines.read.set(t, !c.from.ended.Load(), c.Conn.SetReadDeadline)
}

// SetWriteDeadline implements net.Conn.
func (c *Conn) SetWriteDeadline(t time.Time) error {
	c.deadlines.mu.Lock()
	defer c.deadlines.mu.Unlock()
	return c.deadlines.write.set(t, !c.from.ended.Load(), c.Conn.SetWriteDeadline)
}

// SetDeadline implements net.Conn.
func (c *Conn) SetDeadline(t time.Time) error {
	if err := c.SetReadDeadline(t); err != nil {
		return err
	}
	return c.SetWriteDeadline(t)
}

func (c *Conn) look(now time.Time) {
	c.deadlines.mu.Lock()
	defer c.deadlines.mu.Unlock()
	c.deadlines.read.come(now, c.Conn.SetReadDeadline)
	c.deadlines.write.come(now, c.Conn.SetWriteDeadline)
}
