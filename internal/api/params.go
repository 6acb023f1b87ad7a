package api

import (
	"fmt"
	"math"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/web"
)

// The bounds of pagination.
const (
	defaultLimit = 50
	maxLimit     = 200
)

// A query reads the parameters of a request, strictly. The first fault is kept
// and what is read after it means nothing.
type query struct {
	values url.Values
	known  url.Values // what was given of the parameters that exist
	err    error
}

func parseQuery(r *http.Request) *query {
	q := &query{known: url.Values{}}
	if r.URL.RawQuery == "" {
		return q
	}
	values, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		q.err = web.Errorf(http.StatusBadRequest, "query: %s is not allowed: a well-formed query string (percent-encode what is special)", quote(r.URL.RawQuery))
		return q
	}
	q.values = values
	return q
}

// get gives the one value of a parameter, and whether it was given.
func (q *query) get(name string) (string, bool) {
	values, ok := q.values[name]
	if !ok || q.err != nil {
		return "", false
	}
	if len(values) > 1 {
		const most = 3
		shown := make([]string, 0, most)
		for _, v := range values[:min(len(values), most)] {
			shown = append(shown, quote(v))
		}
		if len(values) > most {
			shown = append(shown, "…")
		}
		q.err = web.Errorf(http.StatusBadRequest, "%s: given %d times (%s): once at most is allowed", name, len(values), strings.Join(shown, ", "))
		return "", false
	}
	q.known.Set(name, values[0])
	return values[0], true
}

func (q *query) refuse(name, value, allowed string) {
	if q.err == nil {
		q.err = web.Errorf(http.StatusBadRequest, "%s: %s is not allowed: %s", name, quote(value), allowed)
	}
}

func (q *query) integer(name string, def, most int, allowed string) int {
	s, ok := q.get(name)
	if !ok {
		return def
	}
	n, err := strconv.Atoi(s)
	if err != nil || n < 1 || n > most || s[0] == '+' {
		q.refuse(name, s, allowed)
		return def
	}
	return n
}

// number reads a finite decimal number; nil when it is not given.
func (q *query) number(name string) *float64 {
	s, ok := q.get(name)
	if !ok {
		return nil
	}
	n, err := strconv.ParseFloat(s, 64)
	// ParseFloat also reads hexadecimal, underscores, NaN and Inf; only the first
	// two are left for us to refuse by their letters.
	if err != nil || math.IsNaN(n) || math.IsInf(n, 0) || strings.Trim(s, "0123456789.eE+-") != "" {
		q.refuse(name, s, "a finite number such as 8 or 7.5")
		return nil
	}
	return &n
}

func oneOf[T ~string](q *query, name string, allowed []T) T {
	s, ok := q.get(name)
	if !ok {
		return ""
	}
	names := make([]string, len(allowed))
	for i, a := range allowed {
		if T(s) == a {
			return a
		}
		names[i] = string(a)
	}
	q.refuse(name, s, "one of "+strings.Join(names, ", "))
	return ""
}

func (q *query) category() string {
	s, ok := q.get("category")
	if ok && s == "" {
		q.refuse("category", s, "a category slug, or no category at all")
	}
	return s
}

func (q *query) paging() catalog.Paging {
	return catalog.Paging{
		Page:  q.integer("page", 1, math.MaxInt, "an integer from 1"),
		Limit: q.integer("limit", defaultLimit, maxLimit, fmt.Sprintf("an integer from 1 to %d", maxLimit)),
	}
}

// list makes the answer of a page, with links that keep the filters.
func (q *query) list(path string, p catalog.Page) answer {
	return answer{document: p.Document(), total: p.Total, link: q.link(path, p)}
}

func (q *query) link(path string, p catalog.Page) string {
	pages := p.Pages()
	if pages == 0 {
		return ""
	}
	to := func(page int, rel string) string {
		q.known.Set("page", strconv.Itoa(page))
		return "<" + path + "?" + q.known.Encode() + `>; rel="` + rel + `"`
	}
	links := []string{to(1, "first")}
	if p.Number > 1 {
		links = append(links, to(min(p.Number-1, pages), "prev"))
	}
	if p.Number < pages {
		links = append(links, to(p.Number+1, "next"))
	}
	return strings.Join(append(links, to(pages, "last")), ", ")
}
