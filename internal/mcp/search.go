package mcp

import (
	"net/url"
	"strconv"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/params"
)

// defaultRows is the number of rows of an answer when the caller gives none.
const defaultRows = 10

// SearchArguments are the arguments of search_tools. All are optional; without any it lists the best tools.
type SearchArguments struct {
	Query    string   `json:"q,omitempty" jsonschema:"words to search for in names, taglines and categories, in French or English; the best match comes first"`
	Category string   `json:"category,omitempty" jsonschema:"slug of a category, such as code or image"`
	ScoreMin *float64 `json:"score_min,omitempty" jsonschema:"lowest score, 0 to 10"`
	PriceMax *float64 `json:"price_max,omitempty" jsonschema:"highest price in euros a month; 0 for tools that are free of charge"`
	Pricing  *string  `json:"pricing,omitempty" jsonschema:"pricing model"`
	ICP      *string  `json:"icp,omitempty" jsonschema:"for whom the tool is made"`
	Limit    *int     `json:"limit,omitempty" jsonschema:"number of tools, 1 to 20, 10 if absent"`
}

// A SearchAnswer is the tools that search_tools found, the best first.
type SearchAnswer struct {
	Origin
	Total int    `json:"total" jsonschema:"number of tools that match, of which tools has the first"`
	Tools []Card `json:"tools"`
}

func narrowSearch(s *jsonschema.Schema) {
	bound(s, "q", maxLength(params.MaxQuery))
	bound(s, "category", maxLength(catalog.MaxSlug))
	bound(s, "score_min", between(0, 10))
	bound(s, "pricing", oneOf(catalog.Pricings()))
	bound(s, "icp", oneOf(catalog.ICPs()))
	narrowLimit(s)
}

func narrowLimit(s *jsonschema.Schema) { bound(s, "limit", between(1, maxRows)) }

// searchTools finds tools with the same rules as GET /api/v1/tools.
func searchTools(c *call, a SearchArguments) (SearchAnswer, error) {
	v := url.Values{}
	for name, value := range map[string]string{
		"q": a.Query, "category": a.Category, "score_min": decimal(a.ScoreMin), "price_max": decimal(a.PriceMax),
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
	return SearchAnswer{c.origin("/api/v1/tools?" + p.Values().Encode()), page.Total, c.cards(page.Items)}, nil
}

// rows returns the number of rows that the caller asked for.
func rows(limit *int) int {
	if limit == nil {
		return defaultRows
	}
	return *limit
}

func deref(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

// decimal formats a number as a parameter of the API; nil is "".
func decimal(f *float64) string {
	if f == nil {
		return ""
	}
	return strconv.FormatFloat(*f, 'f', -1, 64)
}
