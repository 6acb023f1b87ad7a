package params

import (
	"net/url"

	"github.com/palmares-hq/palmares/internal/catalog"
)

// Days are the parameters of the tools of a day.
type Days struct {
	List
	On    catalog.Date
	Slugs string // sorted and joined by commas; "" for any
}

// ParseDays parses the parameters of the tools of a day.
func ParseDays(rawQuery string) (Days, error) {
	r := newReader(rawQuery)
	p := Days{List: r.list(), On: r.day("on"), Slugs: r.several("slugs", slugsAllowed)}
	r.required("on", Day, "a day such as 2026-03-31")
	return p, r.err
}

// NotPublished returns the error of a day after that of the edition.
func (p Days) NotPublished(edition catalog.Date) error {
	r := reader{}
	r.invalid(RefusedError{Name: "on", Value: string(p.On), Form: Day}, "a day until that of the edition, "+string(edition))
	return r.err
}

// Values returns the parameters for a query string, without the page and without defaults.
func (p Days) Values() url.Values {
	v := p.List.Values()
	set(v, "on", string(p.On))
	set(v, "slugs", p.Slugs)
	return v
}

// Query returns the query of the catalog.
func (p Days) Query() catalog.DayQuery {
	return catalog.DayQuery{Paging: p.Paging, Day: p.On, Category: p.Category, Slugs: elements(p.Slugs)}
}

// Size returns the bytes of text in the parameters, for the size of a cache key.
func (p Days) Size() int { return len(p.Category) + len(p.Slugs) }

// History are the parameters of the history of a tool.
type History struct {
	Field catalog.HistoryField // "" for all
}

// ParseHistory parses the parameters of the history of a tool.
func ParseHistory(rawQuery string) (History, error) {
	r := newReader(rawQuery)
	return History{oneOf(&r, "field", catalog.HistoryFields())}, r.err
}
