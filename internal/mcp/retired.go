package mcp

import (
	"github.com/palmares-hq/palmares/internal/catalog"
)

// An Entry is a tool in the cemetery.
type Entry struct {
	Slug      string  `json:"slug"`
	Name      text    `json:"name"`
	Category  string  `json:"category"`
	Reason    string  `json:"reason" jsonschema:"why it was retired, in a word"`
	RetiredAt string  `json:"retired_at"`
	Note      text    `json:"note"`
	Successor *string `json:"successor" jsonschema:"slug of the tool that took its place"`
	Facts     []Fact  `json:"facts" jsonschema:"the source of the retirement"`
}

// A RetiredAnswer says whether a tool is still there.
type RetiredAnswer struct {
	Origin
	Retired bool   `json:"retired"`
	Entry   *Entry `json:"entry" jsonschema:"null for a living tool"`
	Instead []Card `json:"instead" jsonschema:"what to use instead, the best first; empty for a tool that needs no replacement"`
}

func retired(c *call, a SlugArguments) (RetiredAnswer, error) {
	answer := RetiredAnswer{Origin: c.origin("/api/v1/facts/" + a.Slug), Instead: []Card{}}
	r, ok := c.Retired(a.Slug)
	if !ok {
		if _, ok := c.Tool(a.Slug); !ok {
			return RetiredAnswer{}, noSuch(a.Slug)
		}
		answer.Instead = c.cards(c.insteadOf(a.Slug)) // of a tool that will end
		return answer, nil
	}
	answer.Retired, answer.Instead = true, c.cards(c.insteadOf(a.Slug))
	answer.Entry = &Entry{
		Slug: r.Slug, Name: text(r.Name), Category: r.Category, Reason: string(r.Reason), RetiredAt: string(r.RetiredAt),
		Note: text(r.Note), Facts: factsOf(r.FactList()),
	}
	if r.Successor != "" {
		answer.Entry.Successor = &r.Successor
	}
	return answer, nil
}

// insteadOf lists what findings advise to use instead of a tool.
func (c *call) insteadOf(slug string) (tools []*catalog.Tool) {
	f, _ := c.Findings(slug, catalog.AtLeast(catalog.LowScore))
	for _, slug := range f.Instead {
		if t, ok := c.Tool(slug); ok {
			tools = append(tools, t)
		}
	}
	return tools
}
