package mcp

import (
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/params"
	"github.com/palmares-hq/palmares/internal/search"
)

// defaultRows is the number of rows of an answer when the caller gives none.
const defaultRows = 10

// SearchArguments are the arguments of search_tools. All are optional; without any it lists the best tools.
type SearchArguments struct {
	Query    string   `json:"q,omitempty" jsonschema:"words in French or English: a name, or what the tool is for"`
	Category string   `json:"category,omitempty" jsonschema:"{categories}"`
	ScoreMin *float64 `json:"score_min,omitempty"`
	PriceMax *float64 `json:"price_max,omitempty" jsonschema:"euros a month; 0 for free of charge"`
	Pricing  *string  `json:"pricing,omitempty"`
	ICP      *string  `json:"icp,omitempty" jsonschema:"for whom the tool is made"`
	Limit    *int     `json:"limit,omitempty" jsonschema:"10 if absent"`
	Language
}

// A SearchAnswer is the tools that search_tools found, the best first.
type SearchAnswer struct {
	Origin
	Total int `json:"total"` // tools that match, of which Tools has the first

	// Of a search by words: whether the tools have all of them, or some; and those that were not searched for.
	Match   string   `json:"match,omitempty"`
	Ignored []string `json:"ignored,omitzero"`

	Tools      []Card     `json:"tools"`
	Retired    []Gone     `json:"retired"`              // the retired tools that the words name
	Categories []Category `json:"categories,omitempty"` // if nothing was found
}

// A Gone is a retired tool in short.
type Gone struct {
	Slug      string  `json:"slug"`
	Name      plain   `json:"name"`
	RetiredAt string  `json:"retired_at"`
	Successor *string `json:"successor"`
}

// A Category is a category with the number of its tools.
type Category struct {
	Slug  string `json:"slug"`
	Label plain  `json:"label"`
	Count int    `json:"tool_count"`
}

func narrowSearch(s *jsonschema.Schema) {
	bound(s, "q", maxLength(params.MaxQuery))
	bound(s, "category", maxLength(longest))
	bound(s, "score_min", between(0, 10))
	bound(s, "pricing", oneOf(catalog.Pricings()))
	bound(s, "icp", oneOf(catalog.ICPs()))
	narrowLimit(s)
	narrowLanguage(s)
}

func narrowLimit(s *jsonschema.Schema) { bound(s, "limit", between(1, maxRows)) }

// searchTools finds tools with the same rules as GET /api/v1/tools.
func searchTools(c *call, a SearchArguments) (SearchAnswer, error) {
	c.in(a.Language)
	category, err := c.categories(a.Category)
	if err != nil {
		return SearchAnswer{}, err
	}
	v := url.Values{}
	for name, value := range map[string]string{
		"q": a.Query, "category": category, "score_min": decimal(a.ScoreMin), "price_max": decimal(a.PriceMax),
		"pricing": deref(a.Pricing), "icp": deref(a.ICP), "limit": strconv.Itoa(rows(a.Limit)),
	} {
		if value != "" {
			v.Set(name, value)
		}
	}
	p, err := params.ParseTools(v.Encode())
	if err != nil {
		return SearchAnswer{}, err
	}
	page := c.Tools(p.Query())
	answer := SearchAnswer{
		Origin: c.origin("/api/v1/tools?" + p.Values().Encode()), Total: page.Total, Tools: c.cards(page.Items), Retired: c.retiredNamed(a.Query),
	}
	if p.Searched() {
		answer.Match, answer.Ignored = matched(page)
	}
	if page.Total == 0 {
		answer.Categories = c.categoryCounts()
	}
	return answer, nil
}

// matched returns whether the tools of a page have all words of the search or some, and the words that were ignored.
func matched(p catalog.Page[*catalog.Tool]) (match string, ignored []string) {
	return p.Match(), append([]string{}, p.Ignored...)
}

// retiredNamed returns the retired tools that a query names: exactly, or by all words of their name among others.
func (c *call) retiredNamed(query string) []Gone {
	gone := []Gone{}
	folded := search.Fold(query)
	if folded == "" {
		return gone
	}
	add := func(r *catalog.Retired) {
		if slices.ContainsFunc(gone, func(g Gone) bool { return g.Slug == r.Slug }) || len(gone) == maxRows {
			return
		}
		g := Gone{Slug: r.Slug, Name: plain(r.Name), RetiredAt: string(r.RetiredAt)}
		if r.Successor != "" {
			g.Successor = &r.Successor
		}
		gone = append(gone, g)
	}
	_, slugs := c.Identify(query)
	for _, slug := range slugs {
		if r, ok := c.Retired(slug); ok {
			add(r)
		}
	}
	words := strings.Fields(folded)
	for _, r := range c.Cemetery(catalog.CemeteryQuery{Search: folded, Paging: catalog.Paging{Page: 1, Limit: maxRows}}).Items {
		name := strings.Fields(search.Fold(r.Name))
		if len(name) > 0 && !slices.ContainsFunc(name, func(w string) bool { return !slices.Contains(words, w) }) {
			add(r)
		}
	}
	return gone
}

// categoryCounts returns the first categories with the numbers of their tools.
func (c *call) categoryCounts() []Category {
	all := c.Categories()
	list := make([]Category, 0, min(len(all), maxCategories))
	for _, k := range all[:cap(list)] {
		list = append(list, Category{k.Slug, c.text(k.Label, k.English), k.Tools})
	}
	return list
}

// rows returns the number of rows that the caller asked for.
func rows(limit *int) int {
	if limit == nil {
		return defaultRows
	}
	return *limit
}

// decimal formats a number as a parameter of the API; nil is "".
func decimal(f *float64) string {
	if f == nil {
		return ""
	}
	return strconv.FormatFloat(*f, 'f', -1, 64)
}
