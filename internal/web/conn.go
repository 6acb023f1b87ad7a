package web

import (
	"bytes"
	"context"
	"net"
	"sync"
	"sync/atomic"
	"time"
)

// A conn is a connection of a Server. It stands beneath net/http, where three things
// cost less than above it: the headers of an answer, the system calls that send it,
// and the limits on how long a client may take.
//
// It relies on how net/http uses a connection: one request at a time, and the head
// of an answer first, beginning with its status line. What it cannot make sense of it
// passes on unchanged.
type conn struct {
	net.Conn
	watch *watch
	phase atomic.Int64 // what the connection is busy with, and since when

	deadline bool // net/http has set one for reading

	head  []byte // headers of the answer that is being made
	armed bool   // the next bytes written are its head
	whole int    // its body is all there and has that length; 0 when not known
	held  *[]byte
	parts [2][]byte
}

// begin forgets an answer that was not given.
func (c *conn) begin() { c.head, c.armed, c.whole = c.head[:0], false, 0 }

func (c *conn) setField(name, value string) {
	c.head = append(append(append(append(c.head, name...), ": "...), value...), "\r\n"...)
}

// Read implements net.Conn.
//
// While a handler runs, net/http reads one byte ahead to notice a client that hangs
// up. That takes a system call, two deadlines and a goroutine to wake. Our handlers
// answer before any client could: nothing is read.
func (c *conn) Read(p []byte) (int, error) {
	at := c.phase.Load()
	if at&phaseMask == handling && len(p) == 1 {
		return 0, nil
	}
	n, err := c.Conn.Read(p)
	if at&phaseMask == idle && n > 0 {
		c.enter(reading)
	}
	return n, err
}

// SetReadDeadline implements net.Conn. While a handler runs net/http uses deadlines
// only to end its reading ahead, which ends by itself here; and it takes them off
// more often than it sets them.
func (c *conn) SetReadDeadline(t time.Time) error {
	if c.phase.Load()&phaseMask == handling || t.IsZero() && !c.deadline {
		return nil
	}
	c.deadline = !t.IsZero()
	return c.Conn.SetReadDeadline(t)
}

// pieceSize is how much net/http gathers before it writes.
const pieceSize = 4 << 10

// buffers hold what is sent in one piece.
var buffers = sync.Pool{New: func() any { b := make([]byte, 0, 8<<10); return &b }}

// maxBuffer is the most memory that a buffer keeps.
const maxBuffer = 64 << 10

// Write implements net.Conn. It puts the headers where they belong, and waits for the
// rest of an answer that is known to be all there: it then goes out in one system
// call instead of two.
func (c *conn) Write(p []byte) (int, error) {
	switch {
	case c.held != nil:
		return c.writeHeld(p)
	case !c.armed:
		return c.Conn.Write(p)
	}
	c.armed = false
	buffer, _ := buffers.Get().(*[]byte)
	status := bytes.IndexByte(p, '\n') + 1
	out := append(append(append((*buffer)[:0], p[:status]...), c.head...), p[status:]...)
	*buffer = out
	c.head = c.head[:0]
	if len(p) >= pieceSize && c.whole > 0 {
		if end := bytes.Index(p, []byte("\r\n\r\n")); end >= 0 && len(p)-end-4 < c.whole {
			c.held = buffer
			return len(p), nil
		}
	}
	n, err := c.Conn.Write(out)
	release(buffer)
	if err != nil {
		return min(n, len(p)), err
	}
	return len(p), nil
}

func (c *conn) writeHeld(p []byte) (int, error) {
	buffer := c.held
	c.held = nil
	c.parts = [2][]byte{*buffer, p}
	all := net.Buffers(c.parts[:])
	before := int64(len(*buffer))
	n, err := all.WriteTo(c.Conn)
	c.parts = [2][]byte{}
	release(buffer)
	return int(max(n-before, 0)), err
}

func release(buffer *[]byte) {
	if cap(*buffer) <= maxBuffer {
		buffers.Put(buffer)
	}
}

// CloseWrite ends what is sent, as net/http does with a client that still sends. It
// finds this method by its name.
func (c *conn) CloseWrite() error {
	if half, ok := c.Conn.(interface{ CloseWrite() error }); ok {
		return half.CloseWrite()
	}
	return nil
}

// arm makes what is written next the head of an answer.
func (c *conn) arm() { c.armed = c.phase.Load()&phaseMask != hijacked }

// Close implements net.Conn.
func (c *conn) Close() error {
	c.watch.forget(c)
	return c.Conn.Close()
}

type connKey struct{}

// withConn is an http.Server's ConnContext.
func withConn(ctx context.Context, c net.Conn) context.Context {
	if own, ok := c.(*conn); ok {
		return context.WithValue(ctx, connKey{}, own)
	}
	return ctx
}
