package params

import (
	"fmt"
	"math"
	"net/url"
	"strconv"
	"strings"

	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/web"
)

// A reader reads the parameters of a query string, strictly. It keeps the first error; what
// it reads after an error means nothing.
type reader struct {
	raw     string
	decoded url.Values // used instead of raw when the query string has escapes
	err     error
}

// newReader avoids the map of url.Values where it can: nearly all query strings have no
// escapes and are read as they stand.
func newReader(rawQuery string) reader {
	if !strings.ContainsAny(rawQuery, "%+;") {
		return reader{raw: rawQuery}
	}
	values, err := url.ParseQuery(rawQuery)
	if err != nil {
		err = refuse(RefusedError{Form: Query}, fmt.Sprintf(
			"query: %s is not allowed: use a well-formed query string (percent-encode special characters)",
			web.Quote(rawQuery)))
	}
	return reader{raw: rawQuery, decoded: values, err: err}
}

// get returns the value of a parameter and whether it was given.
func (p *reader) get(name string) (value string, given bool) {
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

func (p *reader) repeated(name string, values []string) {
	const maxShown = 3
	shown := make([]string, 0, maxShown)
	for _, v := range values[:min(len(values), maxShown)] {
		shown = append(shown, web.Quote(v))
	}
	if len(values) > maxShown {
		shown = append(shown, "…")
	}
	p.err = refuse(RefusedError{Name: name, Form: Once}, fmt.Sprintf("%s: given %d times (%s): give it once at most",
		name, len(values), strings.Join(shown, ", ")))
}

// invalid refuses a value; allowed says in English what its form is.
func (p *reader) invalid(r RefusedError, allowed string) {
	if p.err == nil {
		p.err = refuse(r, fmt.Sprintf("%s: %s is not allowed: use %s", r.Name, web.Quote(r.Value), allowed))
	}
}

func (p *reader) integer(name string, def, most int, form Form, allowed string) int {
	s, ok := p.get(name)
	if !ok {
		return def
	}
	n, err := strconv.Atoi(s)
	if err != nil || n < 1 || n > most || s[0] == '+' {
		p.invalid(RefusedError{Name: name, Value: s, Form: form}, allowed)
		return def
	}
	return n
}

// bound reads a finite decimal number.
func (p *reader) bound(name string, of func(float64) catalog.Bound) catalog.Bound {
	s, ok := p.get(name)
	if !ok {
		return catalog.Bound{}
	}
	n, err := strconv.ParseFloat(s, 64)
	// ParseFloat also reads hexadecimal digits and underscores, which the letters tell.
	if err != nil || math.IsNaN(n) || math.IsInf(n, 0) || strings.Trim(s, "0123456789.eE+-") != "" {
		p.invalid(RefusedError{Name: name, Value: s, Form: Number}, "a finite number such as 8 or 7.5")
		return catalog.Bound{}
	}
	return of(n)
}

func oneOf[T ~string](p *reader, name string, allowed []T) T {
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
	p.invalid(RefusedError{Name: name, Value: s, Form: OneOf, Values: names}, "one of "+strings.Join(names, ", "))
	return ""
}
