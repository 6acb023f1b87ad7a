package site

import (
	"context"
	"net/netip"
	"net/url"

	"github.com/palmares-hq/palmares/internal/locale"
	"github.com/palmares-hq/palmares/internal/site/docs"
	"github.com/palmares-hq/palmares/internal/site/picture"
	"github.com/palmares-hq/palmares/internal/site/view"
)

// A handler makes the page, file or picture at an address. Exactly one of page, file and card is set.
type handler struct {
	page func(v *view.View, slug string, params any) (*view.Document, error)
	file func(v *view.View, slug string, params any) (*view.File, error)
	card func(v *view.View, slug string) (picture.Card, error) // drawn apart, since drawing is slow
	// parse parses the query string into a comparable value. It is nil if the page takes no parameters: the query
	// string is then ignored.
	parse func(rawQuery string) (any, error)
	// live means that the page shows the state at the moment of the request, so no cache stores it. measure, if set,
	// returns that state, which the page gets as params.
	live    bool
	measure func(context.Context) any
	// uncached means that every reader may get a different page: it is made for each request, and only the reader's
	// browser may store it.
	uncached bool
	// ask calls the API with what the reader entered in a form; the page gets the result as params. It runs before the
	// reader has a slot to make the page, because it may wait for engines.
	ask func(ctx context.Context, l locale.Language, slug, query string, client netip.Addr, ask docs.Asker) docs.Asked
	// unlisted leaves the page out of the sitemap: search engines should not index it.
	unlisted bool
	// sent makes the page that answers a submitted form. It gets the fields and the error of sending them, if any.
	sent func(v *view.View, slug string, form url.Values, err error) (*view.Document, error)
}

// searched reports whether parameters hold search words. No cache stores such results: anybody can make up any number
// of searches.
func searched(params any) bool {
	p, ok := params.(interface{ Searched() bool })
	return ok && p.Searched()
}

// page returns the handler of a page that is not about one item.
func page(show func(*view.View) (*view.Document, error)) handler {
	return handler{page: func(v *view.View, _ string, _ any) (*view.Document, error) { return show(v) }}
}

// item returns the handler of a page about the item that the slug in the path names.
func item(show func(v *view.View, slug string) (*view.Document, error)) handler {
	return handler{page: func(v *view.View, slug string, _ any) (*view.Document, error) { return show(v, slug) }}
}

// list returns the handler of a page that takes parameters from the query string.
func list[P comparable](parse func(rawQuery string) (P, error), show func(*view.View, P) (*view.Document, error)) handler {
	return handler{
		parse: parsed(parse),
		page: func(v *view.View, _ string, params any) (*view.Document, error) {
			p, _ := params.(P)
			return show(v, p)
		},
	}
}

// unlisted returns h with unlisted set.
func unlisted(h handler) handler {
	h.unlisted = true
	return h
}

// uncached returns h with uncached set.
func uncached(h handler) handler {
	h.uncached = true
	return h
}

// live returns the handler of a page whose content measure returns anew for each request.
func live[M any](measure func(context.Context) M, show func(*view.View, M) (*view.Document, error)) handler {
	return handler{
		live:    true,
		measure: func(ctx context.Context) any { return measure(ctx) },
		page: func(v *view.View, _ string, measured any) (*view.Document, error) {
			m, _ := measured.(M)
			return show(v, m)
		},
	}
}

// form returns the handler of the page with a form that calls an operation of the API.
func form(r *docs.Reference) handler {
	return handler{
		live: true, ask: r.Ask,
		page: func(v *view.View, slug string, params any) (*view.Document, error) {
			asked, _ := params.(docs.Asked)
			return r.Call(v, slug, asked)
		},
	}
}

// sent returns the handler of a page with a form about an item. The form is posted to the page's own address: show
// makes the empty form, answer the response to a submitted one.
func sent(
	show func(v *view.View, slug string) (*view.Document, error),
	answer func(v *view.View, slug string, form url.Values, err error) (*view.Document, error),
) handler {
	h := unlisted(item(show))
	h.sent = answer
	return h
}

// file returns the handler of a file that is not about one item.
func file(write func(*view.View) (*view.File, error)) handler {
	return handler{file: func(v *view.View, _ string, _ any) (*view.File, error) { return write(v) }}
}

// fileWith returns the handler of a file that takes parameters from the query string.
func fileWith[P comparable](parse func(rawQuery string) (P, error), write func(*view.View, P) (*view.File, error)) handler {
	return handler{
		parse: parsed(parse),
		file: func(v *view.View, _ string, params any) (*view.File, error) {
			p, _ := params.(P)
			return write(v, p)
		},
	}
}

// itemFile returns the handler of the file of an item.
func itemFile(write func(v *view.View, slug string) (*view.File, error)) handler {
	return handler{file: func(v *view.View, slug string, _ any) (*view.File, error) { return write(v, slug) }}
}

// itemFileWith returns the handler of a file about an item that takes parameters from the query string.
func itemFileWith[P comparable](parse func(rawQuery string) (P, error), write func(*view.View, string, P) (*view.File, error)) handler {
	return handler{
		parse: parsed(parse),
		file: func(v *view.View, slug string, params any) (*view.File, error) {
			p, _ := params.(P)
			return write(v, slug, p)
		},
	}
}

// card returns the handler of a picture that is not about one item.
func card(draw func(*view.View) (picture.Card, error)) handler {
	return handler{card: func(v *view.View, _ string) (picture.Card, error) { return draw(v) }}
}

// itemCard returns the handler of the picture of an item.
func itemCard(draw func(v *view.View, slug string) (picture.Card, error)) handler {
	return handler{card: draw}
}

func parsed[P comparable](parse func(rawQuery string) (P, error)) func(string) (any, error) {
	return func(rawQuery string) (any, error) { return parse(rawQuery) }
}
