package server

import (
	"context"
	"io"
	"net"
	"net/http"
	"time"
)

// A request reaches its handler before its body has come. Whoever sends one byte by byte would
// otherwise hold a connection that counts as busy, and a thousand of them every connection there is.
// So a body has a time limit of its own, and a connection that waits for one waits for its client.

type limitedConnKey struct{}

// withConn lets limitBody find the connection of a request.
func withConn(ctx context.Context, c net.Conn) context.Context {
	own, ok := c.(*limitedConn)
	if !ok {
		return ctx
	}
	return context.WithValue(ctx, limitedConnKey{}, own)
}

// limitBody begins the wait for the body of a request, whoever reads it: the handler, or net/http
// before it answers and before it reads the next request.
func limitBody(r *http.Request) {
	if c, ok := r.Context().Value(limitedConnKey{}).(*limitedConn); ok {
		c.startBody()
	}
}

// maxRest is how much of a body is read that its handler did not want, as in net/http.
const maxRest = 256 << 10

// readRest reads what is left of a body before the answer is sent, on a connection that ends with the request. net/http does that on others. On
// these it would close while the client still sends, and a proxy that speaks HTTP/1.0, as nginx does unless told otherwise, would lose the answer.
func readRest(r *http.Request, body io.Reader) {
	if r.ProtoMajor == 1 && r.Header.Get("Expect") == "" { // else the client waits to be asked for it
		_, _ = io.CopyN(io.Discard, body, maxRest) // whoever sends no more has its answer all the same
	}
}

// startBody notes that a body is to come.
func (c *limitedConn) startBody() {
	c.mu.Lock()
	c.bodyWait = c.limit.nextWait()
	c.inBody.Store(true)
	c.mu.Unlock()
	_ = c.SetReadDeadline(time.Now().Add(bodyTimeout)) // fails when the connection is closed
}

// setBodyDeadline notes the deadline of the wait for a body; none says that all of it is there.
func (c *limitedConn) setBodyDeadline(t time.Time) {
	if t.IsZero() {
		c.endBody()
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.bodyDeadline = t
}

// forgetBody notes that no body is to come.
func (c *limitedConn) forgetBody() {
	if c.inBody.Load() {
		c.inBody.Store(false)
	}
}

// endBody notes that all of it is there: from now on the connection is busy.
func (c *limitedConn) endBody() {
	c.mu.Lock()
	c.inBody.Store(false)
	c.mu.Unlock()
	c.endBodyWait()
}

// startBodyWait notes that the rest of a body is waited for. It reports whether there is one. However
// many bytes come meanwhile, it has waited since the handler was called.
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

// endBodyWait notes that a part of it has come.
func (c *limitedConn) endBodyWait() {
	if c.startRequest() {
		c.limit.spared()
	}
}
