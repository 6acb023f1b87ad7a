package palmares

import (
	"context"
	"errors"
	"iter"
	"math/rand/v2"
	"net/url"
	"strconv"
)

// mostShifts is how often a list is read again from its beginning because the catalogue was published meanwhile.
const mostShifts = 3

// Pages are the pages of a list, asked for one by one as they are read. If the catalogue is published meanwhile, the list is
// read again from its beginning, and what was on an earlier page is left out of the later ones: each item comes once.
// After an error there is nothing more.
type Pages[T any] iter.Seq2[*Page[T], error]

// A Page is one page of a list.
type Page[T any] struct {
	Data     []T            `json:"data"`
	Meta     PaginationMeta `json:"meta"`
	Response Response       `json:"-"`
}

// Items are the items of all pages.
func (p Pages[T]) Items() iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for page, err := range p {
			if err != nil {
				var none T
				yield(none, err)
				return
			}
			for _, item := range page.Data {
				if !yield(item, nil) {
					return
				}
			}
		}
	}
}

func list[T any](ctx context.Context, c *Client, path string, params any, slug func(T) string) Pages[T] {
	return func(yield func(*Page[T], error) bool) {
		query, seen := queryOf(params), map[string]bool{}
		for shifts := 0; shifts <= mostShifts; shifts++ {
			if shifts > 1 { // shared caches have pages of several ages; the service ignores the parameter, caches do not
				query.Set("reading", strconv.FormatUint(rand.Uint64(), 36))
			}
			if readPages(ctx, c, path, query, func(p *Page[T], err error) bool {
				if err == nil {
					p.Data = unseen(p.Data, seen, slug)
				}
				return yield(p, err)
			}) {
				return
			}
		}
		yield(nil, ErrShifted)
	}
}

// readPages reads the pages of a list. It returns false if a page is not of the state of the first one.
func readPages[T any](
	ctx context.Context, c *Client, path string, query url.Values, yield func(*Page[T], error) bool,
) bool {
	query = cloned(query)
	cursor, start := "", 1
	if n, err := strconv.Atoi(query.Get("page")); err == nil {
		start = n
	}
	for page := start; ; page++ {
		p := &Page[T]{}
		var err error
		if p.Response, err = c.get(ctx, path, query, p, nil); err != nil {
			yield(nil, err)
			return true
		}
		if page == start {
			cursor = p.Response.Cursor
		}
		if p.Response.Cursor != cursor {
			return false
		}
		last := len(p.Data) == 0 || page >= p.Meta.Pages
		if !yield(p, nil) || last {
			return true
		}
		query.Set("page", strconv.Itoa(page+1))
	}
}

func unseen[T any](items []T, seen map[string]bool, slug func(T) string) []T {
	kept := items[:0]
	for _, item := range items {
		if s := slug(item); !seen[s] {
			seen[s] = true
			kept = append(kept, item)
		}
	}
	return kept
}

func cloned(q url.Values) url.Values {
	c := url.Values{}
	for k, v := range q {
		c[k] = append([]string(nil), v...)
	}
	return c
}

// Changes are the pages of the change log, oldest first, as far as it goes now.
type Changes iter.Seq2[*ChangePage, error]

// A ChangePage is one page of the change log. Keep Next, and begin there the next time.
type ChangePage struct {
	ChangeList
	Response Response `json:"-"`
}

// Items are the changes of all pages.
func (c Changes) Items() iter.Seq2[Change, error] {
	return func(yield func(Change, error) bool) {
		for page, err := range c {
			if err != nil {
				yield(Change{}, err)
				return
			}
			for _, change := range page.Data {
				if !yield(change, nil) {
					return
				}
			}
		}
	}
}

// ListChanges returns what changed after a cursor. An *Error with CodeGone says that the cursor is of another history: begin
// again with a download.
func (c *Client) ListChanges(ctx context.Context, params ListChangesParams) Changes {
	return func(yield func(*ChangePage, error) bool) {
		for {
			p := &ChangePage{}
			var err error
			if p.Response, err = c.get(ctx, "/api/v1/changes", queryOf(params), p, nil); err != nil {
				yield(nil, err)
				return
			}
			stuck := p.More && (p.Next == params.Since || p.Next == "")
			if !yield(p, nil) || !p.More {
				return
			}
			if stuck {
				yield(nil, errors.New("palmares: the change log says that there is more, and nothing where"))
				return
			}
			params.Since = p.Next
		}
	}
}
