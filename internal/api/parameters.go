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

// parameters reads those of a query string, strictly. The first fault is kept and
// what is read after it means nothing.
type parameters struct {
	raw     string
	decoded url.Values // instead of raw, where something is escaped
	err     error
}

// parse gets the query string ready to be read. Where nothing in it is escaped, as
// nearly always, it is read as it stands.
func (p *parameters) parse() {
	if strings.IndexByte(p.raw, '%') < 0 && strings.IndexByte(p.raw, '+') < 0 && strings.IndexByte(p.raw, ';') < 0 {
		return
	}
	values, err := url.ParseQuery(p.raw)
	if err != nil {
		p.err = web.Errorf(http.StatusBadRequest, "query: %s is not allowed: a well-formed query string (percent-encode what is special)", quote(p.raw))
	}
	p.raw, p.decoded = "", values
}

// get gives the one value of a parameter, and whether it was given.
func (p *parameters) get(name string) (value string, given bool) {
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
			values, _ := url.ParseQuery(p.raw) // nothing is escaped: it cannot fail
			p.repeated(name, values[name])
			return "", false
		}
		value, given = v, true
	}
	return value, given
}

func (p *parameters) repeated(name string, values []string) {
	const most = 3
	shown := make([]string, 0, most)
	for _, v := range values[:min(len(values), most)] {
		shown = append(shown, quote(v))
	}
	if len(values) > most {
		shown = append(shown, "…")
	}
	p.err = web.Errorf(http.StatusBadRequest, "%s: given %d times (%s): once at most is allowed", name, len(values), strings.Join(shown, ", "))
}

func (p *parameters) refuse(name, value, allowed string) {
	if p.err == nil {
		p.err = web.Errorf(http.StatusBadRequest, "%s: %s is not allowed: %s", name, quote(value), allowed)
	}
}

func (p *parameters) integer(name string, def, most int, allowed string) int {
	s, ok := p.get(name)
	if !ok {
		return def
	}
	n, err := strconv.Atoi(s)
	if err != nil || n < 1 || n > most || s[0] == '+' {
		p.refuse(name, s, allowed)
		return def
	}
	return n
}

// bound reads a finite decimal number.
func (p *parameters) bound(name string, of func(float64) catalog.Bound) catalog.Bound {
	s, ok := p.get(name)
	if !ok {
		return 0
	}
	n, err := strconv.ParseFloat(s, 64)
	// ParseFloat also reads hexadecimal, underscores, NaN and Inf; only the first
	// two are left for us to refuse by their letters.
	if err != nil || math.IsNaN(n) || math.IsInf(n, 0) || strings.Trim(s, "0123456789.eE+-") != "" {
		p.refuse(name, s, "a finite number such as 8 or 7.5")
		return 0
	}
	return of(n)
}

func oneOf[T ~string](p *parameters, name string, allowed []T) T {
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
	p.refuse(name, s, "one of "+strings.Join(names, ", "))
	return ""
}

func (p *parameters) category() string {
	s, ok := p.get("category")
	if ok && s == "" {
		p.refuse("category", s, "a category slug, or no category at all")
	}
	return s
}

// upToMaxLimit is what the parameter limit may be, in words.
var upToMaxLimit = fmt.Sprintf("an integer from 1 to %d", maxLimit)

// list reads what every list has: its page and its category.
func (p *parameters) list() question {
	return question{
		Paging: catalog.Paging{
			Page:  p.integer("page", 1, math.MaxInt, "an integer from 1"),
			Limit: p.integer("limit", defaultLimit, maxLimit, upToMaxLimit),
		},
		category: p.category(),
	}
}

// encode writes the question as a query string, for another page of the same list.
// What is the default is left out.
func (q question) encode(page int) string {
	v := make(url.Values, 4)
	set := func(name, value string) {
		if value != "" {
			v.Set(name, value)
		}
	}
	set("category", q.category)
	set("score_min", q.scoreMin.String())
	set("obsolescence_max", q.obsolescenceMax.String())
	set("sort", string(q.order))
	set("reason", string(q.reason))
	if q.Limit != defaultLimit {
		v.Set("limit", strconv.Itoa(q.Limit))
	}
	v.Set("page", strconv.Itoa(page))
	return v.Encode()
}

// link is the Link header of a page (RFC 8288), "" when there are no pages.
func (q question) link(path string, p catalog.Page) string {
	pages := p.Pages()
	if pages == 0 {
		return ""
	}
	to := func(page int, rel string) string {
		return "<" + path + "?" + q.encode(page) + `>; rel="` + rel + `"`
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
