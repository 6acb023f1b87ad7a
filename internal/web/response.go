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

// minCompressed is the smallest body worth compressing, in bytes: a smaller one fits into one packet anyway.
const minCompressed = 1024

var encodings = [...]negotiate.Encoding{negotiate.Identity, negotiate.Gzip, negotiate.Zstd}

// A Response is a complete response of any surface: its status, its own headers, and its body in one or
// more encodings. The surface adds Cache-Control and the headers that all its responses have. It must not
// change once it is shared between goroutines.
type Response struct {
	Status int
	Fields []Field // its own headers: links, a total, a Location
	// Passing says that it is not worth caching, such as a page beyond the end of a list.
	Passing bool
	// Uncompressed says that it is never compressed, because its tag is for the uncompressed body only.
	Uncompressed bool

	packed      bool     // by NewPacked: there is only a gzip form
	contentType []string // nil for none
	tag         string   // the base of the entity tags; "" for none
	size        int      // of the uncompressed body
	body        []byte   // uncompressed; nil when only the compressed form is kept
	variants    [len(encodings)]*variant
}

// A variant is a response in one encoding.
type variant struct {
	etag   string
	fields []Field // the tag, if there is one, and Content-Encoding
	length []string
	body   []byte
}

// NewResponse returns a response with an uncompressed body. The tag must identify exactly these bytes; ""
// gives the response no entity tag.
func NewResponse(status int, contentType, tag string, body []byte, fields ...Field) *Response {
	r := &Response{Status: status, Fields: fields, tag: tag, size: len(body), body: body}
	if contentType != "" {
		r.contentType = []string{contentType}
	}
	r.variants[negotiate.Identity] = r.encode(negotiate.Identity, negotiate.Usual)
	return r
}

// TagOf returns a tag for a body, made from its hash.
func TagOf(body []byte) string {
	sum := sha256.Sum256(body)
	return hex.EncodeToString(sum[:12])
}

// Redirect returns a response without a body that redirects to an address with this status.
func Redirect(status int, to string) *Response {
	return NewResponse(status, "", "", nil, NewField("Location", to))
}

// Compress adds the response's body in every encoding, unless it is too small or Uncompressed. It returns r.
func (r *Response) Compress() *Response {
	if r.size < minCompressed || r.Uncompressed {
		return r
	}
	for _, e := range encodings[1:] {
		r.variants[e] = r.encode(e, negotiate.Usual)
	}
	return r
}

// Pack drops the uncompressed body of a compressed response, to save memory. For clients that accept no
// compression it is unpacked while it is sent. It returns r.
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

// tagged returns a variant without a body, which is enough for a 304.
func (r *Response) tagged(e negotiate.Encoding, l negotiate.Level) *variant {
	if r.tag == "" {
		return &variant{}
	}
	tag := e.ETag(r.tag, l)
	return &variant{etag: tag, fields: []Field{NewField("Etag", tag)}}
}

// BodySize returns the size of the uncompressed body.
func (r *Response) BodySize() int { return r.size }

// Size returns roughly how many bytes of memory the response takes.
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

// A Match says whether the client's If-None-Match matches a response.
type Match uint8

// The kinds of match.
const (
	NoMatch  Match = iota
	MatchAny       // by "*": any version will do
	MatchTag       // by a tag that the client names
)

// A Choice is the variant of a response to send to a client, or the match for which to send a 304.
type Choice struct {
	Match    Match
	response *Response
	variant  *variant
}

// Choose returns what to send to a client with these request headers. A body that is not kept in the
// client's best encoding is compressed on the spot if allow permits that many bytes, or if the client
// refuses an uncompressed one. So a shared cache that asks only once does not store it uncompressed. A
// nil allow compresses nothing.
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

// Match returns a Choice that says only whether these request headers match the response. It is for a 304:
// without a match it has nothing to write.
func (r *Response) Match(h http.Header) Choice { return r.match(h, r.accepted(h)) }

// accepted returns the encodings that the response may be sent in.
func (r *Response) accepted(h http.Header) negotiate.Accepted {
	if lines := h["Accept-Encoding"]; len(lines) > 0 && r.size >= minCompressed && !r.Uncompressed {
		accepted := negotiate.ParseAccepted(lines)
		if r.packed {
			accepted = accepted.Without(negotiate.Zstd)
		}
		return accepted
	}
	return negotiate.Accepted{} // identity alone
}

// match compares If-None-Match with the tags of every accepted encoding: a client has the response if it
// has it in any of them. The 304 carries the tag that matched.
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

// kept returns the variant in that encoding at the usual level; it has no body when none is kept.
func (r *Response) kept(e negotiate.Encoding) *variant {
	if v := r.variants[e]; v != nil {
		return v
	}
	return r.tagged(e, negotiate.Usual)
}

// Write sends the chosen variant, or a 304 if the client has it.
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

// Write sends the response in the best encoding that is kept, or a 304 if the client has it. It compresses nothing.
func (r *Response) Write(w http.ResponseWriter, req *http.Request) {
	r.Choose(req.Header, nil).Write(w, req)
}

// unpack decompresses a body while it sends it. Only a client that has left can make it fail, so it
// returns no error.
func unpack(w http.ResponseWriter, packed []byte) {
	if z, err := gzip.NewReader(bytes.NewReader(packed)); err == nil {
		_, _ = io.Copy(w, z)
	}
}
