package mcp

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"unicode"

	"github.com/google/jsonschema-go/jsonschema"
	gmtext "github.com/yuin/goldmark/text"

	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/content"
	"github.com/palmares-hq/palmares/internal/text"
)

// maxReview is how many characters of a review an answer has at most.
const maxReview = 600

// SlugArguments are the arguments of the tools that take only a tool.
type SlugArguments struct {
	Slug string `json:"slug" jsonschema:"slug, name, domain or package URL"`
}

func narrowSlug(s *jsonschema.Schema) { bound(s, "slug", maxLength(longest)) }

// TextArguments are those of the tools whose answers have texts as well.
type TextArguments struct {
	SlugArguments
	Language
}

func narrowText(s *jsonschema.Schema) {
	narrowSlug(s)
	narrowLanguage(s)
}

// A FullTool is everything that the API has about a tool.
type FullTool struct {
	Card
	Domain        plain    `json:"domain"`
	ICP           string   `json:"icp"`           // for whom the tool is made
	Verifiability *float64 `json:"verifiability"` // how well its results can be checked, 0 to 10
	Successor     *string  `json:"successor"`     // slug of the tool to use once this one has ended
	ReviewURL     *plain   `json:"avis_url"`
	UpdatedAt     string   `json:"updated_at"`
}

func (c *call) full(t *catalog.Tool) FullTool {
	f := FullTool{
		Card: c.card(t), Domain: plain(t.Domain), ICP: string(t.ICP), Verifiability: number(t.Verifiability), UpdatedAt: string(t.UpdatedAt),
	}
	if t.Ending.Successor != "" {
		f.Successor = &t.Ending.Successor
	}
	if t.Review.Exists() {
		f.ReviewURL = nullIfEmpty(c.Service().ReviewURL(t.Slug))
	}
	return f
}

// A Fact is a field's value with its source, and the day on which the source was last checked.
type Fact struct {
	Field   string  `json:"field"`
	Value   *plain  `json:"value"`
	Checked *string `json:"checked"` // day of the last look at the source
	Source  *plain  `json:"source"`  // URL
	Note    *plain  `json:"note"`
}

func factsOf(list []catalog.FieldFact) []Fact {
	facts := make([]Fact, 0, len(list))
	for _, f := range list {
		facts = append(facts, Fact{
			string(f.Field), nullIfEmpty(f.Value), day(f.Checked), nullIfEmpty(f.Source), nullIfEmpty(f.Note),
		})
	}
	return facts
}

// Ranks are the ranks of a tool by score, counted from 1.
type Ranks struct {
	Overall  int `json:"overall"`
	Category int `json:"category"`
}

// A ToolAnswer is the answer of get_tool.
type ToolAnswer struct {
	Origin
	Named
	Tool        FullTool     `json:"tool"`
	Facts       []Fact       `json:"facts"`       // the sources of its values
	Rank        *Ranks       `json:"rank"`        // null for a tool without a score
	Comparisons []Comparison `json:"comparisons"` // the newest 20 head-to-head comparisons with it
	Review      *plain       `json:"review"`      // the beginning of the editors' review, 600 characters at most
}

func getTool(c *call, a TextArguments) (ToolAnswer, error) {
	c.in(a.Language)
	t, err := c.living(a.Slug)
	if err != nil {
		return ToolAnswer{}, err
	}
	answer := ToolAnswer{
		Origin: c.origin("/api/v1/tools/" + t.Slug), Named: Named{c.resolved}, Tool: c.full(t), Facts: factsOf(t.FactList()),
		Comparisons: c.comparisons(c.ComparisonsOf(t.Slug)),
	}
	if r, ok := c.Rank(t.Slug); ok {
		answer.Rank = &Ranks{r.Overall, r.InCategory}
	}
	answer.Review, err = c.review(t)
	return answer, err
}

// living returns the living tool that an argument names. Without one it returns an error for the model, which says what
// to call instead.
func (c *call) living(input string) (*catalog.Tool, error) {
	slug, err := c.resolve(input)
	if err != nil {
		return nil, err
	}
	if t, ok := c.Tool(slug); ok {
		return t, nil
	}
	r, _ := c.Retired(slug)
	return nil, fmt.Errorf("%s was retired on %s: call retired with this slug to learn why and what to use instead", slug, r.RetiredAt)
}

// reviewParser returns the parser of reviews. Making one takes longer than most tools take to answer.
var reviewParser = sync.OnceValue(content.NewParser)

// review returns the beginning of a tool's review as plain text.
func (c *call) review(t *catalog.Tool) (*plain, error) {
	read := c.Review
	if c.english && t.English.Review.Exists() {
		read = c.EnglishReview
	}
	source, err := read(t.Slug)
	switch {
	case errors.Is(err, catalog.ErrNoReview), errors.Is(err, catalog.ErrNoMarkdown):
		return nil, nil //nolint:nilnil // null is the answer
	case err != nil:
		return nil, fmt.Errorf("reading the review: %w", err)
	}
	source = beginning(source, 4*maxReview) // Markdown has more characters than what it says
	root := reviewParser().Parse(gmtext.NewReader([]byte(source)))
	var b strings.Builder
	for _, part := range content.Outline(root, []byte(source)) {
		if part.Text == "" {
			continue
		}
		b.WriteString(part.Text + " ")
	}
	said := plain(shorten(strings.Join(strings.Fields(text.Line(b.String())), " "), maxReview))
	return &said, nil
}

// beginning returns the first lines of a Markdown text: at least this many bytes, up to the end of a line.
func beginning(s string, characters int) string {
	if len(s) <= characters {
		return s
	}
	if i := strings.IndexByte(s[characters:], '\n'); i >= 0 {
		return s[:characters+i]
	}
	return s
}

// shorten cuts a text to at most this many characters, including an ellipsis, if possible between two words.
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

// A PriceChange is one change of a price.
type PriceChange struct {
	ChangedAt  string `json:"changed_at"`
	OldPricing string `json:"old_pricing"`
	OldPrice   plain  `json:"old_price"`
	NewPricing string `json:"new_pricing"`
	NewPrice   plain  `json:"new_price"`
}

// A PriceAnswer is the answer of price_history.
type PriceAnswer struct {
	Origin
	Named
	Slug         string        `json:"slug"`
	Name         plain         `json:"name"`
	Pricing      string        `json:"current_pricing"`
	Price        plain         `json:"current_price"`
	PriceChecked *string       `json:"price_checked"` // day on which the price was last compared with its source
	RetiredAt    *string       `json:"retired_at"`    // day on which the tool was retired; its current price is then the last one
	Total        int           `json:"total"`         // number of changes there were
	History      []PriceChange `json:"price_history"` // the newest 20 changes, the newest first
}

func priceHistory(c *call, a SlugArguments) (PriceAnswer, error) {
	slug, err := c.resolve(a.Slug)
	if err != nil {
		return PriceAnswer{}, err
	}
	t, ok := c.Tool(slug)
	if !ok {
		return c.lastPrices(slug), nil
	}
	answer := PriceAnswer{
		Origin: c.origin("/api/v1/pricing/" + t.Slug), Named: Named{c.resolved}, Slug: t.Slug, Name: plain(t.Name), Pricing: string(t.Pricing), Price: plain(t.Price),
		PriceChecked: day(t.Facts.Price.Checked), Total: len(t.History), History: []PriceChange{},
	}
	for _, h := range t.History[:min(len(t.History), maxRows)] {
		answer.History = append(answer.History, priceChange(h))
	}
	return answer, nil
}

// lastPrices returns what a retired tool cost, as far as it is known.
func (c *call) lastPrices(slug string) PriceAnswer {
	r, _ := c.Retired(slug)
	answer := PriceAnswer{
		Origin: c.origin("/api/v1/history/" + slug), Named: Named{c.resolved}, Slug: slug, Name: plain(r.Name), RetiredAt: day(r.RetiredAt),
		History: []PriceChange{},
	}
	var after *catalog.Interval
	list, _ := c.Intervals(slug)
	for _, i := range list { // the newest first
		switch {
		case i.Field != catalog.PriceHistory:
			continue
		case after == nil:
			answer.Pricing, answer.Price = string(i.Pricing), plain(i.Price)
		default:
			if answer.Total++; answer.Total <= maxRows {
				answer.History = append(answer.History, priceChange(catalog.PriceChange{
					ChangedAt: after.From, OldPricing: i.Pricing, OldPrice: i.Price, NewPricing: after.Pricing, NewPrice: after.Price,
				}))
			}
		}
		after = &i
	}
	return answer
}

func priceChange(h catalog.PriceChange) PriceChange {
	return PriceChange{string(h.ChangedAt), string(h.OldPricing), plain(h.OldPrice), string(h.NewPricing), plain(h.NewPrice)}
}

// An Entry is a tool in the cemetery.
type Entry struct {
	Slug      string  `json:"slug"`
	Name      plain   `json:"name"`
	Category  string  `json:"category"`
	Reason    string  `json:"reason"` // why it was retired, in a word
	RetiredAt string  `json:"retired_at"`
	Note      plain   `json:"note"`
	Successor *string `json:"successor"` // slug of the tool that took its place
	Facts     []Fact  `json:"facts"`     // the source of the retirement
}

// A RetiredAnswer is the answer of retired: whether a tool was retired, why, and what to use instead.
type RetiredAnswer struct {
	Origin
	Named
	Retired bool   `json:"retired"`
	Entry   *Entry `json:"entry"`   // null for a living tool
	Instead []Card `json:"instead"` // what to use instead, the best first; empty for a tool that needs no replacement
}

func retired(c *call, a TextArguments) (RetiredAnswer, error) {
	c.in(a.Language)
	slug, err := c.resolve(a.Slug)
	if err != nil {
		return RetiredAnswer{}, err
	}
	answer := RetiredAnswer{
		Origin: c.origin("/api/v1/facts/" + slug), Named: Named{c.resolved},
		Instead: c.cards(c.insteadOf(slug)), // of a living tool, too: it may end soon
	}
	r, ok := c.Retired(slug)
	if !ok {
		return answer, nil
	}
	answer.Retired, answer.Entry = true, &Entry{
		Slug: r.Slug, Name: plain(r.Name), Category: r.Category, Reason: string(r.Reason), RetiredAt: string(r.RetiredAt),
		Note: c.text(r.Note, r.English.Note), Facts: factsOf(r.FactList()),
	}
	if r.Successor != "" {
		answer.Entry.Successor = &r.Successor
	}
	return answer, nil
}

// insteadOf returns the tools that the catalog's findings recommend instead of a tool.
func (c *call) insteadOf(slug string) (tools []*catalog.Tool) {
	f, _ := c.Findings(slug, catalog.AtLeast(catalog.LowScore))
	for _, slug := range f.Instead {
		if t, ok := c.Tool(slug); ok {
			tools = append(tools, t)
		}
	}
	return tools
}
