package mcp

import (
	"fmt"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/palmares-hq/palmares/internal/catalog"
)

// AlternativesArguments are those of alternatives.
type AlternativesArguments struct {
	Slug  string `json:"slug" jsonschema:"slug of the tool to replace, living or retired"`
	Limit *int   `json:"limit,omitempty" jsonschema:"number of tools, 1 to 20, 10 if absent"`
}

func narrowAlternatives(s *jsonschema.Schema) {
	narrowSlug(s)
	narrowLimit(s)
}

// An Alternative is a tool to use instead of another.
type Alternative struct {
	Card
	Why text `json:"why" jsonschema:"how it relates to the tool that it may replace"`
}

// An AlternativesAnswer lists what may replace a tool, the closest first.
type AlternativesAnswer struct {
	Origin
	Tools []Alternative `json:"tools"`
}

func alternatives(c *call, a AlternativesArguments) (AlternativesAnswer, error) {
	answer := AlternativesAnswer{c.origin("/api/v1/findings?slugs=" + a.Slug), []Alternative{}}
	add := func(t *catalog.Tool, why string) {
		if len(answer.Tools) < rows(a.Limit) {
			answer.Tools = append(answer.Tools, Alternative{c.card(t), text(why)})
		}
	}
	if t, ok := c.Tool(a.Slug); ok {
		answer.Origin = c.origin("/api/v1/tools?category=" + t.Category)
		for _, other := range c.Alternatives(a.Slug) {
			add(other, why(t, other))
		}
		return answer, nil
	}
	r, ok := c.Retired(a.Slug)
	if !ok {
		return AlternativesAnswer{}, noSuch(a.Slug)
	}
	for _, t := range c.insteadOf(a.Slug) {
		if t.Slug == r.Successor {
			add(t, "The successor that its retirement names.")
			continue
		}
		add(t, "One of the best scores in its category.")
	}
	return answer, nil
}

// why says what changes for whoever takes another tool of the same category.
func why(t, other *catalog.Tool) string {
	var said []string
	if other.Slug == t.Ending.Successor {
		said = append(said, "The announced successor.")
	}
	if other.Ending.Announced() {
		said = append(said, fmt.Sprintf("Ends on %s itself.", other.Ending.At))
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

// priceGap compares two prices, where they can be compared.
func priceGap(from, to string) string {
	a, _ := catalog.ParsePrice(from) // checked when the files were read
	b, _ := catalog.ParsePrice(to)
	a, b = a.Yearly(), b.Yearly()
	if a.Cents == 0 || b.Cents == 0 { // nothing is nothing, of any period
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
