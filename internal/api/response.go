package api

import (
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/web"
)

// A source is a snapshot and the settings that its responses depend on.
type source struct {
	*catalog.Snapshot
	baseURL string      // "" if unknown: links are then relative
	tags    bool        // responses carry the tags by which a shared cache purges them
	cursor  []web.Field // only X-Changes-Cursor: the end of the change log in the snapshot
}

func newSource(s *catalog.Snapshot, baseURL string, tags bool) source {
	return source{s, baseURL, tags, []web.Field{web.NewField("X-Changes-Cursor", s.Cursor().String())}}
}

// addCursor adds X-Changes-Cursor. Responses without other headers share one slice.
func (s source) addCursor(r *web.Response) {
	if r.Fields == nil {
		r.Fields = s.cursor
		return
	}
	r.Fields = append(r.Fields, s.cursor...)
}

// respond returns a 200 with the document as its body.
func respond(d catalog.Document) *web.Response {
	return web.NewResponse(http.StatusOK, jsonType, d.Tag(), d.Body)
}

// addLicense adds a link to the licence of the data. It appends to an existing Link header, so that there is only one.
func addLicense(r *web.Response, l catalog.License) {
	if l == "" {
		return
	}
	link := "<" + l.URL() + `>; rel="license"`
	for i := range r.Fields {
		if name, values := r.Fields[i].Header(); name == "Link" {
			r.Fields[i] = web.NewField("Link", values[0]+", "+link)
			return
		}
	}
	r.Fields = append(r.Fields, web.NewField("Link", link))
}

// pageFields is how many headers a page adds: the total, the links and the cursor.
const pageFields = 3

// respondPage returns one page of the list at listURL, with its total and links.
func respondPage(listURL string, params url.Values, p catalog.JSONPage) *web.Response {
	r := respond(p.Document())
	r.Fields = append(make([]web.Field, 0, pageFields), web.NewField("X-Total-Count", strconv.Itoa(p.Total)))
	if links := pageLinks(listURL, params, p); links != "" {
		r.Fields = append(r.Fields, web.NewField("Link", links))
	}
	r.Passing = len(p.Items) == 0
	return r
}

// pageLinks returns the Link header of a page (RFC 8288); "" when the list is empty. params are the parameters of the
// list at listURL.
func pageLinks(listURL string, params url.Values, p catalog.JSONPage) string {
	pages := p.Pages()
	if pages == 0 {
		return ""
	}
	link := func(page int, rel string) string {
		params.Set("page", strconv.Itoa(page))
		return "<" + listURL + "?" + params.Encode() + `>; rel="` + rel + `"`
	}
	links := []string{link(1, "first")}
	if p.Number > 1 {
		links = append(links, link(min(p.Number-1, pages), "prev"))
	}
	if p.Number < pages {
		links = append(links, link(p.Number+1, "next"))
	}
	return strings.Join(append(links, link(pages, "last")), ", ")
}

// The limits on compressing responses that are not cached: 330 pages of 50 tools a second, about a twentieth of one
// core, and 1,300 in a burst.
const (
	compressPerSecond = 8 << 20 // bytes
	compressBurst     = 32 << 20
)

// A compressLimiter is a token bucket of bytes to compress. It counts bytes rather than time, because compressing
// takes longer on a busy machine.
type compressLimiter struct {
	now    func() time.Time
	denied atomic.Int64

	mu      sync.Mutex
	used    int64     // of compressBurst
	updated time.Time // when used was last brought up to date
}

// allow reports whether this many bytes may be compressed, and if so takes them from the bucket.
func (l *compressLimiter) allow(bytes int) bool {
	now := l.now()
	l.mu.Lock()
	defer l.mu.Unlock()
	if elapsed := now.Sub(l.updated); elapsed > 0 {
		// An empty bucket is full again after this long; a longer time would overflow.
		elapsed = min(elapsed, compressBurst/compressPerSecond*time.Second)
		l.used = max(l.used-int64(elapsed)*compressPerSecond/int64(time.Second), 0)
		l.updated = now
	}
	if l.used+int64(bytes) > compressBurst {
		l.denied.Add(1)
		return false
	}
	l.used += int64(bytes)
	return true
}
