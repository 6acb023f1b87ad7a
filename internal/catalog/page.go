package catalog

import (
	"crypto/sha256"

	"github.com/palmares-hq/palmares/internal/search"
)

// Paging selects one page of a list. Both numbers are at least 1.
type Paging struct {
	Page  int
	Limit int
}

// start returns where the page begins in a list of n elements; n if it is past the end.
func (p Paging) start(n int) int {
	if p.Page-1 > n/p.Limit { // (Page-1)*Limit could overflow
		return n
	}
	return min((p.Page-1)*p.Limit, n)
}

// A Page is one page of a list.
type Page[T any] struct {
	Items  []T
	Total  int // items before pagination
	Number int // the page asked for, from 1
	Limit  int // the most items a page holds
	search.Found
	Searched bool // there was a query, and Found says how it was read
}

// Match returns how the items match the query: "all" of its words, or "some"; "" without a query.
func (p Page[T]) Match() string {
	switch {
	case !p.Searched:
		return ""
	case p.Some:
		return "some"
	}
	return "all"
}

// Pages returns how many pages the whole list has; 0 if nothing matches.
func (p Page[T]) Pages() int { return (p.Total + p.Limit - 1) / p.Limit }

// cutPage returns one page of the elements that keep accepts. A nil keep accepts all. It collects
// nothing but the page.
func cutPage[E, T any](list []E, p Paging, item func(E) T, keep func(E) bool) Page[T] {
	start := p.start(len(list))
	out := Page[T]{Number: p.Page, Limit: p.Limit, Items: make([]T, 0, min(p.Limit, len(list)-start))}
	if keep == nil {
		out.Total = len(list)
		for _, e := range list[start:min(start+p.Limit, len(list))] {
			out.Items = append(out.Items, item(e))
		}
		return out
	}
	for _, e := range list {
		if !keep(e) {
			continue
		}
		if out.Total >= start && len(out.Items) < p.Limit {
			out.Items = append(out.Items, item(e))
		}
		out.Total++
	}
	return out
}

// A JSONPage is a page of encoded items.
type JSONPage struct{ Page[*Document] }

// Document joins the page's items and its meta into one body. The tag is computed from the items'
// tags, so that a kilobyte is hashed instead of a page.
func (p JSONPage) Document() Document {
	meta := newObject()
	meta.int("total", p.Total)
	meta.int("page", p.Number)
	meta.int("limit", p.Limit)
	meta.int("pages", p.Pages())
	if p.Searched {
		meta.string("match", p.Match())
		meta.raw("ignored", appendArray(nil, p.Ignored, appendString))
	}
	m := meta.close()

	size := len(m) + 32
	for _, d := range p.Items {
		size += len(d.Body) + 1
	}
	body := make([]byte, 0, size)
	sums := make([]byte, 0, len(p.Items)*len(tag{})+len(m))
	body = append(body, `{"data":[`...)
	for i, d := range p.Items {
		if i > 0 {
			body = append(body, ',')
		}
		body = append(body, d.Body...)
		sums = append(sums, d.tag[:]...)
	}
	body = append(body, `],"meta":`...)
	body = append(body, m...)
	body = append(body, '}')
	return Document{Body: body, tag: shorten(sha256.Sum256(append(sums, m...)))}
}
