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

// A paramReader reads the parameters of a query string, strictly. It keeps the first error; what
// it reads after an error means nothing.
type paramReader struct {
	raw     string
	decoded url.Values // used instead of raw when the query string has escapes
	err     error
}

// newParamReader avoids the map of url.Values where it can: nearly all query strings have no
// escapes and are read as they stand.
func newParamReader(rawQuery string) paramReader {
	if !strings.ContainsAny(rawQuery, "%+;") {
		return paramReader{raw: rawQuery}
	}
	values, err := url.ParseQuery(rawQuery)
	if err != nil {
		err = web.Errorf(http.StatusBadRequest,
			"query: %s is not allowed: a well-formed query string (percent-encode what is special)",
			quote(rawQuery))
	}
	return paramReader{raw: rawQuery, decoded: values, err: err}
}

// get returns the value of a parameter and whether it was given.
func (p *paramReader) get(name string) (value string, given bool) {
	if p.err != nil {
		return "", false
	}
	if p.decoded != nil {
		values := p.decoded[name]
		if len(values) > 1 {
			p.repeated(name, values)
		}
		if len(values) != 1 {
			return "", false
		}
		return values[0], true
	}
	for rest := p.raw; rest != ""; {
		var pair string
		pair, rest, _ = strings.Cut(rest, "&")
		key, v, _ := strings.Cut(pair, "=")
		if key != name || pair == "" {
			continue
		}
		if given {
			values, _ := url.ParseQuery(p.raw) // without escapes it cannot fail
			p.repeated(name, values[name])
			return "", false
		}
		value, given = v, true
	}
	return value, given
}

func (p *paramReader) repeated(name string, values []string) {
	const maxShown = 3
	shown := make([]string, 0, maxShown)
	for _, v := range values[:min(len(values), maxShown)] {
		shown = append(shown, quote(v))
	}
	if len(values) > maxShown {
		shown = append(shown, "…")
	}
	p.err = web.Errorf(http.StatusBadRequest, "%s: given %d times (%s): once at most is allowed",
		name, len(values), strings.Join(shown, ", "))
}

func (p *paramReader) invalid(name, value, allowed string) {
	if p.err == nil {
		p.err = web.Errorf(http.StatusBadRequest,
			"%s: %s is not allowed: %s", name, quote(value), allowed)
	}
}

func (p *paramReader) integer(name string, def, most int, allowed string) int {
	s, ok := p.get(name)
	if !ok {
		return def
	}
	n, err := strconv.Atoi(s)
	if err != nil || n < 1 || n > most || s[0] == '+' {
		p.invalid(name, s, allowed)
		return def
	}
	return n
}

// bound reads a finite decimal number.
func (p *paramReader) bound(name string, of func(float64) catalog.Bound) catalog.Bound {
	s, ok := p.get(name)
	if !ok {
		return catalog.Bound{}
	}
	n, err := strconv.ParseFloat(s, 64)
	// ParseFloat also reads hexadecimal digits and underscores, which the letters tell.
	if err != nil || math.IsNaN(n) || math.IsInf(n, 0) || strings.Trim(s, "0123456789.eE+-") != "" {
		p.invalid(name, s, "a finite number such as 8 or 7.5")
		return catalog.Bound{}
	}
	return of(n)
}

func oneOf[T ~string](p *paramReader, name string, allowed []T) T {
	s, ok := p.get(name)
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
	p.invalid(name, s, "one of "+strings.Join(names, ", "))
	return ""
}

// listParams are the parameters of every list.
type listParams struct {
	catalog.Paging
	Category string
}

var limitAllowed = fmt.Sprintf("an integer from 1 to %d", maxLimit)

func (p *paramReader) list() listParams {
	page := p.integer("page", 1, math.MaxInt, "an integer from 1")
	limit := p.integer("limit", defaultLimit, maxLimit, limitAllowed)
	category, given := p.get("category")
	if given && category == "" {
		p.invalid("category", category, "a category slug, or no category at all")
	}
	if len(p.raw) > 256 { // the cache keeps the category, and must not keep all of this with it
		category = strings.Clone(category)
	}
	return listParams{catalog.Paging{Page: page, Limit: limit}, category}
}

// values are the parameters as a query string has them, without the page and without defaults.
func (p listParams) values() url.Values {
	v := make(url.Values, 4)
	setParam(v, "category", p.Category)
	if p.Limit != defaultLimit {
		v.Set("limit", strconv.Itoa(p.Limit))
	}
	return v
}

// setParam sets a parameter unless it has its default, "".
func setParam(v url.Values, name, value string) {
	if value != "" {
		v.Set(name, value)
	}
}

// pageLinks is the Link header of a page (RFC 8288), "" when the list is empty. The parameters
// are those of the list at listURL.
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
