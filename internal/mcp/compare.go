package mcp

import (
	"fmt"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
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
	for _, input := range a.Slugs {
		t, err := c.living(input)
		if err != nil {
			return CompareAnswer{}, err
		}
		if slices.Contains(slugs, t.Slug) {
			return CompareAnswer{}, fmt.Errorf("slugs: the same tool twice, %s", t.Slug)
		}
		slugs, answer.Tools = append(slugs, t.Slug), append(answer.Tools, c.full(t))
	}
	answer.Origin, answer.Named = c.origin("/api/v1/compare?items="+strings.Join(slugs, ",")), Named{c.resolved}
	compared := c.Compare(slugs)
	answer.Differ = append(answer.Differ, compared.Differ...)
	answer.Comparisons = c.comparisons(compared.Comparisons)
	return answer, nil
}
