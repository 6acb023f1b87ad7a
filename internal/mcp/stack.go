package mcp

import (
	"net/url"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/palmares-hq/palmares/internal/catalog"
)

const (
	mostItems = 50
	longest   = 300 // characters of an item
)

// StackArguments are the arguments of check_stack.
type StackArguments struct {
	Items []string `json:"items" jsonschema:"1 to 50 names, slugs, domains or package URLs (pkg:npm/…, pkg:pypi/…) of what somebody uses"`
}

func narrowStack(s *jsonschema.Schema) {
	bound(s, "items", itemCount(1, mostItems))
	maxLength(longest)(s.Properties["items"].Items)
}

// A StackItem is the result for one item: the tool that it is, and what speaks against it.
type StackItem struct {
	Input     plain    `json:"input"`
	Slug      *string  `json:"slug" jsonschema:"the tool that it is; null where no tool is, or several are"`
	MatchedBy *string  `json:"matched_by" jsonschema:"slug, name, domain or package"`
	Near      []string `json:"near" jsonschema:"slugs of the tools that it may be, where they are several"`
	Findings  []string `json:"findings" jsonschema:"what speaks against it: retired, ending, dearer, low_score"`
	Detail    *plain   `json:"detail" jsonschema:"the findings in words"`
	Instead   []string `json:"instead" jsonschema:"slugs of tools to use instead, the best first"`
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
	by, slugs := c.Identify(input)
	switch len(slugs) {
	case 0:
		return item
	case 1:
		item.Slug, item.MatchedBy = &slugs[0], &by
		if by == catalog.BySlug {
			c.current(strings.TrimSpace(input)) // records a former slug for the answer
		}
	default:
		item.MatchedBy, item.Near = &by, slugs[:min(len(slugs), maxRows)]
		return item
	}
	f, _ := c.Findings(slugs[0], catalog.AtLeast(catalog.LowScore))
	for _, kind := range f.Kinds {
		item.Findings = append(item.Findings, string(kind))
	}
	item.Detail, item.Instead = nullIfEmpty(f.Detail), append(item.Instead, f.Instead...)
	return item
}
