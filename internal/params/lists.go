// Package params parses the query parameters of lists strictly: anything that it does not understand is an
// error that says what is allowed. The JSON interface and the pages take the same parameters, so that a page
// can show the call that returns its data.
//
// Begin with ParseTools. The package looks nothing up: its callers find out whether a category exists.
package params

import (
	"fmt"
	"math"
	"net/url"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/search"
)

// The bounds of pagination.
const (
	DefaultLimit = 50
	MaxLimit     = 200
)

// A List has the parameters of every list.
type List struct {
	catalog.Paging
	Category string
}

const pageAllowed = "an integer of 1 or more"

var limitAllowed = fmt.Sprintf("an integer from 1 to %d", MaxLimit)

func (p *reader) list() List {
	paging := p.paging()
	category, given := p.get("category")
	if given && category == "" {
		p.invalid(RefusedError{Name: "category", Form: Slug}, "a category slug, or no category at all")
	}
	return List{paging, p.detach(category)}
}

func (p *reader) paging() catalog.Paging {
	return catalog.Paging{
		Page:  p.integer("page", 1, math.MaxInt, Positive, pageAllowed),
		Limit: p.integer("limit", DefaultLimit, MaxLimit, Size, limitAllowed),
	}
}

// Values returns the parameters for a query string, without the page and without defaults.
func (l List) Values() url.Values {
	v := make(url.Values, 4)
	set(v, "category", l.Category)
	if l.Limit != DefaultLimit {
		v.Set("limit", strconv.Itoa(l.Limit))
	}
	return v
}

// set sets a parameter unless it is empty, its default.
func set(v url.Values, name, value string) {
	if value != "" {
		v.Set(name, value)
	}
}

// Tools are the parameters of the list of tools.
type Tools struct {
	List
	Search          string          // folded by search.Fold; "" finds all
	Slugs           string          // sorted and joined by commas; "" for any
	Pricing         catalog.Pricing // "" for any
	ICP             catalog.ICP     // "" for any
	ScoreMin        catalog.Bound
	ObsolescenceMax catalog.Bound
	PriceMax        catalog.Amount
	UpdatedSince    catalog.Date      // "" for any
	Sort            catalog.ToolOrder // "" for the default order: by relevance with a query, by score without
}

// MaxSlugs is the largest number of slugs, of tools or of categories, in one request.
const MaxSlugs = 100

// ParseTools parses the parameters of the list of tools. Several categories are sorted and joined
// by commas.
func ParseTools(rawQuery string) (Tools, error) {
	r := newReader(rawQuery)
	p := Tools{
		List:            List{r.paging(), r.several("category", categoriesAllowed)},
		Search:          r.query(),
		Slugs:           r.several("slugs", slugsAllowed),
		Pricing:         oneOf(&r, "pricing", catalog.Pricings()),
		ICP:             oneOf(&r, "icp", catalog.ICPs()),
		ScoreMin:        r.bound("score_min", catalog.AtLeast),
		ObsolescenceMax: r.bound("obsolescence_max", catalog.AtMost),
		PriceMax:        r.amount("price_max"),
		UpdatedSince:    r.day("updated_since"),
		Sort:            oneOf(&r, "sort", catalog.ToolOrders()),
	}
	if p.Sort == catalog.ScoreDesc && p.Search == "" {
		p.Sort = ""
	}
	return p, r.err
}

var (
	slugsAllowed      = fmt.Sprintf("1 to %d slugs joined by commas", MaxSlugs)
	categoriesAllowed = fmt.Sprintf("1 to %d category slugs joined by commas, or no category at all", MaxSlugs)
)

// Size returns the bytes of text in the parameters, for the size of a cache key.
func (p Tools) Size() int { return len(p.Category) + len(p.Search) + len(p.Slugs) }

// Searched reports whether there are words to search for.
func (p Tools) Searched() bool { return p.Search != "" }

// Values returns the parameters for a query string, without the page and without defaults.
func (p Tools) Values() url.Values {
	v := p.List.Values()
	set(v, "q", p.Search)
	set(v, "slugs", p.Slugs)
	set(v, "pricing", string(p.Pricing))
	set(v, "icp", string(p.ICP))
	set(v, "score_min", p.ScoreMin.String())
	set(v, "obsolescence_max", p.ObsolescenceMax.String())
	set(v, "price_max", p.PriceMax.String())
	set(v, "updated_since", string(p.UpdatedSince))
	set(v, "sort", string(p.Sort))
	return v
}

// Categories returns the categories asked for; none means any.
func (p Tools) Categories() []string { return elements(p.Category) }

// elements splits values joined by commas.
func elements(joined string) []string {
	if joined == "" {
		return nil
	}
	return strings.Split(joined, ",")
}

// Query returns the query of the catalog.
func (p Tools) Query() catalog.ToolQuery {
	return catalog.ToolQuery{
		Paging: p.Paging, Search: p.Search, Categories: p.Categories(), Slugs: elements(p.Slugs), Pricing: p.Pricing, ICP: p.ICP,
		ScoreMin: p.ScoreMin, ObsolescenceMax: p.ObsolescenceMax, PriceMax: p.PriceMax, UpdatedSince: p.UpdatedSince,
		Order: p.Sort,
	}
}

// Comparisons are the parameters of the list of comparisons.
type Comparisons struct {
	List
	Search string // folded by search.Fold; "" finds all
}

// ParseComparisons parses the parameters of the list of comparisons.
func ParseComparisons(rawQuery string) (Comparisons, error) {
	r := newReader(rawQuery)
	return Comparisons{r.list(), r.query()}, r.err
}

// Searched reports whether there are words to search for.
func (p Comparisons) Searched() bool { return p.Search != "" }

// Values returns the parameters for a query string, without the page and without defaults.
func (p Comparisons) Values() url.Values {
	v := p.List.Values()
	set(v, "q", p.Search)
	return v
}

// Query returns the query of the catalog.
func (p Comparisons) Query() catalog.ComparisonQuery {
	return catalog.ComparisonQuery{Paging: p.Paging, Search: p.Search, Category: p.Category}
}

// Prices are the parameters of the list of prices.
type Prices struct{ List }

// ParsePrices parses the parameters of the list of prices.
func ParsePrices(rawQuery string) (Prices, error) {
	r := newReader(rawQuery)
	return Prices{r.list()}, r.err
}

// Query returns the query of the catalog.
func (p Prices) Query() catalog.PriceQuery {
	return catalog.PriceQuery{Paging: p.Paging, Category: p.Category}
}

// Endings are the parameters of the list of announced ends.
type Endings struct{ catalog.Paging }

// ParseEndings parses the parameters of the list of announced ends.
func ParseEndings(rawQuery string) (Endings, error) {
	r := newReader(rawQuery)
	return Endings{r.paging()}, r.err
}

// Values returns the parameters for a query string, without the page and without defaults.
func (p Endings) Values() url.Values { return List{Paging: p.Paging}.Values() }

// Findings are the parameters of the findings about some tools.
type Findings struct {
	Inputs   string // joined by commas, in the order given, each once
	Slugs    bool   // the inputs are slugs; otherwise anything that names a tool
	ScoreMin catalog.Bound
}

// ParseFindings parses the parameters of the findings about some tools.
func ParseFindings(rawQuery string) (Findings, error) {
	r := newReader(rawQuery)
	var p Findings
	if _, given := r.get("items"); given {
		if _, both := r.get("slugs"); both {
			r.err = refuse(RefusedError{Name: "items", Form: Items}, "items: it does not go together with slugs: use one of them")
		}
		p.Inputs = r.detach(strings.Join(once(r.items(findingsAllowed, 1, MaxSlugs)), ","))
	} else {
		p.Inputs, p.Slugs = r.ordered("slugs", MaxSlugs, slugsAllowed+", or items"), true
	}
	p.ScoreMin = r.score("score_min", catalog.LowScore)
	return p, r.err
}

var findingsAllowed = fmt.Sprintf("1 to %d %s", MaxSlugs, itemsAllowed)

// Query returns the query of the catalog.
func (p Findings) Query() catalog.FindingsQuery {
	return catalog.FindingsQuery{Inputs: elements(p.Inputs), Slugs: p.Slugs, ScoreMin: p.ScoreMin}
}

// Size returns the bytes of text in the parameters, for the size of a cache key.
func (p Findings) Size() int { return len(p.Inputs) }

// Bill are the parameters of a bill.
type Bill struct {
	Items    string // joined by commas, in the order given
	From, To catalog.Month
}

// MaxTimes is the largest number of times that a bill counts a tool.
const MaxTimes = 9999

var (
	billAllowed = fmt.Sprintf("1 to %d %s, each with *2 to *%d behind it where it is paid for more than once", MaxSlugs, itemsAllowed, MaxTimes)
	toAllowed   = fmt.Sprintf("a month such as 2026-12, from the first to the %dth", catalog.MaxBillMonths)
)

// ParseBill parses the parameters of a bill.
func ParseBill(rawQuery string) (Bill, error) {
	r := newReader(rawQuery)
	items := r.items(billAllowed, 1, MaxSlugs)
	p := Bill{r.detach(strings.Join(items, ",")), r.month("from", "a month such as 2026-01"), r.month("to", toAllowed)}
	for _, item := range p.Query().Items {
		if item.Input == "" || item.Times < 1 || item.Times > MaxTimes {
			r.invalid(RefusedError{Name: "items", Value: p.Items, Form: Items}, billAllowed)
		}
	}
	if r.err == nil && (p.To < p.From || p.To >= p.From+catalog.MaxBillMonths) {
		r.invalid(RefusedError{Name: "to", Value: p.To.String(), Form: Month}, toAllowed)
	}
	return p, r.err
}

// Query returns the query of the catalog. An item ends with a star and a number where it counts more than once.
func (p Bill) Query() catalog.BillQuery {
	q := catalog.BillQuery{From: p.From, To: p.To}
	for _, item := range elements(p.Items) {
		times := 1
		if star := strings.LastIndexByte(item, '*'); star >= 0 && strings.Trim(item[star+1:], "0123456789") == "" {
			times, _ = strconv.Atoi(item[star+1:]) // 0 or too many if it is not a number
			item = item[:star]
		}
		q.Items = append(q.Items, catalog.BillItem{Input: item, Times: times})
	}
	return q
}

// Size returns the bytes of text in the parameters, for the size of a cache key.
func (p Bill) Size() int { return len(p.Items) }

// Compare are the parameters of a comparison of any tools.
type Compare struct {
	Items string // joined by commas, in the order given
}

// The numbers of tools in one comparison.
const (
	MinCompared = 2
	MaxCompared = 5
)

var compareAllowed = fmt.Sprintf("%d to %d %s", MinCompared, MaxCompared, itemsAllowed)

// ParseCompare parses the parameters of a comparison of any tools.
func ParseCompare(rawQuery string) (Compare, error) {
	r := newReader(rawQuery)
	p := Compare{r.detach(strings.Join(r.items(compareAllowed, MinCompared, MaxCompared), ","))}
	return p, r.err
}

// Elements returns what names the tools.
func (p Compare) Elements() []string { return elements(p.Items) }

// Size returns the bytes of text in the parameters, for the size of a cache key.
func (p Compare) Size() int { return len(p.Items) }

// Cemetery are the parameters of the list of retired tools.
type Cemetery struct {
	List
	Search string // folded by search.Fold; "" finds all
	Reason catalog.Reason
}

// ParseCemetery parses the parameters of the list of retired tools.
func ParseCemetery(rawQuery string) (Cemetery, error) {
	r := newReader(rawQuery)
	return Cemetery{r.list(), r.query(), oneOf(&r, "reason", catalog.Reasons())}, r.err
}

// Searched reports whether there are words to search for.
func (p Cemetery) Searched() bool { return p.Search != "" }

// Values returns the parameters for a query string, without the page and without defaults.
func (p Cemetery) Values() url.Values {
	v := p.List.Values()
	set(v, "q", p.Search)
	set(v, "reason", string(p.Reason))
	return v
}

// Query returns the query of the catalog.
func (p Cemetery) Query() catalog.CemeteryQuery {
	return catalog.CemeteryQuery{Paging: p.Paging, Search: p.Search, Category: p.Category, Reason: p.Reason}
}

// A Search is a search of all lists at once.
type Search struct {
	Typed  string
	Search string // folded by search.Fold; "" if nothing typed can be searched for
}

// ParseSearch parses the parameters of the search page. Unlike for lists, the query may be empty.
func ParseSearch(rawQuery string) (Search, error) {
	r := newReader(rawQuery)
	typed, _ := r.get("q")
	if !utf8.ValidString(typed) || utf8.RuneCountInString(typed) > MaxQuery {
		r.invalid(RefusedError{Name: "q", Value: typed, Form: Words}, queryAllowed)
	}
	return Search{typed, search.Fold(typed)}, r.err
}

// Searched reports whether something was typed.
func (p Search) Searched() bool { return p.Typed != "" }

// Journal are the parameters of the journal: a page of editions, or one edition whole.
type Journal struct {
	Page    int
	Edition int64 // 0 for all
}

// ParseJournal parses the parameters of the journal.
func ParseJournal(rawQuery string) (Journal, error) {
	r := newReader(rawQuery)
	j := Journal{Page: r.integer("page", 1, math.MaxInt, Positive, pageAllowed)}
	j.Edition = int64(r.integer("edition", 0, math.MaxInt, Positive, pageAllowed))
	return j, r.err
}
