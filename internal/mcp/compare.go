package mcp

import (
	"cmp"
	"errors"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/palmares-hq/palmares/internal/catalog"
)

// CompareArguments are the arguments of compare_tools.
type CompareArguments struct {
	Slugs []string `json:"slugs" jsonschema:"slugs of 2 to 5 tools"`
}

const (
	leastCompared = 2
	mostCompared  = 5
)

func narrowCompare(s *jsonschema.Schema) {
	bound(s, "slugs", itemCount(leastCompared, mostCompared))
	maxLength(catalog.MaxSlug)(s.Properties["slugs"].Items)
}

// A CompareAnswer is the answer of compare_tools: the tools side by side.
type CompareAnswer struct {
	Origin
	Tools       []FullTool   `json:"tools" jsonschema:"in the order in which they were asked for"`
	Differ      []string     `json:"differ" jsonschema:"names of the fields in which the tools are not all alike"`
	Comparisons []Comparison `json:"comparisons" jsonschema:"the editors' head-to-head comparisons between them"`
}

func compareTools(c *call, a CompareArguments) (CompareAnswer, error) {
	slugs := make([]string, len(a.Slugs))
	for i, slug := range a.Slugs {
		slugs[i] = c.current(slug)
	}
	answer := CompareAnswer{Origin: c.origin("/api/v1/tools?slugs=" + strings.Join(slugs, ",")), Differ: []string{}}
	var tools []*catalog.Tool
	for i, slug := range slugs {
		t, err := c.living(slug)
		if err != nil {
			return CompareAnswer{}, err
		}
		if slices.Contains(slugs[:i], slug) {
			return CompareAnswer{}, errors.New("slugs: the same tool twice")
		}
		tools, answer.Tools = append(tools, t), append(answer.Tools, c.full(t))
	}
	for _, f := range comparedFields {
		if slices.ContainsFunc(tools, func(t *catalog.Tool) bool { return f.value(t) != f.value(tools[0]) }) {
			answer.Differ = append(answer.Differ, f.name)
		}
	}
	var found []catalog.ComparisonWithTools
	for _, t := range tools {
		for _, m := range c.ComparisonsOf(t.Slug) {
			if slices.Contains(slugs, m.ToolA) && slices.Contains(slugs, m.ToolB) {
				found = append(found, m)
			}
		}
	}
	answer.Comparisons = c.comparisons(onlyOnce(found))
	return answer, nil
}

// onlyOnce sorts comparisons, the newest first, and removes duplicates: each is found through both of its tools.
func onlyOnce(all []catalog.ComparisonWithTools) []catalog.ComparisonWithTools {
	slices.SortFunc(all, func(a, b catalog.ComparisonWithTools) int {
		return cmp.Or(strings.Compare(string(b.UpdatedAt), string(a.UpdatedAt)), strings.Compare(a.Slug, b.Slug))
	})
	return slices.CompactFunc(all, func(a, b catalog.ComparisonWithTools) bool { return a.Slug == b.Slug })
}

// comparedFields are the fields that compare_tools checks for differences: those by which people choose a tool.
var comparedFields = []struct {
	name  string
	value func(*catalog.Tool) any
}{
	{"category", func(t *catalog.Tool) any { return t.Category }},
	{"icp", func(t *catalog.Tool) any { return t.ICP }},
	{"pricing", func(t *catalog.Tool) any { return t.Pricing }},
	{"price", func(t *catalog.Tool) any { return t.Price }},
	{"score", func(t *catalog.Tool) any { return t.Score }},
	{"verifiability", func(t *catalog.Tool) any { return t.Verifiability }},
	{"ends_at", func(t *catalog.Tool) any { return t.Ending.At }},
}
