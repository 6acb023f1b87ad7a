package params

import (
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/changes"
	"github.com/palmares-hq/palmares/internal/webhook"
)

// Changes are the parameters of the change log. Lists are sorted and joined by commas; "" is all.
type Changes struct {
	Since      string // a cursor as it was given; "" for the newest entries
	Types      string
	Categories string
	Slugs      string
	Limit      int
}

// ParseChanges parses the parameters of the change log.
func ParseChanges(rawQuery string) (Changes, error) {
	r := newReader(rawQuery)
	p := Changes{
		Since:      r.cursor("since"),
		Types:      r.types("type"),
		Categories: r.slugs("category"),
		Slugs:      r.slugs("slugs"),
		Limit: r.integer("limit", changes.DefaultLimit, changes.MaxLimit, Size,
			fmt.Sprintf("an integer from 1 to %d", changes.MaxLimit)),
	}
	return p, r.err
}

// Values returns the parameters for a query string, without defaults.
func (p Changes) Values() url.Values {
	v := make(url.Values, 5)
	set(v, "since", p.Since)
	set(v, "type", p.Types)
	set(v, "category", p.Categories)
	set(v, "slugs", p.Slugs)
	if p.Limit != changes.DefaultLimit {
		v.Set("limit", strconv.Itoa(p.Limit))
	}
	return v
}

// Query returns the query of the log.
func (p Changes) Query() changes.Query {
	q := changes.Query{Newest: p.Since == "", Limit: p.Limit}
	q.Since, _ = catalog.ParseCursor(p.Since)
	q.Filter.Categories, q.Filter.Slugs = elements(p.Categories), elements(p.Slugs)
	for _, t := range elements(p.Types) {
		q.Filter.Types = append(q.Filter.Types, catalog.EventType(t))
	}
	return q
}

func (p *reader) cursor(name string) string {
	s, given := p.get(name)
	if _, ok := catalog.ParseCursor(s); given && !ok {
		p.invalid(RefusedError{Name: name, Value: s, Form: Once}, "the next of an answer, the seq of an event, or 0")
	}
	return strings.Clone(s)
}

// slugs parses slugs joined by commas. Unlike those of a list they must be valid slugs, because they may be
// sent to the database, which does not accept every text.
func (p *reader) slugs(name string) string {
	joined := p.several(name, slugsAllowed)
	if slices.ContainsFunc(elements(joined), func(s string) bool { return !catalog.ValidSlug(s) }) {
		p.invalid(RefusedError{Name: name, Value: joined, Form: Slugs}, slugsAllowed)
	}
	return joined
}

// types parses event types joined by commas.
func (p *reader) types(name string) string {
	s, given := p.get(name)
	if !given {
		return ""
	}
	types, err := webhook.ParseTypes(strings.Split(s, ","))
	if err != nil {
		var known []string
		for _, t := range webhook.Types() {
			known = append(known, string(t))
		}
		p.invalid(RefusedError{Name: name, Value: s, Form: OneOf, Values: known}, "one or several of "+strings.Join(known, ", ")+", joined by commas")
		return ""
	}
	names := make([]string, len(types))
	for i, t := range types {
		names[i] = string(t)
	}
	slices.Sort(names)
	return strings.Join(names, ",")
}
