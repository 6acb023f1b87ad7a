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

// NewPacked makes a response of a body that is kept compressed alone. The tag names the body as it is, of that
// many bytes.
func NewPacked(contentType, tag string, size int, packed []byte, fields ...Field) *Response {
	r := &Response{Status: http.StatusOK, Fields: fields, tag: tag, size: size, packed: true, contentType: []string{contentType}}
	plain, zipped := r.tagged(negotiate.Identity, negotiate.Usual), r.tagged(negotiate.Gzip, negotiate.Usual)
	plain.length, zipped.length = []string{strconv.Itoa(size)}, []string{strconv.Itoa(len(packed))}
	zipped.body = packed
	zipped.fields = append(zipped.fields, NewField("Content-Encoding", negotiate.Gzip.String()))
	r.variants[negotiate.Identity], r.variants[negotiate.Gzip] = plain, zipped
	return r
}

// A Pace is how slow a client may be that downloads something large.
type Pace struct {
	Rate  int           // bytes a second that it takes at least
	Slack time.Duration // by how much it may fall behind that
	Whole time.Duration // for all of it
}

const (
	pieceSize = 64 << 10
	// sendBuffer is what the kernel may hold of a download that the client has not taken. The kernel would let that grow to
	// 4 MB, and says that there is room again when a third of it is free: whoever reads 40 KB a second is then silent for
	// half a minute, and looks as if he read nothing.
	sendBuffer = 256 << 10
)

type connKey struct{}

// WithConn tells Stream which connection a request came by. A server calls it for each.
func WithConn(ctx context.Context, c net.Conn) context.Context {
	return context.WithValue(ctx, connKey{}, c)
}

// boundSending bounds what the kernel holds of what is sent.
func boundSending(ctx context.Context) {
	c, _ := ctx.Value(connKey{}).(net.Conn)
	for c != nil {
		if b, ok := c.(interface{ SetWriteBuffer(bytes int) error }); ok {
			_ = b.SetWriteBuffer(sendBuffer) // a wish: without it, slow clients are cut a little early
			return
		}
		wrapped, ok := c.(interface{ NetConn() net.Conn })
		if !ok {
			return
		}
		c = wrapped.NetConn()
	}
}

// Stream sends what was chosen of a packed response, piece by piece: a large one takes longer than the server
// gives to an answer. The error says that the client has left, or was too slow.
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
			began := time.Now() // the client is not to blame for the time that we take
			until := began.Add(p.Slack - behind)
			if end.Before(until) {
				until = end
			}
			_ = control.SetWriteDeadline(until) // where there is no connection, nobody is slow
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
