package wire

import (
	"bytes"
	"context"
	"net"
	"slices"
	"sync"
)

// A Conn is a connection that net/http reads and writes. Its methods beyond those of net.Conn are for
// the handler of the current request, on its goroutine.
//
// It relies on how net/http writes responses: one at a time, and the header first, beginning with its
// status line. Anything that it does not recognise passes through unchanged.
type Conn struct {
	net.Conn
	from      *Listener
	deadlines deadlines

	head         []byte    // headers of the response that is being prepared
	expectHeader bool      // the next bytes written are its header
	bodyLength   int       // the length of its body, if Complete was called; else 0
	pending      *[]byte   // its header and the beginning of its body, unsent until the rest is written
	parts        [2][]byte // memory for net.Buffers
}

// Begin begins a response, and discards one that was begun and not sent.
func (c *Conn) Begin() { c.head, c.expectHeader, c.bodyLength = c.head[:0], false, 0 }

// Add adds headers, except those that are reserved.
func (c *Conn) Add(fields ...Field) {
	for i := range fields {
		c.head = append(c.head, fields[i].line...)
	}
}

// Set adds a header whose value is not known in advance. Its name must not be reserved.
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

// Complete announces that the handler will write the whole body at once, and its length in bytes.
func (c *Conn) Complete(length int) { c.bodyLength = length }

// ExpectHeader announces that the next header net/http writes is this response's.
func (c *Conn) ExpectHeader() { c.expectHeader = true }

// pieceSize is the size of net/http's write buffer.
const pieceSize = 4 << 10

// buffers hold the bytes to be sent in one system call.
var buffers = sync.Pool{New: func() any { b := make([]byte, 0, 8<<10); return &b }}

// maxBuffer is the largest capacity, in bytes, with which a buffer returns to the pool.
const maxBuffer = 64 << 10

// Write implements net.Conn. It inserts the headers after the status line. The first piece of a response
// that was announced with Complete is held back, to be sent with the rest.
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

// beginsHeader reports whether p begins with the header of a final response, not of an informational one.
func beginsHeader(p []byte) bool {
	const status = len("HTTP/1.1 ")
	return len(p) > status+3 && string(p[:7]) == "HTTP/1." && (p[status] != '1' || string(p[status:status+3]) == "101")
}

// Incomplete revokes Complete when the rest of the body will not be written. It sends what was held back.
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

// CloseWrite closes the sending side of the connection. net/http finds the method by its name, and
// calls it when the client may still be sending.
func (c *Conn) CloseWrite() error {
	if half, ok := c.Conn.(interface{ CloseWrite() error }); ok {
		return half.CloseWrite()
	}
	return nil
}

// NetConn returns the wrapped connection.
func (c *Conn) NetConn() net.Conn { return c.Conn }

type connKey struct{}

// WithConn returns a context from which Of returns c, or the Conn that c wraps. It is made for an
// http.Server's ConnContext.
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

// Of returns the Conn of a request from the request's context; nil if it came over another kind of
// connection.
func Of(ctx context.Context) *Conn {
	c, _ := ctx.Value(connKey{}).(*Conn)
	return c
}
