package params

import (
	"fmt"
	"math"
	"net/url"
	"strconv"
	"strings"

	"github.com/palmares-hq/palmares/internal/catalog"
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
	page := p.integer("page", 1, math.MaxInt, Positive, pageAllowed)
	limit := p.integer("limit", DefaultLimit, MaxLimit, Size, limitAllowed)
	category, given := p.get("category")
	if given && category == "" {
		p.invalid(RefusedError{Name: "category", Form: Slug}, "a category slug, or no category at all")
	}
	if len(p.raw) > 256 { // a cache keeps the category, and must not keep all of this with it
		category = strings.Clone(category)
	}
	return List{catalog.Paging{Page: page, Limit: limit}, category}
}

// Values are the parameters as a query string has them, without the page and without defaults.
func (l List) Values() url.Values {
	v := make(url.Values, 4)
	set(v, "category", l.Category)
	if l.Limit != DefaultLimit {
		v.Set("limit", strconv.Itoa(l.Limit))
	}
	return v
}

// set sets a parameter unless it has its default, "".
func set(v url.Values, name, value string) {
	if value != "" {
		v.Set(name, value)
	}
}

// Tools are the parameters of the list of tools.
type Tools struct {
	List
	Pricing         catalog.Pricing // "" for any
	ICP             catalog.ICP     // "" for any
	ScoreMin        catalog.Bound
	ObsolescenceMax catalog.Bound
	Sort            catalog.ToolOrder // "" for the default order
}

// ParseTools reads the parameters of the list of tools.
func ParseTools(rawQuery string) (Tools, error) {
	r := newReader(rawQuery)
	p := Tools{
		List:            r.list(),
		Pricing:         oneOf(&r, "pricing", catalog.Pricings()),
		ICP:             oneOf(&r, "icp", catalog.ICPs()),
		ScoreMin:        r.bound("score_min", catalog.AtLeast),
		ObsolescenceMax: r.bound("obsolescence_max", catalog.AtMost),
		Sort:            oneOf(&r, "sort", catalog.ToolOrders()),
	}
	if p.Sort == catalog.ScoreDesc {
		p.Sort = ""
	}
	return p, r.err
}

// Values are the parameters as a query string has them, without the page and without defaults.
func (p Tools) Values() url.Values {
	v := p.List.Values()
	set(v, "pricing", string(p.Pricing))
	set(v, "icp", string(p.ICP))
	set(v, "score_min", p.ScoreMin.String())
	set(v, "obsolescence_max", p.ObsolescenceMax.String())
	set(v, "sort", string(p.Sort))
	return v
}

// Query is what the parameters ask the catalog for.
func (p Tools) Query() catalog.ToolQuery {
	return catalog.ToolQuery{
		Paging: p.Paging, Category: p.Category, Pricing: p.Pricing, ICP: p.ICP,
		ScoreMin: p.ScoreMin, ObsolescenceMax: p.ObsolescenceMax, Order: p.Sort,
	}
}

// Comparisons are the parameters of the list of comparisons.
type Comparisons struct{ List }

// ParseComparisons reads the parameters of the list of comparisons.
func ParseComparisons(rawQuery string) (Comparisons, error) {
	r := newReader(rawQuery)
	return Comparisons{r.list()}, r.err
}

// Query is what the parameters ask the catalog for.
func (p Comparisons) Query() catalog.ComparisonQuery {
	return catalog.ComparisonQuery{Paging: p.Paging, Category: p.Category}
}

// Prices are the parameters of the list of prices.
type Prices struct{ List }

// ParsePrices reads the parameters of the list of prices.
func ParsePrices(rawQuery string) (Prices, error) {
	r := newReader(rawQuery)
	return Prices{r.list()}, r.err
}

// Query is what the parameters ask the catalog for.
func (p Prices) Query() catalog.PriceQuery {
	return catalog.PriceQuery{Paging: p.Paging, Category: p.Category}
}

// Cemetery are the parameters of the list of retired tools.
type Cemetery struct {
	List
	Reason catalog.Reason
}

// ParseCemetery reads the parameters of the list of retired tools.
func ParseCemetery(rawQuery string) (Cemetery, error) {
	r := newReader(rawQuery)
	return Cemetery{r.list(), oneOf(&r, "reason", catalog.Reasons())}, r.err
}

// Values are the parameters as a query string has them, without the page and without defaults.
func (p Cemetery) Values() url.Values {
	v := p.List.Values()
	set(v, "reason", string(p.Reason))
	return v
}

// Query is what the parameters ask the catalog for.
func (p Cemetery) Query() catalog.CemeteryQuery {
	return catalog.CemeteryQuery{Paging: p.Paging, Category: p.Category, Reason: p.Reason}
}

// ParsePage reads the page of a list that has no other parameter.
func ParsePage(rawQuery string) (int, error) {
	r := newReader(rawQuery)
	return r.integer("page", 1, math.MaxInt, Positive, pageAllowed), r.err
}
