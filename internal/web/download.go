package web

import (
	"bytes"
	"context"
	"io"
	"net"
	"net/http"
	"strconv"
	"time"

	"github.com/klauspost/compress/gzip"

	"github.com/palmares-hq/palmares/internal/web/negotiate"
)

// NewPacked returns a response whose body is kept only in gzip. The tag identifies the uncompressed body, which
// has size bytes.
func NewPacked(contentType, tag string, size int, packed []byte, fields ...Field) *Response {
	r := &Response{Status: http.StatusOK, Fields: fields, tag: tag, size: size, packed: true, contentType: []string{contentType}}
	plain, zipped := r.tagged(negotiate.Identity, negotiate.Usual), r.tagged(negotiate.Gzip, negotiate.Usual)
	plain.length, zipped.length = []string{strconv.Itoa(size)}, []string{strconv.Itoa(len(packed))}
	zipped.body = packed
	zipped.fields = append(zipped.fields, NewField("Content-Encoding", negotiate.Gzip.String()))
	r.variants[negotiate.Identity], r.variants[negotiate.Gzip] = plain, zipped
	return r
}

// A Pace is how slowly a client may download something large before it is cut off.
type Pace struct {
	Rate  int           // the slowest rate allowed, in bytes a second
	Slack time.Duration // how far the client may fall behind Rate
	Whole time.Duration // the longest that a download may take
}

const (
	pieceSize = 64 << 10
	// sendBuffer is the size of a download's send buffer in the kernel, in bytes. The kernel would let the buffer grow
	// to 4 MB and report room for more only when a third of it is free. A client that reads 40 KB a second would then
	// seem to read nothing for half a minute.
	sendBuffer = 256 << 10
)

type connKey struct{}

// WithConn returns a context that tells Stream the connection of a request. An http.Server's ConnContext calls it.
func WithConn(ctx context.Context, c net.Conn) context.Context {
	return context.WithValue(ctx, connKey{}, c)
}

// boundSending limits the kernel's send buffer of the request's connection to sendBuffer.
func boundSending(ctx context.Context) {
	c, _ := ctx.Value(connKey{}).(net.Conn)
	for c != nil {
		if b, ok := c.(interface{ SetWriteBuffer(bytes int) error }); ok {
			_ = b.SetWriteBuffer(sendBuffer) // best effort: without it, slow clients are cut off a little early
			return
		}
		wrapped, ok := c.(interface{ NetConn() net.Conn })
		if !ok {
			return
		}
		c = wrapped.NetConn()
	}
}

// Stream sends the chosen variant of a packed response, or a 304, piece by piece. It moves the write deadline for
// each piece, because a large download takes longer than the server's write timeout. The error says that the client
// has left, or was too slow.
func (c Choice) Stream(w http.ResponseWriter, req *http.Request, p Pace) error {
	if c.Match != NoMatch || req.Method == http.MethodHead {
		c.Write(w, req)
		return nil
	}
	packed := c.response.variants[negotiate.Gzip].body
	var body io.Reader = bytes.NewReader(packed)
	if c.variant.body == nil {
		z, err := gzip.NewReader(body)
		if err != nil {
			return err
		}
		body = z
	}
	SetFields(w, c.response.Fields...)
	SetFields(w, c.variant.fields...)
	h := w.Header()
	h["Content-Type"], h["Content-Length"] = c.response.contentType, c.variant.length
	w.WriteHeader(c.response.Status)
	boundSending(req.Context())
	control, end := http.NewResponseController(w), time.Now().Add(p.Whole)
	piece, behind := make([]byte, pieceSize), time.Duration(0)
	for {
		n, err := io.ReadFull(body, piece)
		if n > 0 {
			began := time.Now() // the time that we take to decompress does not count
			until := began.Add(p.Slack - behind)
			if end.Before(until) {
				until = end
			}
			_ = control.SetWriteDeadline(until) // fails only where there is no connection, and so no slow client
			if _, err := w.Write(piece[:n]); err != nil {
				return err
			}
			due := time.Duration(n) * time.Second / time.Duration(p.Rate)
			behind = max(0, behind+time.Since(began)-due)
		}
		switch err {
		case nil:
		case io.EOF, io.ErrUnexpectedEOF:
			return nil
		default:
			return err
		}
	}
}
