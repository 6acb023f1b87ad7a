package api

import (
	"net/http"
	"net/url"
	"strconv"

	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/web"
	"github.com/palmares-hq/palmares/internal/web/negotiate"
)

// A source is what responses are made from.
type source struct {
	*catalog.Snapshot
	baseURL string // the service's own; "" when it is not known, and links are then relative
}

// minCompressed is the size from which a body is worth compressing: a smaller one fits into one
// packet anyway.
const minCompressed = 1024

var encodings = [...]negotiate.Encoding{negotiate.Identity, negotiate.Gzip, negotiate.Zstd}

// A response is a document with its headers, complete before a byte of it is sent.
type response struct {
	document catalog.Document
	headers  []web.Field // of a list: its total and its links
	link     string
	empty    bool // a page without items
	variants [len(encodings)]*variant
}

// A variant is a response in one encoding.
type variant struct {
	etag    string
	headers []web.Field // ETag, then Content-Encoding
	length  []string
	body    []byte
}

// newResponse makes a response with its identity variant.
func newResponse(d catalog.Document) *response {
	r := &response{document: d}
	r.variants[negotiate.Identity] = r.encode(negotiate.Identity, negotiate.Usual)
	return r
}

// newPage makes the response of one page of the list at listURL.
func newPage(listURL string, params url.Values, p catalog.JSONPage) *response {
	r := newResponse(p.Document())
	r.headers = append(r.headers, web.NewField("X-Total-Count", strconv.Itoa(p.Total)))
	if r.link = pageLinks(listURL, params, p); r.link != "" {
		r.headers = append(r.headers, web.NewField("Link", r.link))
	}
	r.empty = len(p.Items) == 0
	return r
}

// compress makes every variant, at the usual level.
func (r *response) compress() {
	if len(r.document.Body) < minCompressed {
		return
	}
	for _, e := range encodings[1:] {
		r.variants[e] = r.encode(e, negotiate.Usual)
	}
}

func (r *response) encode(e negotiate.Encoding, l negotiate.Level) *variant {
	v := r.tagged(e, l)
	v.body = negotiate.Compress(e, l, r.document.Body)
	v.length = []string{strconv.Itoa(len(v.body))}
	if e != negotiate.Identity {
		v.headers = append(v.headers, web.NewField("Content-Encoding", e.String()))
	}
	return v
}

// tagged makes a variant without its body: enough for a 304.
func (r *response) tagged(e negotiate.Encoding, l negotiate.Level) *variant {
	tag := e.ETag(r.document.Tag(), l)
	return &variant{etag: tag, headers: []web.Field{web.NewField("Etag", tag)}}
}

// size is about how many bytes of memory the response takes.
func (r *response) size() int {
	n := 1024 + 4*len(r.link) // the structs, the cache entry and the list's headers
	for _, v := range r.variants {
		if v != nil {
			n += 512 + cap(v.body)
		}
	}
	return n
}

// A match tells by If-None-Match what the client has of a response.
type match uint8

const (
	noMatch  match = iota
	matchAny       // by "*": any version will do, which is charged like the response itself
	matchTag       // by a tag that the client names, which is free
)

// negotiate returns the variant to send and what of it the client already has.
//
// A variant that is not there yet is compressed at once, as far as the limiter allows, so that a
// shared cache that asks for it once does not store it uncompressed.
func (r *response) negotiate(h http.Header, limiter *compressLimiter) (*variant, match) {
	accepted := r.accepted(h)
	if v, m := r.match(h, accepted); m != noMatch {
		return v, m
	}
	best := accepted.Best()
	switch v := r.variants[best]; {
	case v != nil:
		return v, noMatch
	case accepted.Allows(negotiate.Identity) && !limiter.allow(len(r.document.Body)):
		return r.variants[negotiate.Identity], noMatch
	default:
		return r.encode(best, negotiate.Fast), noMatch
	}
}

// accepted returns the encodings that the response may be sent in.
func (r *response) accepted(h http.Header) negotiate.Accepted {
	if lines := h["Accept-Encoding"]; len(lines) > 0 && len(r.document.Body) >= minCompressed {
		return negotiate.ParseAccepted(lines)
	}
	return negotiate.Accepted{} // identity alone
}

// match tells what the client already has, and which variant.
//
// A client that accepts several encodings has the response if it has any of them. The 304 names
// the one it has.
func (r *response) match(h http.Header, accepted negotiate.Accepted) (*variant, match) {
	tags := h["If-None-Match"]
	if len(tags) == 0 {
		return nil, noMatch
	}
	best := accepted.Best()
	if negotiate.MatchAnyETag(tags) {
		return r.variant(best), matchAny
	}
	if v := r.named(tags, best); v != nil {
		return v, matchTag
	}
	for _, e := range encodings {
		if e == best || !accepted.Allows(e) {
			continue
		}
		if v := r.named(tags, e); v != nil {
			return v, matchTag
		}
	}
	return nil, noMatch
}

// named returns the variant in that encoding, of either level, whose tag is among tags.
func (r *response) named(tags []string, e negotiate.Encoding) *variant {
	if v := r.variant(e); negotiate.MatchETag(tags, v.etag) {
		return v
	}
	if e == negotiate.Gzip { // the only encoding with two levels
		if v := r.tagged(e, negotiate.Fast); negotiate.MatchETag(tags, v.etag) {
			return v
		}
	}
	return nil
}

// variant returns a variant of the usual level, with at least its tag.
func (r *response) variant(e negotiate.Encoding) *variant {
	if v := r.variants[e]; v != nil {
		return v
	}
	return r.tagged(e, negotiate.Usual)
}

// write sends a variant, or a 304 that names it.
func (r *response) write(w http.ResponseWriter, req *http.Request, v *variant, notModified bool) {
	web.SetFields(w, r.headers...)
	if notModified {
		web.SetFields(w, v.headers[:1]...) // the tag alone
		w.WriteHeader(http.StatusNotModified)
		return
	}
	web.SetFields(w, v.headers...)
	writeJSON(w, req, http.StatusOK, v.length, v.body)
}
