package mcp

import (
	"errors"
	"fmt"
	"strings"
	"unicode"

	"github.com/google/jsonschema-go/jsonschema"
	gmtext "github.com/yuin/goldmark/text"

	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/content"
	"github.com/palmares-hq/palmares/internal/web"
)

// maxReview is how many characters of a review an answer has.
const maxReview = 600

// SlugArguments name a tool.
type SlugArguments struct {
	Slug string `json:"slug" jsonschema:"slug of the tool, as search_tools and check_stack give it"`
}

func narrowSlug(s *jsonschema.Schema) { bound(s, "slug", short(catalog.MaxSlug)) }

// A FullTool is a tool with all that the API has of it.
type FullTool struct {
	Card
	Domain        text     `json:"domain"`
	ICP           string   `json:"icp" jsonschema:"for whom the tool is made"`
	Verifiability *float64 `json:"verifiability" jsonschema:"how well its results can be checked, 0 to 10"`
	Successor     *string  `json:"successor" jsonschema:"slug of the tool to use once this one has ended"`
	ReviewURL     *text    `json:"review_url"`
	UpdatedAt     string   `json:"updated_at"`
}

func (c *call) full(t *catalog.Tool) FullTool {
	f := FullTool{
		Card: c.card(t), Domain: text(t.Domain), ICP: string(t.ICP), Verifiability: number(t.Verifiability), UpdatedAt: string(t.UpdatedAt),
	}
	if t.Ending.Successor != "" {
		f.Successor = &t.Ending.Successor
	}
	if t.Review.Exists() {
		f.ReviewURL = or(c.Service().ReviewURL(t.Slug))
	}
	return f
}

// A Fact says where a value was read and when somebody last looked.
type Fact struct {
	Field   string  `json:"field"`
	Value   *text   `json:"value"`
	Checked *string `json:"checked" jsonschema:"day of the last look at the source"`
	Source  *text   `json:"source" jsonschema:"URL"`
	Note    *text   `json:"note"`
}

func factsOf(list []catalog.FieldFact) []Fact {
	facts := make([]Fact, 0, len(list))
	for _, f := range list {
		facts = append(facts, Fact{string(f.Field), or(f.Value), day(f.Checked), or(f.Source), or(f.Note)})
	}
	return facts
}

// Ranks are the places of a tool by score, counted from 1.
type Ranks struct {
	Overall  int `json:"overall"`
	Category int `json:"category"`
}

// A ToolAnswer is all about one tool.
type ToolAnswer struct {
	Origin
	Tool        FullTool `json:"tool"`
	Facts       []Fact   `json:"facts" jsonschema:"the sources of its values"`
	Rank        *Ranks   `json:"rank" jsonschema:"null for a tool without a score"`
	Comparisons []Duel   `json:"comparisons" jsonschema:"the newest 20 head-to-head comparisons with it"`
	Review      *text    `json:"review" jsonschema:"the beginning of the editors' review, 600 characters at most, in French"`
}

func getTool(c *call, a SlugArguments) (ToolAnswer, error) {
	t, err := c.living(a.Slug)
	if err != nil {
		return ToolAnswer{}, err
	}
	answer := ToolAnswer{
		Origin: c.origin("/api/v1/tools/" + t.Slug), Tool: c.full(t), Facts: factsOf(t.FactList()),
		Comparisons: c.duels(c.ComparisonsOf(t.Slug)),
	}
	if r, ok := c.Rank(t.Slug); ok {
		answer.Rank = &Ranks{r.Overall, r.InCategory}
	}
	answer.Review, err = c.review(t)
	return answer, err
}

// living finds a living tool. The error of any other says what to do instead.
func (c *call) living(slug string) (*catalog.Tool, error) {
	t, ok := c.Tool(slug)
	if ok {
		return t, nil
	}
	if r, ok := c.Retired(slug); ok {
		return nil, fmt.Errorf("%s was retired on %s: call retired with this slug to learn why and what to use instead", slug, r.RetiredAt)
	}
	return nil, noSuch(slug)
}

func noSuch(slug string) error {
	return fmt.Errorf("no tool has the slug %s: search_tools finds tools by words, check_stack by name, domain or package", web.Quote(slug))
}

// review is the beginning of a tool's review as plain text.
func (c *call) review(t *catalog.Tool) (*text, error) {
	source, err := c.Review(t.Slug)
	switch {
	case errors.Is(err, catalog.ErrNoReview), errors.Is(err, catalog.ErrNoMarkdown):
		return nil, nil //nolint:nilnil // null is the answer
	case err != nil:
		return nil, fmt.Errorf("reading the review: %w", err)
	}
	source = beginning(source, 4*maxReview) // Markdown has more characters than what it says
	root := content.NewParser().Parse(gmtext.NewReader([]byte(source)))
	var b strings.Builder
	for _, part := range content.Outline(root, []byte(source)) {
		if part.Text == "" {
			continue
		}
		b.WriteString(part.Text + " ")
	}
	said := text(shorten(strings.Join(strings.Fields(catalog.Plain(b.String())), " "), maxReview))
	return &said, nil
}

// beginning is the beginning of a Markdown text of about so many characters, up to the end of a line.
func beginning(s string, characters int) string {
	if len(s) <= characters {
		return s
	}
	if i := strings.IndexByte(s[characters:], '\n'); i >= 0 {
		return s[:characters+i]
	}
	return s
}

// shorten cuts a text between two words so that it has so many characters at most, the ellipsis included.
func shorten(s string, most int) string {
	runes := []rune(s)
	if len(runes) <= most {
		return s
	}
	end := most - 1
	for i := end; i > most/2; i-- {
		if unicode.IsSpace(runes[i]) {
			end = i
			break
		}
	}
	return strings.TrimRightFunc(string(runes[:end]), unicode.IsSpace) + "…"
}
