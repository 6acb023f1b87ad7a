package web

import (
	"bytes"
	"io"
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
	Piece time.Duration // for a piece of 64 KB
	Whole time.Duration // for all of it
}

const pieceSize = 64 << 10

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
	control, end := http.NewResponseController(w), time.Now().Add(p.Whole)
	piece := make([]byte, pieceSize)
	for {
		n, err := io.ReadFull(body, piece)
		if n > 0 {
			until := time.Now().Add(p.Piece)
			if end.Before(until) {
				until = end
			}
			_ = control.SetWriteDeadline(until) // where there is no connection, nobody is slow
			if _, err := w.Write(piece[:n]); err != nil {
				return err
			}
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
