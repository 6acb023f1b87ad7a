package mcp

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/palmares-hq/palmares/internal/catalog"
)

// CompareArguments are the arguments of compare_tools.
type CompareArguments struct {
	Slugs []string `json:"slugs" jsonschema:"each a slug, name, domain or package URL"`
	Language
}

const (
	leastCompared = 2
	mostCompared  = 5
)

func narrowCompare(s *jsonschema.Schema) {
	bound(s, "slugs", itemCount(leastCompared, mostCompared))
	maxLength(longest)(s.Properties["slugs"].Items)
	narrowLanguage(s)
}

// A CompareAnswer is the answer of compare_tools: the tools side by side.
type CompareAnswer struct {
	Origin
	Named
	Tools       []FullTool   `json:"tools"`       // in the order in which they were asked for
	Differ      []string     `json:"differ"`      // names of the fields in which the tools are not all alike
	Comparisons []Comparison `json:"comparisons"` // the editors' head-to-head comparisons between them
}

func compareTools(c *call, a CompareArguments) (CompareAnswer, error) {
	c.in(a.Language)
	answer := CompareAnswer{Differ: []string{}}
	var slugs []string
	var tools []*catalog.Tool
	for _, input := range a.Slugs {
		t, err := c.living(input)
		if err != nil {
			return CompareAnswer{}, err
		}
		if slices.Contains(slugs, t.Slug) {
			return CompareAnswer{}, fmt.Errorf("slugs: the same tool twice, %s", t.Slug)
		}
		slugs, tools, answer.Tools = append(slugs, t.Slug), append(tools, t), append(answer.Tools, c.full(t))
	}
	answer.Origin, answer.Named = c.origin("/api/v1/tools?slugs="+strings.Join(slugs, ",")), Named{c.resolved}
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
