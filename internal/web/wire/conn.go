package wire

import (
	"bytes"
	"context"
	"net"
	"slices"
	"sync"
)

// A Conn is a connection beneath net/http. Its methods beyond those of net.Conn are for the handler
// of the current request, on its goroutine.
//
// It relies on how net/http writes a response: one at a time, the header first and beginning with
// its status line. What it cannot make sense of passes unchanged.
type Conn struct {
	net.Conn
	from      *Listener
	deadlines deadlines

	head         []byte    // headers of the response that is being prepared
	expectHeader bool      // the next bytes written are its header
	bodyLength   int       // the length of its body, when that is complete; 0 when it is not
	pending      *[]byte   // its header and the beginning of its body, which wait for the rest
	parts        [2][]byte // memory for net.Buffers
}

// Begin begins a response, and forgets one that was begun and not sent.
func (c *Conn) Begin() { c.head, c.expectHeader, c.bodyLength = c.head[:0], false, 0 }

// Add adds headers, but for those that are reserved.
func (c *Conn) Add(fields ...Field) {
	for i := range fields {
		c.head = append(c.head, fields[i].line...)
	}
}

// Set adds a header whose value is not known beforehand. Its name must not be reserved.
func (c *Conn) Set(name, value string) {
	c.head = append(append(append(append(c.head, name...), ": "...), Clean(value)...), "\r\n"...)
}

// Delete removes the headers with those names.
func (c *Conn) Delete(names []string) {
	kept := c.head[:0]
	for line := range bytes.Lines(c.head) {
		name, _, _ := bytes.Cut(line, []byte(":"))
		if !slices.Contains(names, string(name)) {
			kept = append(kept, line...)
		}
	}
	c.head = kept
}

// Complete says that the body to come is complete, and how long it is.
func (c *Conn) Complete(length int) { c.bodyLength = length }

// ExpectHeader says that net/http writes the response's header next.
func (c *Conn) ExpectHeader() { c.expectHeader = true }

// pieceSize is how much net/http gathers before it writes.
const pieceSize = 4 << 10

// buffers hold what is sent in one call.
var buffers = sync.Pool{New: func() any { b := make([]byte, 0, 8<<10); return &b }}

// maxBuffer is the most memory that a buffer keeps.
const maxBuffer = 64 << 10

// Write implements net.Conn. It puts the headers where they belong, and waits for the rest of a
// response that is known to be complete.
func (c *Conn) Write(p []byte) (int, error) {
	switch {
	case c.pending != nil:
		return c.writePending(p)
	case !c.expectHeader || !beginsHeader(p):
		return c.Conn.Write(p)
	}
	c.expectHeader = false
	buffer, _ := buffers.Get().(*[]byte)
	status := bytes.IndexByte(p, '\n') + 1
	out := append(append(append((*buffer)[:0], p[:status]...), c.head...), p[status:]...)
	*buffer = out
	c.head = c.head[:0]
	if len(p) >= pieceSize && c.bodyLength > 0 {
		if end := bytes.Index(p, []byte("\r\n\r\n")); end >= 0 && len(p)-end-4 < c.bodyLength {
			c.pending = buffer
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

// beginsHeader tells a final header from an informational one and from anything else.
func beginsHeader(p []byte) bool {
	const status = len("HTTP/1.1 ")
	return len(p) > status+3 && string(p[:7]) == "HTTP/1." && (p[status] != '1' || string(p[status:status+3]) == "101")
}

// Incomplete revokes Complete: the body, or the rest of it, does not come.
func (c *Conn) Incomplete() {
	c.bodyLength = 0
	if c.pending != nil {
		c.writePending(nil) //nolint:errcheck,gosec // net/http finds out when it writes
	}
}

func (c *Conn) writePending(p []byte) (int, error) {
	buffer := c.pending
	c.pending = nil
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

// CloseWrite closes the sending side, as net/http does for a client that still sends. net/http
// finds the method by its name.
func (c *Conn) CloseWrite() error {
	if half, ok := c.Conn.(interface{ CloseWrite() error }); ok {
		return half.CloseWrite()
	}
	return nil
}

// NetConn is the connection beneath.
func (c *Conn) NetConn() net.Conn { return c.Conn }

type connKey struct{}

// WithConn is an http.Server's ConnContext.
func WithConn(ctx context.Context, c net.Conn) context.Context {
	for c != nil {
		if own, ok := c.(*Conn); ok {
			return context.WithValue(ctx, connKey{}, own)
		}
		wrapper, ok := c.(interface{ NetConn() net.Conn })
		if !ok {
			break
		}
		c = wrapper.NetConn()
	}
	return ctx
}

// Of is the connection of a request by its context; nil when it came over another.
func Of(ctx context.Context) *Conn {
	c, _ := ctx.Value(connKey{}).(*Conn)
	return c
}
