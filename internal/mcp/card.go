package mcp

import (
	"github.com/palmares-hq/palmares/internal/catalog"
)

// maxRows is how many rows an answer has at most: an agent reads, and pays for, all of them.
const maxRows = 20

// An Origin says where an answer comes from. Every answer has one.
type Origin struct {
	Edition int64 `json:"edition" jsonschema:"number of the edition of the catalog that the answer is made from"`
	API     text  `json:"api" jsonschema:"URL of the same data in the JSON API"`
	Source  text  `json:"source" jsonschema:"credit line to show wherever the data is used"`
}

// origin is that of an answer whose data the API has at a path.
func (c *call) origin(path string) Origin {
	return Origin{Edition: c.Edition().Number, API: text(c.baseURL + path), Source: text(c.Service().Credit())}
}

// A Card is a tool in a few fields.
type Card struct {
	Slug         string   `json:"slug"`
	Name         text     `json:"name"`
	Category     string   `json:"category" jsonschema:"slug of the category"`
	Score        *float64 `json:"score" jsonschema:"0 to 10; null where the tool has none"`
	Pricing      string   `json:"pricing" jsonschema:"gratuit, freemium or payant"`
	Price        text     `json:"price" jsonschema:"in euros for a period, as in 20 €/mois"`
	PriceChecked *string  `json:"price_checked" jsonschema:"day on which the price was last compared with its source"`
	EndsAt       *string  `json:"ends_at" jsonschema:"announced last day of the tool"`
	Tagline      text     `json:"tagline"`
	URL          text     `json:"url" jsonschema:"page about the tool"`
}

func (c *call) card(t *catalog.Tool) Card {
	return Card{
		Slug: t.Slug, Name: text(t.Name), Category: t.Category, Score: number(t.Score), Pricing: string(t.Pricing), Price: text(t.Price),
		PriceChecked: day(t.Facts.Price.Checked), EndsAt: day(t.Ending.At), Tagline: text(t.Tagline), URL: text(c.Service().ToolURL(t.Slug)),
	}
}

func (c *call) cards(tools []*catalog.Tool) []Card {
	cards := make([]Card, 0, len(tools))
	for _, t := range tools {
		cards = append(cards, c.card(t))
	}
	return cards
}

// A Duel is a comparison of two tools.
type Duel struct {
	Slug   string `json:"slug"`
	Title  text   `json:"title"`
	Winner string `json:"winner" jsonschema:"slug of the tool that wins"`
	Note   text   `json:"note" jsonschema:"why it wins"`
	URL    text   `json:"url"`
}

// duels are the newest comparisons of a list, as many as an answer has.
func (c *call) duels(all []catalog.Matchup) []Duel {
	list := []Duel{}
	for _, m := range all[:min(len(all), maxRows)] {
		list = append(list, Duel{
			Slug: m.Slug, Title: text(m.Title), Winner: m.Winner, Note: text(m.Note), URL: text(c.Service().ComparisonURL(m.Slug)),
		})
	}
	return list
}

// number is a measure as JSON has it.
func number(m catalog.Measure) *float64 {
	if !m.Known {
		return nil
	}
	f := float64(m.Hundredths) / 100
	return &f
}

// day is a day, or null where there is none.
func day(d catalog.Date) *string {
	if d == "" {
		return nil
	}
	s := string(d)
	return &s
}
