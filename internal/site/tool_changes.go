package site

import (
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

// lastChanges are the last changes of a tool, newest first.
func (r *request) lastChanges(slug string) ([]toolChange, error) {
	var changes []toolChange
	for _, e := range r.toolLogs[slug].last {
		c := toolChange{Day: catalog.DateOf(e.At)}
		if e.Type == catalog.ToolCreated {
			c.Lines = []changeLine{{What: r.Must("changes.created")}}
		} else {
			was, is, err := r.amended.logged(e)
			if err != nil {
				return nil, err
			}
			c.Lines = r.differences(was, is, r.amended[e.Seq])
		}
		changes = append(changes, c)
	}
	return changes, nil
}

// differences says how two states of a tool differ, without what was a slip.
func (r *request) differences(a, b *catalog.LoggedItem, x *amended) []changeLine {
	var lines []changeLine
	add := func(field, before, after string, write func(string) template.HTML) {
		if before != after {
			lines = append(lines, changeLine{r.Must("changes." + field), write(before), write(after)})
		}
	}
	plain := func(s string) template.HTML { return raw(template.HTMLEscapeString(s)) }
	measure := func(field string, before, after catalog.Measure) {
		if before != after {
			lines = append(lines, changeLine{r.Must("changes." + field), plain(r.Measure(before)), plain(r.Measure(after))})
		}
	}
	add("name", a.Name, b.Name, plain)
	if x != nil && x.score && a.Score == b.Score {
		lines = append(lines, changeLine{What: r.Must("changes.corrected", r.Must("changes.score"), r.Measure(b.Score))})
	}
	measure("score", a.Score, b.Score)
	measure("verifiability", a.Verifiability, b.Verifiability)
	if x != nil && x.price && a.Price == b.Price && a.Pricing == b.Pricing {
		lines = append(lines, changeLine{What: r.Must("changes.corrected", r.Must("changes.price"), r.price(b.Price))})
	}
	add("price", a.Price, b.Price, func(s string) template.HTML { return plain(r.price(s)) })
	add("pricing", string(a.Pricing), string(b.Pricing), func(s string) template.HTML { return plain(r.Must("pricing." + s)) })
	add("category", a.Category, b.Category, func(s string) template.HTML { return r.French(r.category(s)) })
	add("icp", string(a.ICP), string(b.ICP), func(s string) template.HTML { return plain(r.Must("icp." + s)) })
	add("domain", a.Domain, b.Domain, plain)
	add("tagline", a.Tagline, b.Tagline, r.French)
	switch {
	case a.ReviewURL == "" && b.ReviewURL != "":
		lines = append(lines, changeLine{What: r.Must("changes.review.out")})
	case a.ReviewURL != "" && b.ReviewURL == "":
		lines = append(lines, changeLine{What: r.Must("changes.review.gone")})
	case len(lines) == 0: // the text of its review, or what the API does not show
		lines = append(lines, changeLine{What: r.Must("changes.revised")})
	}
	return lines
}
