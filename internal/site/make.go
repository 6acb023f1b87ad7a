package site

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/palmares-hq/palmares/internal/layout"
	"github.com/palmares-hq/palmares/internal/site/view"
	"github.com/palmares-hq/palmares/internal/web"
)

// view returns what the page of a request is made from.
func (s *Site) view(q *request) *view.View {
	return &view.View{
		Text: s.renderer.Writer(q.lang), Catalog: q.edition.snapshot, Figures: q.edition.figures, Site: &s.about, Throttle: q.throttle,
	}
}

// get returns the response to a request, from the cache if it may. A preview makes pages anew each time, because faults
// and drafts change without a new edition.
func (s *Site) get(ctx context.Context, q *request) (*web.Response, error) {
	if q.route.card != nil {
		return s.draw(ctx, q)
	}
	if searched(q.params) {
		leave, err := s.searches.slotFor(q.client)(ctx)
		if err != nil {
			return nil, err
		}
		defer leave()
	}
	if q.files != nil || !q.kept() {
		leave, err := s.renders.slotFor(q.client)(ctx)
		if err != nil {
			return nil, err
		}
		defer leave()
		return s.make(q)
	}
	return q.edition.cache.get(ctx, key{q.route, q.lang, q.slug, q.params}, s.renders.slotFor(q.client), func() (*web.Response, error) {
		return s.make(q)
	})
}

// make makes the page or the file that a request asks for, with its tags for a shared cache.
func (s *Site) make(q *request) (*web.Response, error) {
	p, err := s.render(q)
	if err == nil && s.tags && q.kept() && p.Status == http.StatusOK {
		p.Fields = slices.Concat(p.Fields, q.route.tags(q.slug))
	}
	return p, err
}

func (s *Site) render(q *request) (*web.Response, error) {
	v := s.view(q)
	if q.route.file != nil {
		return makeFile(v, q)
	}
	d, err := q.route.page(v, q.slug, q.params)
	if err != nil {
		return nil, err
	}
	if d.Redirect != "" {
		p := layout.HTML(d.HTTPStatus(), nil)
		p.Fields = []web.Field{web.NewField("Location", d.Redirect)}
		return p, nil
	}
	html, err := s.renderer.RenderThrottled(d.Template, frame(v, q, d), v.Throttle)
	if err != nil {
		return nil, err
	}
	p := layout.HTML(d.HTTPStatus(), html)
	if links := linkHeader(d); links != "" {
		p.Fields = []web.Field{web.NewField("Link", links)}
	}
	if !q.route.live && !searched(q.params) {
		p.Compress()
	}
	return p, nil
}

// makeFile makes the requested file and its compressed forms.
func makeFile(v *view.View, q *request) (*web.Response, error) {
	f, err := q.route.file(v, q.slug, q.params)
	if err != nil {
		return nil, err
	}
	if f.Redirect != "" {
		return web.Redirect(http.StatusPermanentRedirect, f.Redirect), nil
	}
	if f.Tag == "" {
		f.Tag = web.TagOf(f.Body)
	}
	p := web.NewResponse(http.StatusOK, f.Type, f.Tag, f.Body, fileHeaders...).Compress()
	if len(f.Body) > maxPlain {
		p.Pack()
	}
	return p, nil
}

// maxPlain is the size in bytes up to which the cache keeps a body uncompressed beside its compressed forms. A larger
// one, such as a file of the sitemap, would take the space of a hundred pages, and its clients accept compression.
const maxPlain = 1 << 20

const pngType = "image/png"

// draw returns the requested picture, from the pictures' own cache or else drawn in a slot. Callers who wait for a slot
// to draw hold up nobody who waits for a page.
func (s *Site) draw(ctx context.Context, q *request) (*web.Response, error) {
	card, err := q.route.card(s.view(q), q.slug)
	if err != nil {
		return nil, err
	}
	name := fmt.Sprintf("%#v", card)
	image := s.pictures.Find(name)
	if image == nil {
		leave, err := s.renders.slotFor(q.client)(ctx)
		if err != nil {
			return nil, err
		}
		defer leave()
		if image, err = s.pictures.Get(ctx, name, card.Draw); err != nil {
			return nil, err
		}
	}
	fields := q.route.shared()
	if s.tags {
		fields = append(fields, q.route.tags(q.slug)...)
	}
	return web.NewResponse(http.StatusOK, pngType, web.TagOf(image), image, fields...), nil
}

// linkHeader returns the value of the Link header (RFC 8288): the API call that returns the same data, and the page as
// Markdown. It is "" if the page has neither.
func linkHeader(d *view.Document) string {
	var links []string
	if len(d.API) > 0 {
		links = append(links, "<"+d.API[0]+`>; rel="alternate"; type="application/json"`)
	}
	if d.Markdown != "" {
		links = append(links, "<"+d.Markdown+`>; rel="alternate"; type="text/markdown"`)
	}
	return strings.Join(links, ", ")
}

// Scripts of any site may read feeds, Markdown, llms.txt and badges, as they may the API.
var (
	anyScript = web.NewField("Access-Control-Allow-Origin", "*")
	// fileHeaders are the headers of files.
	fileHeaders = []web.Field{layout.AnyOrigin, anyScript, web.NewField("Access-Control-Expose-Headers", "ETag")}
	// preflightHeaders answer the CORS preflight of a script that sends If-None-Match.
	preflightHeaders = []web.Field{
		anyScript, layout.NoSniff, layout.CacheNever,
		web.NewField("Allow", "GET, HEAD, OPTIONS"),
		web.NewField("Access-Control-Allow-Methods", "GET, HEAD, OPTIONS"),
		web.NewField("Access-Control-Allow-Headers", "If-None-Match"),
		web.NewField("Access-Control-Max-Age", "86400"),
	}
)

// shared returns the headers that let other sites use a file or a picture; nil for a page. A redirect to one needs them
// too.
func (r *route) shared() []web.Field {
	switch {
	case r.file != nil:
		return fileHeaders
	case r.card != nil:
		return []web.Field{layout.AnyOrigin}
	}
	return nil
}

func preflight(w http.ResponseWriter) {
	web.SetFields(w, preflightHeaders...)
	w.WriteHeader(http.StatusNoContent)
}
