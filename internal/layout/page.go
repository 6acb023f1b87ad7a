package layout

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"net/http"
	"strconv"
	"strings"

	"github.com/klauspost/compress/gzip"

	"github.com/palmares-hq/palmares/internal/logging"
	"github.com/palmares-hq/palmares/internal/web"
	"github.com/palmares-hq/palmares/internal/web/negotiate"
)

// MaxQuoted is how many characters of what a client sent an error quotes.
const MaxQuoted = 100

// NoSuchPage is the error of a path that leads nowhere.
func NoSuchPage(r *http.Request) *web.Error {
	return web.Errorf(http.StatusNotFound, "there is nothing at %s", logging.Clean(r.URL.Path, MaxQuoted))
}

// NotAllowed is the error of a method other than those allowed: "GET, HEAD".
func NotAllowed(r *http.Request, allowed string) *web.Error {
	e := web.Errorf(http.StatusMethodNotAllowed, "%s is not allowed here: use %s", web.Quote(r.Method),
		strings.ReplaceAll(allowed, ", ", " or "))
	e.Header = http.Header{"Allow": {allowed}}
	return e
}

// HTMLType is the type of pages.
const HTMLType = "text/html; charset=utf-8"

// minCompressed is the size from which a body is worth compressing.
const minCompressed = 1024

// maxPlain is the size up to which a body is kept as it is. A larger one, which is a file of a
// sitemap, is kept compressed alone: as it is it would take the place of a hundred pages, and
// whoever reads such files takes them compressed.
const maxPlain = 1 << 20

var encodings = [...]negotiate.Encoding{negotiate.Identity, negotiate.Gzip, negotiate.Zstd}

// A Page is a body with its status, in every encoding, complete before a byte of it is sent.
type Page struct {
	Status      int
	Headers     []web.Field // its own: links, a place to go to
	contentType []string
	variants    [len(encodings)]*variant
}

// A variant is a page in one encoding.
type variant struct {
	etag    string
	headers []web.Field // the tag first
	length  []string
	body    []byte // nil when it is kept compressed alone
}

// NewPage makes a page of a body, which is compressed only when that is worth it.
func NewPage(status int, contentType string, body []byte, compress bool) *Page {
	p := &Page{Status: status, contentType: []string{contentType}}
	sum := sha256.Sum256(body)
	opaque := hex.EncodeToString(sum[:12])
	for _, e := range encodings {
		if e != negotiate.Identity && (!compress || len(body) < minCompressed) {
			break
		}
		tag := e.ETag(opaque, negotiate.Usual)
		v := &variant{etag: tag, headers: []web.Field{web.NewField("Etag", tag)}}
		v.body = negotiate.Compress(e, negotiate.Usual, body)
		v.length = []string{strconv.Itoa(len(v.body))}
		if e != negotiate.Identity {
			v.headers = append(v.headers, web.NewField("Content-Encoding", e.String()))
		}
		p.variants[e] = v
	}
	if len(body) > maxPlain && p.variants[negotiate.Gzip] != nil {
		p.variants[negotiate.Identity].body = nil
	}
	return p
}

// Size is about how many bytes of memory the page takes.
func (p *Page) Size() int {
	n := 1024 // the structs and the entry of the cache
	for _, v := range p.variants {
		if v != nil {
			n += 512 + cap(v.body)
		}
	}
	return n
}

// best is the variant to send to a client that accepts these encodings.
func (p *Page) best(a negotiate.Accepted) *variant {
	if v := p.variants[a.Best()]; v != nil {
		return v
	}
	return p.variants[negotiate.Identity]
}

// Write sends the page, or a 304 if the client has it. Cache-Control is the caller's affair.
func (p *Page) Write(w http.ResponseWriter, r *http.Request) {
	web.SetFields(w, p.Headers...)
	accepted := negotiate.ParseAccepted(r.Header["Accept-Encoding"])
	v := p.best(accepted)
	if tags := r.Header["If-None-Match"]; len(tags) > 0 && p.Status == http.StatusOK {
		for _, candidate := range p.variants {
			if candidate != nil && negotiate.MatchETag(tags, candidate.etag) {
				web.SetFields(w, candidate.headers[:1]...)
				w.WriteHeader(http.StatusNotModified)
				return
			}
		}
	}
	web.SetFields(w, v.headers...)
	h := w.Header()
	h["Content-Type"] = p.contentType
	h["Content-Length"] = v.length
	if packed := p.variants[negotiate.Gzip]; v.body == nil && packed != nil {
		w.WriteHeader(p.Status)
		if r.Method != http.MethodHead {
			unpack(w, packed.body)
		}
		return
	}
	web.WriteWhole(w, r, p.Status, v.body)
}

// unpack sends a body that is kept compressed alone, as it takes it in. It fails only when the
// client has left.
func unpack(w http.ResponseWriter, packed []byte) {
	if z, err := gzip.NewReader(bytes.NewReader(packed)); err == nil {
		_, _ = io.Copy(w, z)
	}
}
