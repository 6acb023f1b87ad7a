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
	baseURL string // the service's own; "" when it is not known, and links are then relative
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

// respondPage makes the response of one page of the list at listURL.
func respondPage(listURL string, params url.Values, p catalog.JSONPage) *web.Response {
	r := respond(p.Document())
	r.Fields = append(r.Fields, web.NewField("X-Total-Count", strconv.Itoa(p.Total)))
	if links := pageLinks(listURL, params, p); links != "" {
		r.Fields = append(r.Fields, web.NewField("Link", links))
	}
	r.Passing = len(p.Items) == 0
	return r
}
