package server

import (
	"context"
	"io"
	"net"
	"net/http"
	"time"
)

// A request reaches its handler before its body has arrived. A client that sends a body byte by byte would
// hold a connection that counts as busy, and a thousand such clients would hold every connection. So a
// body has a time limit of its own, and a connection whose body is incomplete counts as waiting for its
// client.

type limitedConnKey struct{}

// withConn returns a context in which limitBody finds the connection of a request.
func withConn(ctx context.Context, c net.Conn) context.Context {
	own, ok := c.(*limitedConn)
	if !ok {
		return ctx
	}
	return context.WithValue(ctx, limitedConnKey{}, own)
}

// limitBody begins the wait for the body of a request. It does not matter who reads the body: the handler, or net/http
// before it answers or before it reads the next request.
func limitBody(r *http.Request) {
	if c, ok := r.Context().Value(limitedConnKey{}).(*limitedConn); ok {
		c.startBody()
	}
}

// maxRest is how many bytes of a body readRest reads; net/http has the same limit.
const maxRest = 256 << 10

// readRest reads the rest of a body before the response is sent, on a connection that ends with the request. net/http
// does it on other connections. These it would close while the client still sends, and a proxy that speaks HTTP/1.0, as
// nginx does by default, would lose the response.
func readRest(r *http.Request, body io.Reader) {
	if r.ProtoMajor == 1 && r.Header.Get("Expect") == "" { // with Expect the client waits to be asked for the body
		_, _ = io.CopyN(io.Discard, body, maxRest) // a client that sends no more still gets its response
	}
}

// startBody notes that a body is expected, and sets its read deadline.
func (c *limitedConn) startBody() {
	c.mu.Lock()
	c.bodyWait = c.limit.nextWait()
	c.inBody.Store(true)
	c.mu.Unlock()
	_ = c.SetReadDeadline(time.Now().Add(bodyTimeout)) // fails when the connection is closed
}

// setBodyDeadline notes the read deadline of the body. The zero time means that all of it has arrived.
func (c *limitedConn) setBodyDeadline(t time.Time) {
	if t.IsZero() {
		c.endBody()
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.bodyDeadline = t
}

// forgetBody notes that no body is expected.
func (c *limitedConn) forgetBody() {
	if c.inBody.Load() {
		c.inBody.Store(false)
	}
}

// endBody notes that the whole body has arrived: from now on the connection is busy.
func (c *limitedConn) endBody() {
	c.mu.Lock()
	c.inBody.Store(false)
	c.mu.Unlock()
	c.endBodyWait()
}

// startBodyWait notes that a read waits for the rest of a body, and reports whether a body is expected. The
// wait counts from the call of the handler, however many bytes have arrived since.
func (c *limitedConn) startBodyWait() bool {
	c.mu.Lock()
	waits := c.inBody.Load()
	if waits {
		c.wait.Store(c.bodyWait)
	}
	c.mu.Unlock()
	if waits {
		c.limit.wake()
	}
	return waits
}

// endBodyWait notes that a part of the body has arrived.
func (c *limitedConn) endBodyWait() {
	if c.startRequest() {
		c.limit.spared()
	}
}
