package mcp

import (
	"fmt"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/palmares-hq/palmares/internal/catalog"
)

// AlternativesArguments are the arguments of the tool alternatives.
type AlternativesArguments struct {
	TextArguments
	Limit *int `json:"limit,omitempty" jsonschema:"10 if absent"`
}

func narrowAlternatives(s *jsonschema.Schema) {
	narrowText(s)
	narrowLimit(s)
}

// An Alternative is a tool to use instead of another.
type Alternative struct {
	Card
	Why plain `json:"why"` // how it relates to the tool that it may replace
}

// An AlternativesAnswer lists the tools that may replace a tool: its successors, then the closest or best ones.
type AlternativesAnswer struct {
	Origin
	Named
	Tools []Alternative `json:"tools"`
}

func alternatives(c *call, a AlternativesArguments) (AlternativesAnswer, error) {
	c.in(a.Language)
	slug, err := c.resolve(a.Slug)
	if err != nil {
		return AlternativesAnswer{}, err
	}
	answer := AlternativesAnswer{c.origin("/api/v1/findings?slugs=" + slug), Named{c.resolved}, []Alternative{}}
	listed := make(map[string]bool)
	add := func(t *catalog.Tool, why string) {
		if !listed[t.Slug] && len(answer.Tools) < rows(a.Limit) {
			listed[t.Slug] = true
			answer.Tools = append(answer.Tools, Alternative{c.card(t), plain(why)})
		}
	}
	if t, ok := c.Tool(slug); ok {
		successors := c.successors(t.Slug, t.Ending.Successor, "The announced successor.")
		if len(successors) == 0 {
			answer.Origin = c.origin("/api/v1/tools?category=" + t.Category)
		}
		for _, s := range successors {
			add(s.Tool, s.relation+" "+gap(t, s.Tool))
		}
		for _, other := range c.Alternatives(slug) {
			add(other, gap(t, other))
		}
		return answer, nil
	}
	r, _ := c.Retired(slug)
	for _, s := range c.successors(r.Slug, r.Successor, "The successor that its retirement names.") {
		add(s.Tool, s.relation+ending(s.Tool))
	}
	for _, t := range c.insteadOf(slug) {
		if t.Score.Known {
			add(t, "One of the best scores in its category.")
		} else {
			add(t, "Of its category, without a score.")
		}
	}
	return answer, nil
}

// A successor is a living tool that replaces another, with a sentence that says how the two relate.
type successor struct {
	*catalog.Tool
	relation string
}

// successors returns the living tools that replace a tool whose named successor is named: first the last in the chain
// of successors, which will not end, then the named one if it is another. direct is the sentence about the named one.
func (c *call) successors(slug, named, direct string) (list []successor) {
	last, found := c.Successor(slug)
	switch {
	case named == "":
		return nil
	case found && last.Slug == named:
		return []successor{{last, direct}}
	case found:
		list = append(list, successor{last, fmt.Sprintf("The last of its successors: the first, %s, is replaced in turn.", named)})
	}
	if t, ok := c.Tool(named); ok {
		list = append(list, successor{t, direct})
	}
	return list
}

// ending returns a sentence that says when a tool will end; "" if no end is announced.
func ending(t *catalog.Tool) string {
	if !t.Ending.Announced() {
		return ""
	}
	return fmt.Sprintf(" Ends on %s itself.", t.Ending.At)
}

// gap returns sentences that say what changes for a user of t who switches to other.
func gap(t, other *catalog.Tool) string {
	var said []string
	if end := ending(other); end != "" {
		said = append(said, strings.TrimSpace(end))
	}
	if t.Category != other.Category {
		said = append(said, fmt.Sprintf("Of the category %s instead of %s.", other.Category, t.Category))
	}
	switch gap := int(other.Score.Hundredths) - int(t.Score.Hundredths); {
	case !other.Score.Known || !t.Score.Known:
	case gap > 0:
		said = append(said, fmt.Sprintf("Score %s, %s higher.", other.Score, catalog.Hundredths(gap)))
	case gap < 0:
		said = append(said, fmt.Sprintf("Score %s, %s lower.", other.Score, catalog.Hundredths(-gap)))
	default:
		said = append(said, "The same score.")
	}
	said = append(said, priceGap(t.Price, other.Price))
	if t.ICP == other.ICP {
		said = append(said, "Made for the same audience.")
	} else {
		said = append(said, fmt.Sprintf("Made for %s instead of %s.", other.ICP, t.ICP))
	}
	return strings.Join(said, " ")
}

// priceGap returns a sentence that compares two prices, or says that they cannot be compared.
func priceGap(from, to string) string {
	a, _ := catalog.ParsePrice(from) // checked when the files were read
	b, _ := catalog.ParsePrice(to)
	a, b = a.Yearly(), b.Yearly()
	if a.Cents == 0 || b.Cents == 0 { // zero is zero, whatever the period
		a.Period = b.Period
	}
	switch {
	case a.Period != b.Period:
		return fmt.Sprintf("Costs %s, which cannot be compared with %s.", to, from)
	case a.Cents < b.Cents:
		return fmt.Sprintf("Costs more: %s instead of %s.", to, from)
	case a.Cents > b.Cents:
		return fmt.Sprintf("Costs less: %s instead of %s.", to, from)
	default:
		return "Costs the same."
	}
}
