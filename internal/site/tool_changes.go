package site

import (
	"encoding/json"
	"html/template"

	"github.com/palmares-hq/palmares/internal/catalog"
)

var toolChangesTexts = texts{
	"changes.title":         {"Derniers changements", "Latest changes"},
	"changes.none":          {"Rien n’a changé ces derniers temps.", "Nothing has changed lately."},
	"changes.created":       {"Entrée au catalogue", "Added to the catalog"},
	"changes.revised":       {"Fiche revue", "Entry revised"},
	"changes.review.out":    {"Avis publié", "Review published"},
	"changes.review.gone":   {"Avis retiré", "Review withdrawn"},
	"changes.name":          {"Nom", "Name"},
	"changes.domain":        {"Site", "Website"},
	"changes.category":      {"Catégorie", "Category"},
	"changes.icp":           {"Pour qui", "For whom"},
	"changes.pricing":       {"Modèle", "Model"},
	"changes.price":         {"Prix", "Price"},
	"changes.score":         {"Note", "Score"},
	"changes.verifiability": {"Vérifiabilité", "Verifiability"},
	"changes.tagline":       {"Présentation", "Tagline"},
	"changes.corrected":     {"%s\u00a0: %s (corrigé)", "%s: %s (corrected)"},
	"changes.move-html":     {"\u00a0: %s → <b>%s</b>", ": %s → <b>%s</b>"},
}

// A toolChange is what an edition changed of a tool.
type toolChange struct {
	Day   catalog.Date
	Lines []changeLine
}

// A changeLine is one thing that changed.
type changeLine struct {
	What     string
	Old, New template.HTML // both empty when What says it all
}

// A toolState is a tool as an entry of the change log has it.
type toolState struct {
	Name          string       `json:"name"`
	Domain        string       `json:"domain"`
	Category      string       `json:"category"`
	ICP           string       `json:"icp"`
	Pricing       string       `json:"pricing"`
	Price         string       `json:"price"`
	Score         *json.Number `json:"score"`
	Verifiability *json.Number `json:"verifiability"`
	Tagline       string       `json:"tagline"`
	ReviewURL     *string      `json:"avis_url"`
}

// lastChanges are the last changes of a tool, newest first.
func (r *request) lastChanges(slug string) ([]toolChange, error) {
	var changes []toolChange
	for _, e := range r.toolLogs[slug].last {
		c := toolChange{Day: catalog.DateOf(e.At)}
		if e.Type == catalog.ToolCreated {
			c.Lines = []changeLine{{What: r.Must("changes.created")}}
		} else {
			var before, after toolState
			if err := json.Unmarshal(e.Previous, &before); err != nil {
				return nil, err
			}
			if err := json.Unmarshal(e.Object, &after); err != nil {
				return nil, err
			}
			c.Lines = r.differences(before, after, r.amended[e.Seq])
		}
		changes = append(changes, c)
	}
	return changes, nil
}

// differences says how two states of a tool differ, without what was a slip.
func (r *request) differences(a, b toolState, x *amended) []changeLine {
	var lines []changeLine
	if x != nil {
		a.amend(x.was)
		b.amend(x.is)
	}
	add := func(field, before, after string, write func(string) template.HTML) {
		if before != after {
			lines = append(lines, changeLine{r.Must("changes." + field), write(before), write(after)})
		}
	}
	plain := func(s string) template.HTML { return raw(template.HTMLEscapeString(s)) }
	add("name", a.Name, b.Name, plain)
	if x != nil && x.score && digits(a.Score) == digits(b.Score) {
		lines = append(lines, changeLine{What: r.Must("changes.corrected", r.Must("changes.score"), string(r.measured(digits(b.Score))))})
	}
	add("score", digits(a.Score), digits(b.Score), r.measured)
	add("verifiability", digits(a.Verifiability), digits(b.Verifiability), r.measured)
	if x != nil && x.price && a.Price == b.Price && a.Pricing == b.Pricing {
		lines = append(lines, changeLine{What: r.Must("changes.corrected", r.Must("changes.price"), r.price(b.Price))})
	}
	add("price", a.Price, b.Price, func(s string) template.HTML { return plain(r.price(s)) })
	add("pricing", a.Pricing, b.Pricing, func(s string) template.HTML { return plain(r.Must("pricing." + s)) })
	add("category", a.Category, b.Category, func(s string) template.HTML { return r.French(r.category(s)) })
	add("icp", a.ICP, b.ICP, func(s string) template.HTML { return plain(r.Must("icp." + s)) })
	add("domain", a.Domain, b.Domain, plain)
	add("tagline", a.Tagline, b.Tagline, r.French)
	switch {
	case a.ReviewURL == nil && b.ReviewURL != nil:
		lines = append(lines, changeLine{What: r.Must("changes.review.out")})
	case a.ReviewURL != nil && b.ReviewURL == nil:
		lines = append(lines, changeLine{What: r.Must("changes.review.gone")})
	case len(lines) == 0: // the text of its review, or what the API does not show
		lines = append(lines, changeLine{What: r.Must("changes.revised")})
	}
	return lines
}

// amend takes what the log holds for right of a price and a score.
func (s *toolState) amend(item *loggedItem) {
	s.Pricing, s.Price, s.Score = string(item.Pricing), item.Price, nil
	if item.Score != "" {
		s.Score = &item.Score
	}
}

func digits(n *json.Number) string {
	if n == nil {
		return ""
	}
	return n.String()
}

// measured writes a score of the log, or that there was none.
func (r *request) measured(s string) template.HTML {
	m, _ := catalog.ParseMeasure(s) // of the catalog; absent when it is ""
	return raw(template.HTMLEscapeString(r.Measure(m)))
}
