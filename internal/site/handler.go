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
	card func(v *view.View, slug string) (picture.Card, error) // takes long to draw
	// parse reads the parameters of a query string into a comparable value. Nil when there are none, and
	// whatever the query string says changes nothing.
	parse func(rawQuery string) (any, error)
	// live says that the page is true only now: no cache keeps it. Measure, if there is one, takes what
	// it shows, in the place of parameters.
	live    bool
	measure func(context.Context) any
	// passing says that there are as many of them as there are readers: it is made for each request, and only its reader's
	// browser keeps it.
	passing bool
	// ask calls the API for the reader of a form. The page gets what it returns in the place of parameters. It waits for
	// engines, and is called before the reader has a turn.
	ask func(ctx context.Context, l locale.Language, slug, query string, client netip.Addr, ask docs.Asker) docs.Asked
	// unlisted says that search engines are not told of the page: it is nobody's to keep.
	unlisted bool
	// sent makes the page that answers a form which was sent, with what was typed and what came of it.
	sent func(v *view.View, slug string, form url.Values, err error) (*view.Document, error)
}

// searched reports whether parameters have words to search for: anybody can make up as many of them as they
// like, so no cache keeps what is found.
func searched(params any) bool {
	p, ok := params.(interface{ Searched() bool })
	return ok && p.Searched()
}

// page handles a page that is about no item.
func page(show func(*view.View) (*view.Document, error)) handler {
	return handler{page: func(v *view.View, _ string, _ any) (*view.Document, error) { return show(v) }}
}

// item handles the page of an item, which has a slug.
func item(show func(v *view.View, slug string) (*view.Document, error)) handler {
	return handler{page: func(v *view.View, slug string, _ any) (*view.Document, error) { return show(v, slug) }}
}

// list handles a page that has parameters.
func list[P comparable](parse func(rawQuery string) (P, error), show func(*view.View, P) (*view.Document, error)) handler {
	return handler{
		parse: parsed(parse),
		page: func(v *view.View, _ string, params any) (*view.Document, error) {
			p, _ := params.(P)
			return show(v, p)
		},
	}
}

// unlisted is a handler of a page that search engines are not told of.
func unlisted(h handler) handler {
	h.unlisted = true
	return h
}

// passing handles what is made for each request.
func passing(h handler) handler {
	h.passing = true
	return h
}

// live handles a page that shows what is measured for each request.
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

// form handles what a form about an operation is sent to, which calls the API with it.
func form(r *docs.Reference) handler {
	return handler{
		live: true, ask: r.Ask,
		page: func(v *view.View, slug string, params any) (*view.Document, error) {
			asked, _ := params.(docs.Asked)
			return r.Call(v, slug, asked)
		},
	}
}

// sent handles the page of a form about an item, which is sent to its own address.
func sent(
	show func(v *view.View, slug string) (*view.Document, error),
	answer func(v *view.View, slug string, form url.Values, err error) (*view.Document, error),
) handler {
	h := unlisted(item(show))
	h.sent = answer
	return h
}

// file handles a file that is about no item.
func file(write func(*view.View) (*view.File, error)) handler {
	return handler{file: func(v *view.View, _ string, _ any) (*view.File, error) { return write(v) }}
}

// fileWith handles a file that has parameters.
func fileWith[P comparable](parse func(rawQuery string) (P, error), write func(*view.View, P) (*view.File, error)) handler {
	return handler{
		parse: parsed(parse),
		file: func(v *view.View, _ string, params any) (*view.File, error) {
			p, _ := params.(P)
			return write(v, p)
		},
	}
}

// itemFile handles the file of an item.
func itemFile(write func(v *view.View, slug string) (*view.File, error)) handler {
	return handler{file: func(v *view.View, slug string, _ any) (*view.File, error) { return write(v, slug) }}
}

// itemFileWith handles the file of an item that has parameters.
func itemFileWith[P comparable](parse func(rawQuery string) (P, error), write func(*view.View, string, P) (*view.File, error)) handler {
	return handler{
		parse: parsed(parse),
		file: func(v *view.View, slug string, params any) (*view.File, error) {
			p, _ := params.(P)
			return write(v, slug, p)
		},
	}
}

// card handles a picture that is about no item.
func card(draw func(*view.View) (picture.Card, error)) handler {
	return handler{card: func(v *view.View, _ string) (picture.Card, error) { return draw(v) }}
}

// itemCard handles the picture of an item.
func itemCard(draw func(v *view.View, slug string) (picture.Card, error)) handler {
	return handler{card: draw}
}

func parsed[P comparable](parse func(rawQuery string) (P, error)) func(string) (any, error) {
	return func(rawQuery string) (any, error) { return parse(rawQuery) }
}
