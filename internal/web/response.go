package web

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"net/http"
	"strconv"

	"github.com/klauspost/compress/gzip"

	"github.com/palmares-hq/palmares/internal/web/negotiate"
)

// minCompressed is the size from which a body is worth compressing: a smaller one fits into one packet
// anyway.
const minCompressed = 1024

var encodings = [...]negotiate.Encoding{negotiate.Identity, negotiate.Gzip, negotiate.Zstd}

// A Response is an answer of any surface, complete before a header of it is set: its status, its own
// headers, and its body in the encodings that it is kept in. Cache-Control, and the headers that all
// answers of a surface have, are the surface's affair. Once it is shared it must not change.
type Response struct {
	Status int
	Fields []Field // its own headers: links, a total, a place to go to
	// Passing says that it is not worth keeping: a page beyond the end of a list.
	Passing bool
	// Plain says that it is never compressed: its tag names it in no other form.
	Plain bool

	packed      bool     // it was made of its gzip form, and there is no other
	contentType []string // nil for none
	tag         string   // of which entity tags are made; "" for none
	size        int      // of the body as it is
	body        []byte   // as it is; nil when it is packed
	variants    [len(encodings)]*variant
}

// A variant is a response in one encoding.
type variant struct {
	etag   string
	fields []Field // the tag, if there is one, and Content-Encoding
	length []string
	body   []byte
}

// NewResponse makes a response with a body as it is. The tag names the body's bytes, and nothing else; ""
// gives the response no entity tag.
func NewResponse(status int, contentType, tag string, body []byte, fields ...Field) *Response {
	r := &Response{Status: status, Fields: fields, tag: tag, size: len(body), body: body}
	if contentType != "" {
		r.contentType = []string{contentType}
	}
	r.variants[negotiate.Identity] = r.encode(negotiate.Identity, negotiate.Usual)
	return r
}

// TagOf is a tag for bytes that have none.
func TagOf(body []byte) string {
	sum := sha256.Sum256(body)
	return hex.EncodeToString(sum[:12])
}

// Redirect makes a response that leads to another address.
func Redirect(status int, to string) *Response {
	return NewResponse(status, "", "", nil, NewField("Location", to))
}

// Compress keeps the response in every encoding, if that is worth it.
func (r *Response) Compress() *Response {
	if r.size < minCompressed || r.Plain {
		return r
	}
	for _, e := range encodings[1:] {
		r.variants[e] = r.encode(e, negotiate.Usual)
	}
	return r
}

// Pack keeps a compressed response compressed alone. Whoever does not take it so gets it unpacked as it
// is sent.
func (r *Response) Pack() *Response {
	if r.variants[negotiate.Gzip] != nil {
		r.body, r.variants[negotiate.Identity].body = nil, nil
	}
	return r
}

func (r *Response) encode(e negotiate.Encoding, l negotiate.Level) *variant {
	v := r.tagged(e, l)
	v.body = negotiate.Compress(e, l, r.body)
	v.length = []string{strconv.Itoa(len(v.body))}
	if e != negotiate.Identity {
		v.fields = append(v.fields, NewField("Content-Encoding", e.String()))
	}
	return v
}

// tagged makes a variant without its body: enough for a 304.
func (r *Response) tagged(e negotiate.Encoding, l negotiate.Level) *variant {
	if r.tag == "" {
		return &variant{}
	}
	tag := e.ETag(r.tag, l)
	return &variant{etag: tag, fields: []Field{NewField("Etag", tag)}}
}

// BodySize is the size of the body as it is.
func (r *Response) BodySize() int { return r.size }

// Size is about how many bytes of memory the response takes.
func (r *Response) Size() int {
	n := 1024 // the structs and the entry of a cache
	for i := range r.Fields {
		_, value := r.Fields[i].Header()
		n += 4 * len(value[0])
	}
	for _, v := range r.variants {
		if v != nil {
			n += 512 + cap(v.body)
		}
	}
	return n
}

// A Match tells by If-None-Match what the client has of a response.
type Match uint8

// What a client has.
const (
	NoMatch  Match = iota
	MatchAny       // by "*": any version will do
	MatchTag       // by a tag that the client names
)

// A Choice is what of a response to send to a client.
type Choice struct {
	Match    Match
	response *Response
	variant  *variant
}

// Choose finds what to send to a client with these request headers. A variant that is not kept is
// compressed at once where allow says that so many bytes may be, so that a shared cache that asks for it
// once does not store it uncompressed. A nil allow compresses nothing.
func (r *Response) Choose(h http.Header, allow func(bytes int) bool) Choice {
	accepted := r.accepted(h)
	if c := r.match(h, accepted); c.Match != NoMatch {
		return c
	}
	best := accepted.Best()
	v := r.variants[best]
	switch {
	case v != nil:
	case allow == nil, accepted.Allows(negotiate.Identity) && !allow(r.size):
		v = r.variants[negotiate.Identity]
	default:
		v = r.encode(best, negotiate.Fast)
	}
	return Choice{NoMatch, r, v}
}

// Match tells what a client with these request headers has of the response.
func (r *Response) Match(h http.Header) Choice { return r.match(h, r.accepted(h)) }

// accepted returns the encodings that the response may be sent in.
func (r *Response) accepted(h http.Header) negotiate.Accepted {
	if lines := h["Accept-Encoding"]; len(lines) > 0 && r.size >= minCompressed && !r.Plain {
		accepted := negotiate.ParseAccepted(lines)
		if r.packed {
			accepted = accepted.Without(negotiate.Zstd)
		}
		return accepted
	}
	return negotiate.Accepted{} // identity alone
}

// A client that accepts several encodings has the response if it has any of them. The 304 names the one
// it has.
func (r *Response) match(h http.Header, accepted negotiate.Accepted) Choice {
	none := Choice{NoMatch, r, nil}
	tags := h["If-None-Match"]
	if len(tags) == 0 || r.tag == "" || r.Status != http.StatusOK {
		return none
	}
	best := accepted.Best()
	if negotiate.MatchAnyETag(tags) {
		return Choice{MatchAny, r, r.kept(best)}
	}
	if v := r.named(tags, best); v != nil {
		return Choice{MatchTag, r, v}
	}
	for _, e := range encodings {
		if e == best || !accepted.Allows(e) {
			continue
		}
		if v := r.named(tags, e); v != nil {
			return Choice{MatchTag, r, v}
		}
	}
	return none
}

// named returns the variant in that encoding, of either level, whose tag is among tags.
func (r *Response) named(tags []string, e negotiate.Encoding) *variant {
	if v := r.kept(e); negotiate.MatchETag(tags, v.etag) {
		return v
	}
	if e == negotiate.Gzip { // the only encoding with two levels
		if v := r.tagged(e, negotiate.Fast); negotiate.MatchETag(tags, v.etag) {
			return v
		}
	}
	return nil
}

// kept returns a variant of the usual level, with at least its tag.
func (r *Response) kept(e negotiate.Encoding) *variant {
	if v := r.variants[e]; v != nil {
		return v
	}
	return r.tagged(e, negotiate.Usual)
}

// Write sends what was chosen, or a 304 if the client has it.
func (c Choice) Write(w http.ResponseWriter, req *http.Request) {
	SetFields(w, c.response.Fields...)
	if c.Match != NoMatch {
		SetFields(w, c.variant.fields[:1]...) // the tag alone
		w.WriteHeader(http.StatusNotModified)
		return
	}
	SetFields(w, c.variant.fields...)
	h := w.Header()
	if c.response.contentType != nil {
		h["Content-Type"] = c.response.contentType
	}
	h["Content-Length"] = c.variant.length
	if packed := c.response.variants[negotiate.Gzip]; packed != nil && c.variant.body == nil {
		w.WriteHeader(c.response.Status)
		if req.Method != http.MethodHead {
			unpack(w, packed.body)
		}
		return
	}
	WriteComplete(w, req, c.response.Status, c.variant.body)
}

// Write sends the response in an encoding that it is kept in, or a 304 if the client has it.
func (r *Response) Write(w http.ResponseWriter, req *http.Request) {
	r.Choose(req.Header, nil).Write(w, req)
}

// unpack sends a body that is kept compressed alone, as it takes it in. It fails only when the
// client has left.
func unpack(w http.ResponseWriter, packed []byte) {
	if z, err := gzip.NewReader(bytes.NewReader(packed)); err == nil {
		_, _ = io.Copy(w, z)
	}
}
