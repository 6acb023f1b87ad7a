package params

import (
	"cmp"
	"fmt"
	"math"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/search"
	"github.com/palmares-hq/palmares/internal/web"
)

// A reader parses the parameters of a query string, strictly. It keeps the first error; values read
// after an error mean nothing.
type reader struct {
	raw     string
	decoded url.Values // used instead of raw when the query string has escapes
	err     error
}

// newReader avoids the map of url.Values if it can: nearly all query strings have no escapes and
// are read as they are.
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

// invalid refuses a value; allowed describes in English what it must be.
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

// bound parses a finite decimal number.
func (p *reader) bound(name string, of func(float64) catalog.Bound) catalog.Bound {
	s, ok := p.get(name)
	if !ok {
		return catalog.Bound{}
	}
	n, ok := number(s)
	if !ok {
		p.invalid(RefusedError{Name: name, Value: s, Form: Number}, "a finite number such as 8 or 7.5")
		return catalog.Bound{}
	}
	return of(n)
}

// score parses a minimum score. Unlike a bound of a list it must be on the scale of scores, since
// answers repeat it.
func (p *reader) score(name string, def float64) catalog.Bound {
	s, ok := p.get(name)
	if !ok {
		return catalog.AtLeast(def)
	}
	n, ok := number(s)
	if !ok || n < 0 || n > 10 {
		p.invalid(RefusedError{Name: name, Value: s, Form: Number}, "a number from 0 to 10 such as 5 or 7.5")
	}
	return catalog.AtLeast(n)
}

func number(s string) (float64, bool) {
	n, err := strconv.ParseFloat(s, 64)
	// ParseFloat also accepts hexadecimal digits and underscores: allow only the characters of a decimal
	// number.
	return n, err == nil && !math.IsNaN(n) && !math.IsInf(n, 0) && strings.Trim(s, "0123456789.eE+-") == ""
}

// detach returns a value for use as a cache key. It copies the value if the query string is long, because a
// substring would keep all of it in memory.
func (p *reader) detach(value string) string {
	if len(p.raw) > 256 {
		return strings.Clone(value)
	}
	return value
}

// MaxQuery is the largest number of characters to search for.
const MaxQuery = 100

var queryAllowed = fmt.Sprintf("1 to %d characters, a letter or a digit among them", MaxQuery)

// query parses the words to search for, and folds them.
func (p *reader) query() string {
	s, given := p.get("q")
	if !given {
		return ""
	}
	folded := ""
	if utf8.ValidString(s) && utf8.RuneCountInString(s) <= MaxQuery {
		folded = search.Fold(s)
	}
	if folded == "" {
		p.invalid(RefusedError{Name: "q", Value: s, Form: Words}, queryAllowed)
	}
	return p.detach(folded)
}

// several parses values joined by commas, MaxSlugs at most, and returns them sorted and without duplicates.
func (p *reader) several(name, allowed string) string {
	s, given := p.get(name)
	if !given {
		return ""
	}
	if s != "" && !strings.Contains(s, ",") {
		return p.detach(s)
	}
	values := p.split(name, s, MaxSlugs, allowed)
	slices.Sort(values)
	return strings.Join(slices.Compact(values), ",")
}

// ordered parses required slugs joined by commas, and returns them in the order given, without duplicates.
func (p *reader) ordered(name string, most int, allowed string) string {
	s, given := p.required(name, Slugs, allowed)
	if !given {
		return ""
	}
	return p.detach(strings.Join(once(p.split(name, s, most, allowed)), ","))
}

// required returns the value of a parameter, and refuses the query if it is not given.
func (p *reader) required(name string, form Form, allowed string) (value string, given bool) {
	value, given = p.get(name)
	if !given && p.err == nil {
		p.err = refuse(RefusedError{Name: name, Form: form}, name+": it is missing: use "+allowed)
	}
	return value, given
}

// once returns the values in their order, without duplicates.
func once(values []string) (list []string) {
	for _, v := range values {
		if !slices.Contains(list, v) {
			list = append(list, v)
		}
	}
	return list
}

// MaxItems is the largest size of the parameter items, in bytes after decoding.
const MaxItems = 7000

var itemsAllowed = fmt.Sprintf("slugs, names, domains or package URLs joined by commas, %d bytes in all", MaxItems)

// items parses the required parameter items: whatever names a tool, joined by commas.
func (p *reader) items(allowed string, least, most int) []string {
	s, given := p.required("items", Items, allowed)
	if !given {
		return nil
	}
	list := strings.Split(s, ",")
	if len(s) > MaxItems || len(list) < least || len(list) > most || slices.Contains(list, "") {
		p.invalid(RefusedError{Name: "items", Value: s, Form: Items}, allowed)
		return nil
	}
	return list
}

// split splits values joined by commas. It refuses too many values or an empty one, and then returns none.
func (p *reader) split(name, joined string, most int, allowed string) []string {
	values := strings.Split(joined, ",")
	if slices.Contains(values, "") || len(values) > most {
		p.invalid(RefusedError{Name: name, Value: joined, Form: Slugs}, allowed)
		return nil
	}
	return values
}

// amount parses an amount in euros.
func (p *reader) amount(name string) catalog.Amount {
	s, given := p.get(name)
	if !given {
		return catalog.Amount{}
	}
	a, ok := catalog.ParseAmount(s)
	if !ok {
		p.invalid(RefusedError{Name: name, Value: s, Form: Euros}, "a number of euros with two decimals at most, such as 20 or 19.99")
	}
	return a
}

func (p *reader) day(name string) catalog.Date {
	s, given := p.get(name)
	if !given {
		return ""
	}
	d, err := catalog.ParseDate(s)
	if err != nil {
		p.invalid(RefusedError{Name: name, Value: s, Form: Day}, "a day such as 2026-03-31")
	}
	return d
}

// month parses a required month.
func (p *reader) month(name, allowed string) catalog.Month {
	s, given := p.required(name, Month, allowed)
	if !given {
		return 0
	}
	m, err := catalog.ParseMonth(s)
	if err != nil {
		p.invalid(RefusedError{Name: name, Value: s, Form: Month}, allowed)
	}
	return m
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

// Form is the form that the values of a parameter must have.
type Form string

// The forms of parameters, and the faults of a query string as a whole.
const (
	OneOf    Form = "one"      // of RefusedError.Values
	Positive Form = "positive" // a whole number from 1
	Size     Form = "size"     // a whole number from 1 to MaxLimit
	Number   Form = "number"   // a finite decimal number
	Slug     Form = "slug"     // of a category
	Slugs    Form = "slugs"    // joined by commas
	Items    Form = "items"    // slugs, names, domains or package URLs, joined by commas, up to MaxItems bytes
	Words    Form = "words"    // to search for, up to MaxQuery characters
	Euros    Form = "euros"    // an amount with two decimals at most
	Day      Form = "day"      // such as 2026-03-31
	Month    Form = "month"    // such as 2026-03
	Watched  Form = "watched"  // slugs of tools, up to MaxSlugs
	Compared Form = "compared" // slugs of tools, up to MaxSideBySide
	Once     Form = "once"     // given more than once
	Query    Form = "query"    // the query string is malformed
)

// A RefusedError reports an invalid parameter. Its message is for programs; pages use the fields to
// say which parameter it is and what that accepts.
type RefusedError struct {
	Name, Value string // both "" for Query; for a repeated parameter only Name is set
	Form        Form
	Values      []string // those that OneOf accepts

	sent *web.Error
}

// Error returns the message.
func (r *RefusedError) Error() string { return r.sent.Message }

// Unwrap returns the HTTP error.
func (r *RefusedError) Unwrap() error { return r.sent }

// refuse returns the error of a parameter.
func refuse(r RefusedError, message string) error {
	r.sent = web.Errorf(http.StatusBadRequest, "%s", message)
	r.sent.Reason = web.Reason{Code: web.CodeBadParameter, Parameter: cmp.Or(r.Name, "query")}
	return &r
}
