package api

import (
	"net/http"
	"net/url"
	"strconv"

	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/web"
)

// A source is what responses are made from.
type source struct {
	*catalog.Snapshot
	baseURL string      // the service's own; "" when it is not known, and links are then relative
	tags    bool        // responses say what they show
	cursor  []web.Field // X-Changes-Cursor alone: the end of the change log as of the snapshot
}

func newSource(s *catalog.Snapshot, baseURL string, tags bool) source {
	return source{s, baseURL, tags, []web.Field{web.NewField("X-Changes-Cursor", s.Cursor().String())}}
}

// addCursor adds up to where the response knows the change log. Responses without other headers share the field.
func (s source) addCursor(r *web.Response) {
	if r.Fields == nil {
		r.Fields = s.cursor
		return
	}
	r.Fields = append(r.Fields, s.cursor...)
}

// respond makes the response of a document.
func respond(d catalog.Document) *web.Response {
	return web.NewResponse(http.StatusOK, jsonType, d.Tag(), d.Body)
}

// addLicense adds where the licence of the data is, behind all other links: there is one Link field.
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

// pageFields is how many headers of its own a page has: the total, links and the cursor.
const pageFields = 3

// respondPage makes the response of one page of the list at listURL.
func respondPage(listURL string, params url.Values, p catalog.JSONPage) *web.Response {
	r := respond(p.Document())
	r.Fields = append(make([]web.Field, 0, pageFields), web.NewField("X-Total-Count", strconv.Itoa(p.Total)))
	if links := pageLinks(listURL, params, p); links != "" {
		r.Fields = append(r.Fields, web.NewField("Link", links))
	}
	r.Passing = len(p.Items) == 0
	return r
}
