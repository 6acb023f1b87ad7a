package api

import (
	"net/http"
	"strconv"

	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/web"
)

// An answer is a document, with what a list says in its headers.
type answer struct {
	document catalog.Document
	total    int    // -1 for what is not a list
	link     string // RFC 8288
	empty    bool   // a page with nothing on it

	forms *[len(codings)]*form // when it was made in every coding beforehand
}

func item(d catalog.Document) answer { return answer{document: d, total: -1} }

func page(q question, path string, p catalog.Page) answer {
	return answer{document: p.Document(), total: p.Total, link: q.link(path, p), empty: len(p.Items) == 0}
}

// minCompressed is the size from which a body is worth compressing: less fits in
// one packet anyway.
const minCompressed = 1024

// A ready is an answer with its headers, as bytes to be sent.
type ready struct {
	answer
	shared []web.Field // headers of every answer out of the snapshot
	own    []web.Field // headers of this one
	forms  [len(codings)]*form
}

var codings = [...]web.Encoding{web.Identity, web.Gzip, web.Zstd}

// A form is an answer in one encoding.
type form struct {
	etag    string
	headers []web.Field // its tag and its encoding
	length  []string
	body    []byte
}

// makeReady makes an answer ready in identity alone.
func makeReady(a answer, shared []web.Field) *ready {
	r := &ready{answer: a, shared: shared}
	if a.total >= 0 {
		r.own = append(r.own, web.NewField("X-Total-Count", strconv.Itoa(a.total)))
	}
	if a.link != "" {
		r.own = append(r.own, web.NewField("Link", a.link))
	}
	if a.forms != nil {
		r.forms = *a.forms
		return r
	}
	r.forms[web.Identity] = r.make(web.Identity)
	return r
}

// compress makes the answer ready in every encoding.
func (r *ready) compress() {
	if len(r.document.Body) < minCompressed {
		return
	}
	for _, e := range codings[1:] {
		if r.forms[e] == nil {
			r.forms[e] = r.make(e)
		}
	}
}

// make makes a form at the usual level.
func (r *ready) make(e web.Encoding) *form { return r.makeAt(e, web.Usual) }

func (r *ready) makeAt(e web.Encoding, l web.Level) *form {
	f := r.outline(e, l)
	f.body = web.Compress(e, l, r.document.Body)
	f.length = []string{strconv.Itoa(len(f.body))}
	if e != web.Identity {
		f.headers = append(f.headers, web.NewField("Content-Encoding", e.String()))
	}
	return f
}

// outline makes as much of a form as a 304 says.
func (r *ready) outline(e web.Encoding, l web.Level) *form {
	tag := e.ETag(r.document.Tag(), l)
	return &form{etag: tag, headers: []web.Field{web.NewField("Etag", tag)}}
}

// size is about how many bytes of memory the answer takes.
func (r *ready) size() int {
	n := 1024 + 4*len(r.link) // the answer, its place in the cache, its own headers
	for _, f := range r.forms {
		if f != nil {
			n += 512 + cap(f.body)
		}
	}
	return n
}

// A match tells what a client has of a response, by its If-None-Match.
type match uint8

const (
	noMatch  match = iota
	anything       // "*": whatever it has will do, which is charged as the response itself
	holdsIt        // it names the tag, which is free
)

// choose gives the form that a request gets, and what of it the client has already.
//
// One that is not compressed yet is compressed at once, within the budget, so that a
// shared cache which asks for it once does not keep it uncompressed.
func (r *ready) choose(h http.Header, b *budget) (*form, match) {
	accepted := r.accepted(h)
	best := accepted.Best()
	if f, m := r.match(h, accepted); m != noMatch {
		return f, m
	}
	switch f := r.forms[best]; {
	case f != nil:
		return f, noMatch
	case accepted.Allows(web.Identity) && !b.take(len(r.document.Body)):
		return r.forms[web.Identity], noMatch
	default:
		return r.makeAt(best, web.Fast), noMatch
	}
}

// accepted gives the encodings that the answer may be sent in.
func (r *ready) accepted(h http.Header) web.Accepted {
	if lines := h["Accept-Encoding"]; len(lines) > 0 && len(r.document.Body) >= minCompressed {
		return web.ParseAccepted(lines)
	}
	return web.Accepted{} // identity alone
}

// match tells what the client has already, and which form of it.
//
// A client that may be sent several forms has the answer if it has any of them: the
// 304 then names that one, so that whatever it keeps is what it is told about.
func (r *ready) match(h http.Header, accepted web.Accepted) (*form, match) {
	tags := h["If-None-Match"]
	if len(tags) == 0 {
		return nil, noMatch
	}
	best := accepted.Best()
	if web.MatchAnyETag(tags) {
		return r.outlined(best, web.Usual), anything
	}
	if f := r.held(tags, best); f != nil {
		return f, holdsIt
	}
	for _, e := range codings {
		if e == best || !accepted.Allows(e) {
			continue
		}
		if f := r.held(tags, e); f != nil {
			return f, holdsIt
		}
	}
	return nil, noMatch
}

// held gives the form in that encoding whose tag the client names, at whatever level.
func (r *ready) held(tags []string, e web.Encoding) *form {
	for _, level := range []web.Level{web.Usual, web.Fast} {
		if f := r.outlined(e, level); web.MatchETag(tags, f.etag) {
			return f
		}
		if e != web.Gzip { // the levels of the others are the same
			break
		}
	}
	return nil
}

func (r *ready) outlined(e web.Encoding, l web.Level) *form {
	if f := r.forms[e]; f != nil && l == web.Usual {
		return f
	}
	return r.outline(e, l)
}

// write sends a form of the answer: whole, not modified, or its headers alone.
func (r *ready) write(w http.ResponseWriter, req *http.Request, f *form, notModified bool) {
	web.SetFields(w, r.shared...)
	web.SetFields(w, r.own...)
	if notModified {
		web.SetFields(w, f.headers[0]) // the tag alone
		w.WriteHeader(http.StatusNotModified)
		return
	}
	web.SetFields(w, f.headers...)
	send(w, req, http.StatusOK, f.length, f.body)
}

// send writes the status and the body, which HEAD leaves out.
func send(w http.ResponseWriter, r *http.Request, status int, length []string, body []byte) {
	h := w.Header()
	h["Content-Type"] = jsonType
	h["Content-Length"] = length
	web.WriteWhole(w, r, status, body)
}

var jsonType = []string{"application/json; charset=utf-8"}
