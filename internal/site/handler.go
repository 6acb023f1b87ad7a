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

// A handler makes what is at an address. One of page, file and card is set.
type handler struct {
	page func(v *view.View, slug string, params any) (*view.Document, error)
	file func(v *view.View, slug string, params any) (*view.File, error)
	card func(v *view.View, slug string) (picture.Card, error) // slow to draw
	// parse reads the parameters of a query string into a comparable value. It is nil if there are none: the query
	// string then changes nothing.
	parse func(rawQuery string) (any, error)
	// live means that the page is true only now: no cache stores it. measure, if set, returns what it shows, in the
	// place of parameters.
	live    bool
	measure func(context.Context) any
	// uncached means that every reader may have a different one: it is made for each request, and only the reader's
	// browser stores it.
	uncached bool
	// ask calls the API for the reader of a form. The page gets its result in the place of parameters. It may wait
	// for engines, and is called before the reader has a slot.
	ask func(ctx context.Context, l locale.Language, slug, query string, client netip.Addr, ask docs.Asker) docs.Asked
	// unlisted means that the sitemap leaves the page out: search engines should not keep it.
	unlisted bool
	// sent makes the page that answers a form, with what was typed and the error of sending it.
	sent func(v *view.View, slug string, form url.Values, err error) (*view.Document, error)
}

// searched reports whether parameters have words to search for: anybody can make up any number of them, so no cache
// stores the results.
func searched(params any) bool {
	p, ok := params.(interface{ Searched() bool })
	return ok && p.Searched()
}

// page returns the handler of a page that is about no item.
func page(show func(*view.View) (*view.Document, error)) handler {
	return handler{page: func(v *view.View, _ string, _ any) (*view.Document, error) { return show(v) }}
}

// item returns the handler of the page of an item, which has a slug.
func item(show func(v *view.View, slug string) (*view.Document, error)) handler {
	return handler{page: func(v *view.View, slug string, _ any) (*view.Document, error) { return show(v, slug) }}
}

// list returns the handler of a page with parameters.
func list[P comparable](parse func(rawQuery string) (P, error), show func(*view.View, P) (*view.Document, error)) handler {
	return handler{
		parse: parsed(parse),
		page: func(v *view.View, _ string, params any) (*view.Document, error) {
			p, _ := params.(P)
			return show(v, p)
		},
	}
}

// unlisted sets handler.unlisted.
func unlisted(h handler) handler {
	h.unlisted = true
	return h
}

// uncached sets handler.uncached.
func uncached(h handler) handler {
	h.uncached = true
	return h
}

// live returns the handler of a page that shows what is measured for each request.
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

// form returns the handler of the form about an operation, which calls the API.
func form(r *docs.Reference) handler {
	return handler{
		live: true, ask: r.Ask,
		page: func(v *view.View, slug string, params any) (*view.Document, error) {
			asked, _ := params.(docs.Asked)
			return r.Call(v, slug, asked)
		},
	}
}

// sent returns the handler of the page with a form about an item, which the form is sent to as well.
func sent(
	show func(v *view.View, slug string) (*view.Document, error),
	answer func(v *view.View, slug string, form url.Values, err error) (*view.Document, error),
) handler {
	h := unlisted(item(show))
	h.sent = answer
	return h
}

// file returns the handler of a file that is about no item.
func file(write func(*view.View) (*view.File, error)) handler {
	return handler{file: func(v *view.View, _ string, _ any) (*view.File, error) { return write(v) }}
}

// fileWith returns the handler of a file with parameters.
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

// itemFileWith returns the handler of the file of an item with parameters.
func itemFileWith[P comparable](parse func(rawQuery string) (P, error), write func(*view.View, string, P) (*view.File, error)) handler {
	return handler{
		parse: parsed(parse),
		file: func(v *view.View, slug string, params any) (*view.File, error) {
			p, _ := params.(P)
			return write(v, slug, p)
		},
	}
}

// card returns the handler of a picture that is about no item.
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
