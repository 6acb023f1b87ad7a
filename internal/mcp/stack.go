package mcp

import (
	"net/url"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/palmares-hq/palmares/internal/catalog"
)

const mostItems = 50

// StackArguments are the arguments of check_stack.
type StackArguments struct {
	Items []string `json:"items" jsonschema:"each a slug, name, domain or package URL (pkg:npm/…)"`
}

func narrowStack(s *jsonschema.Schema) {
	bound(s, "items", itemCount(1, mostItems))
	maxLength(longest)(s.Properties["items"].Items)
}

// A StackItem is the result for one item: the tool that it is, and what speaks against it.
type StackItem struct {
	Input     plain    `json:"input"`
	Slug      *string  `json:"slug"`       // the tool that it is; null where no tool is, or several are
	MatchedBy *string  `json:"matched_by"` // slug, name, domain or package
	Near      []string `json:"near"`       // slugs of the tools that it may be, where they are several
	Findings  []string `json:"findings"`   // what speaks against it: retired, ending, dearer, low_score
	Detail    *plain   `json:"detail"`     // the findings in words
	Instead   []string `json:"instead"`    // slugs of tools to use instead, the best first
}

// A StackAnswer is the answer of check_stack: one row per item, in the order of the arguments.
type StackAnswer struct {
	Origin
	Items []StackItem `json:"items"`
}

func checkStack(c *call, a StackArguments) (StackAnswer, error) {
	answer := StackAnswer{Items: []StackItem{}}
	var slugs []string
	for _, input := range a.Items {
		item := c.stackItem(input)
		if item.Slug != nil && !slices.Contains(slugs, *item.Slug) {
			slugs = append(slugs, *item.Slug)
		}
		answer.Items = append(answer.Items, item)
	}
	answer.Origin = c.origin("/api/v1/export/identifiers.jsonl") // nothing was found: the export has all identifiers
	if len(slugs) > 0 {
		answer.Origin = c.origin("/api/v1/findings?slugs=" + url.QueryEscape(strings.Join(slugs, ",")))
	}
	return answer, nil
}

func (c *call) stackItem(input string) StackItem {
	item := StackItem{Input: plain(input), Near: []string{}, Findings: []string{}, Instead: []string{}}
	by, slug, meant := c.Resolve(input)
	switch {
	case len(meant) > 0:
		item.MatchedBy, item.Near = &by, meant
		return item
	case slug == "":
		return item
	case by == catalog.BySlug:
		c.noteRename(input)
	}
	item.Slug, item.MatchedBy = &slug, &by
	f, _ := c.Findings(slug, catalog.AtLeast(catalog.LowScore))
	for _, kind := range f.Kinds {
		item.Findings = append(item.Findings, string(kind))
	}
	item.Detail, item.Instead = nullIfEmpty(f.Detail), append(item.Instead, f.Instead...)
	return item
}
