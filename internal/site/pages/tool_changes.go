package pages

import (
	"html/template"

	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/figures"
	"github.com/palmares-hq/palmares/internal/layout"
	"github.com/palmares-hq/palmares/internal/site/view"
)

var toolChangesTexts = layout.Texts{
	"changes.title":         {"Derniers changements", "Latest changes"},
	"changes.none":          {"Rien n’a changé ces derniers temps.", "Nothing has changed lately."},
	"changes.created":       {"Entrée au catalogue", "Added to the catalogue"},
	"changes.revised":       {"Fiche revue", "Entry revised"},
	"changes.review.out":    {"Avis publié", "Review published"},
	"changes.review.gone":   {"Avis retiré", "Review withdrawn"},
	"changes.name":          {"Nom", "Name"},
	"changes.domain":        {"Site", "Website"},
	"changes.category":      {"Catégorie", "Category"},
	"changes.icp":           {"Public", "Audience"},
	"changes.pricing":       {"Formule", "Pricing"},
	"changes.price":         {"Prix", "Price"},
	"changes.score":         {"Note", "Score"},
	"changes.verifiability": {"Vérifiabilité", "Verifiability"},
	"changes.tagline":       {"Présentation", "Tagline"},
	"changes.adjusted":      {"%s\u00a0: retouche de moins d’un dixième, toujours %s", "%s: adjusted by less than a tenth, still %s"},
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
func lastChanges(v *view.View, slug string) ([]toolChange, error) {
	var changes []toolChange
	for _, e := range v.Figures.ToolLogs[slug].Last {
		c := toolChange{Day: catalog.DateOf(e.At)}
		if e.Type == catalog.ToolCreated {
			c.Lines = []changeLine{{What: v.Text.Must("changes.created")}}
		} else {
			was, is, err := v.Figures.Amended.Logged(e)
			if err != nil {
				return nil, err
			}
			c.Lines = differences(v, was, is, v.Figures.Amended[e.Seq])
		}
		changes = append(changes, c)
	}
	return changes, nil
}

// differences says how two states of a tool differ, without what was a slip.
func differences(v *view.View, a, b *catalog.LoggedItem, x *figures.Amended) []changeLine {
	var lines []changeLine
	add := func(field, before, after string, write func(string) template.HTML) {
		if before != after {
			lines = append(lines, changeLine{v.Text.Must("changes." + field), write(before), write(after)})
		}
	}
	plain := view.Escaped
	measure := func(field string, before, after catalog.Measure) {
		switch what := v.Text.Must("changes." + field); {
		case before == after:
		case before.Rounded() == after.Rounded():
			lines = append(lines, changeLine{What: v.Text.Must("changes.adjusted", what, v.Text.Measure(after))})
		default:
			lines = append(lines, changeLine{what, plain(v.Text.Measure(before)), plain(v.Text.Measure(after))})
		}
	}
	add("name", a.Name, b.Name, plain)
	if x != nil && x.Score && a.Score == b.Score {
		lines = append(lines, changeLine{What: v.Text.Must("changes.corrected", v.Text.Must("changes.score"), v.Text.Measure(b.Score))})
	}
	measure("score", a.Score, b.Score)
	measure("verifiability", a.Verifiability, b.Verifiability)
	if x != nil && x.Price && a.Price == b.Price && a.Pricing == b.Pricing {
		lines = append(lines, changeLine{What: v.Text.Must("changes.corrected", v.Text.Must("changes.price"), v.Price(b.Price))})
	}
	add("price", a.Price, b.Price, func(s string) template.HTML { return plain(v.Price(s)) })
	add("pricing", string(a.Pricing), string(b.Pricing), func(s string) template.HTML { return plain(v.Text.Must("pricing." + s)) })
	add("category", a.Category, b.Category, v.MarkedCategory)
	add("icp", string(a.ICP), string(b.ICP), func(s string) template.HTML { return plain(v.Text.Must("icp." + s)) })
	add("domain", a.Domain, b.Domain, plain)
	add("tagline", a.Tagline, b.Tagline, v.Text.French)
	switch {
	case a.ReviewURL == "" && b.ReviewURL != "":
		lines = append(lines, changeLine{What: v.Text.Must("changes.review.out")})
	case a.ReviewURL != "" && b.ReviewURL == "":
		lines = append(lines, changeLine{What: v.Text.Must("changes.review.gone")})
	case len(lines) == 0: // the text of its review, or what the API does not show
		lines = append(lines, changeLine{What: v.Text.Must("changes.revised")})
	}
	return lines
}
