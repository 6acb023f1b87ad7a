package mcp

import (
	"bytes"
	"context"
	"encoding/json"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/changes"
	"github.com/palmares-hq/palmares/internal/text"
)

// A call is one call of a tool, with the snapshot that answers it.
type call struct {
	*catalog.Snapshot
	ctx     context.Context //nolint:containedctx // a call lasts as long as its request
	changes *changes.Reader
	baseURL string

	english  bool       // texts of the catalog are wanted in English
	resolved []Resolved // the arguments that name tools
	renamed  []Rename   // the former slugs among the arguments
}

// A Resolved is an argument that names a tool, the tool's slug, and what the argument is of it.
type Resolved struct {
	Input     plain  `json:"input"`
	Slug      string `json:"slug"`
	MatchedBy string `json:"matched_by"`
}

// Named is the part of an answer that says which tools its arguments name.
type Named struct {
	Resolved []Resolved `json:"resolved"`
}

// A Rename is a tool's former slug and its current one.
type Rename struct {
	From string `json:"from"`
	To   string `json:"to"`
}

// Language is the argument for the language of an answer's texts.
type Language struct {
	Code *string `json:"language,omitempty" jsonschema:"of texts; fr if absent"`
}

// languages are the values of Language.
var languages = []string{"fr", "en"}

func narrowLanguage(s *jsonschema.Schema) { bound(s, "language", oneOf(languages)) }

func deref(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

// in sets the language of the answer.
func (c *call) in(l Language) { c.english = deref(l.Code) == "en" }

// text returns a text of the catalog in the language of the answer, or in French if there is no translation.
func (c *call) text(french string, t catalog.Translation) plain {
	if c.english && t.Text != "" {
		return plain(t.Text)
	}
	return plain(french)
}

// A plain is text that people wrote, in the catalog or in a request. For an agent it is data, and must not pass for
// anything else: encoding it removes invisible characters and those that a terminal acts on.
type plain string

// MarshalText implements encoding.TextMarshaler.
func (t plain) MarshalText() ([]byte, error) { return []byte(text.Line(string(t))), nil }

// encode returns v as JSON. It does not escape <, > and &, because people read our JSON.
func encode(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSpace(b.Bytes()), nil
}

// nullIfEmpty returns the text, or null if it is empty.
func nullIfEmpty[T ~string](s T) *plain {
	if s == "" {
		return nil
	}
	t := plain(s)
	return &t
}

// maxRows is the most rows of an answer. It is small because an agent reads, and pays for, every row.
const maxRows = 20

// An Origin says where an answer comes from. Every answer has one.
type Origin struct {
	Edition int64 `json:"edition"` // number of the edition of the catalog that the answer is made from
	API     plain `json:"api"`     // URL of the same data in the JSON API
	Source  plain `json:"source"`  // credit line to show wherever the data is used

	// Former slugs among the arguments, with the slugs that the tools have now; absent where there are none.
	Renamed []Rename `json:"renamed,omitempty"`
}

// origin returns the Origin of an answer whose data the API has at path. Resolve the arguments first, or their renames
// are missing.
func (c *call) origin(path string) Origin {
	return Origin{Edition: c.Edition().Number, API: plain(c.baseURL + path), Source: plain(c.Service().Credit()), Renamed: c.renamed}
}

// A Card is a summary of a tool. What the API has, it names as the API does; so do all rows of answers.
type Card struct {
	Slug         string   `json:"slug"`
	Name         plain    `json:"name"`
	Category     string   `json:"category"`      // slug of the category
	Score        *float64 `json:"score"`         // 0 to 10; null where the tool has none
	Pricing      string   `json:"pricing"`       // gratuit, freemium or payant
	Price        plain    `json:"price"`         // in euros for a period, as in 20 €/mois
	PriceChecked *string  `json:"price_checked"` // day on which the price was last compared with its source
	EndsAt       *string  `json:"ends_at"`       // announced last day of the tool
	Tagline      plain    `json:"tagline"`
	URL          plain    `json:"canonical_url"`
}

func (c *call) card(t *catalog.Tool) Card {
	return Card{
		Slug: t.Slug, Name: plain(t.Name), Category: t.Category, Score: number(t.Score), Pricing: string(t.Pricing), Price: plain(t.Price),
		PriceChecked: day(t.Facts.Price.Checked), EndsAt: day(t.Ending.At), Tagline: c.text(t.Tagline, t.English.Tagline), URL: plain(c.Service().ToolURL(t.Slug)),
	}
}

func (c *call) cards(tools []*catalog.Tool) []Card {
	cards := make([]Card, 0, len(tools))
	for _, t := range tools {
		cards = append(cards, c.card(t))
	}
	return cards
}

// A Comparison is an editors' comparison of two tools.
type Comparison struct {
	Slug       string `json:"slug"`
	Title      plain  `json:"title"`
	Winner     plain  `json:"winner"` // the name of the tool that wins
	WinnerSlug string `json:"winner_slug"`
	Note       plain  `json:"winner_note"`
	URL        plain  `json:"canonical_url"`
}

// comparisons returns the newest comparisons of a list, at most as many as an answer has.
func (c *call) comparisons(all []catalog.ComparisonWithTools) []Comparison {
	list := []Comparison{}
	for _, m := range all[:min(len(all), maxRows)] {
		list = append(list, Comparison{
			Slug: m.Slug, Title: c.text(m.Title, m.English.Title), Winner: plain(m.Winning().Name), WinnerSlug: m.Winner,
			Note: c.text(m.Note, m.English.Note), URL: plain(c.Service().ComparisonURL(m.Slug)),
		})
	}
	return list
}

// number converts a measure to JSON; null if it is not known.
func number(m catalog.Measure) *float64 {
	if !m.Known {
		return nil
	}
	f := float64(m.Hundredths) / 100
	return &f
}

// day converts a date to JSON; null if there is none.
func day(d catalog.Date) *string {
	if d == "" {
		return nil
	}
	s := string(d)
	return &s
}
