package pages

import (
	"html/template"
	"net/http"
	"strings"

	"github.com/palmares-hq/palmares/internal/address"
	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/layout"
	"github.com/palmares-hq/palmares/internal/site/jsonld"
	"github.com/palmares-hq/palmares/internal/site/view"
	"github.com/palmares-hq/palmares/internal/web"
)

var comparisonTexts = layout.Texts{
	"comparison.description": {
		"%s (%s) contre %s (%s). Notes, prix et verdict\u00a0: pourquoi %s l’emporte.",
		"%s (%s) against %s (%s). Scores, prices and verdict: why %s wins.",
	},
	"comparison.winner":        {"Vainqueur", "Winner"},
	"comparison.score":         {"Note", "Score"},
	"comparison.verifiability": {"Vérifiabilité", "Verifiability"},
	"comparison.obsolescence":  {"Obsolescence", "Obsolescence"},
	"comparison.price":         {"Prix", "Price"},
	"comparison.pricing":       {"Formule", "Pricing"},
	"comparison.icp":           {"Public", "Audience"},
	"comparison.category":      {"Catégorie", "Category"},
	"comparison.unscored":      {"Pas encore noté", "Not scored yet"},
	"comparison.tool":          {"La fiche", "The tool"},
	"comparison.review":        {"L’avis", "The review"},
	"comparison.instead":       {"Les alternatives", "The alternatives"},
	"comparison.why":           {"Pourquoi %s l’emporte", "Why %s wins"},
	"comparison.updated":       {"Mis à jour le %s.", "Updated on %s."},
	"comparison.differences":   {"Ce qui les sépare", "Where they differ"},
	"comparison.what":          {"Critère", "Criterion"},
	"comparison.gap":           {"Écart", "Difference"},
	"comparison.ahead":         {"%s\u00a0: %s", "%s: %s"},
	"comparison.unmeasured":    {"mesuré pour un seul des deux", "measured for only one of them"},
	"comparison.same":          {"Pour le reste, ils se valent\u00a0: %s.", "Otherwise the same: %s."},
	"comparison.alike": {
		"Sur le papier, rien ne les sépare\u00a0: mêmes notes, même prix, même public.",
		"On paper, nothing sets them apart: same scores, same price, same audience.",
	},
	"comparison.others": {"Autres face-à-face", "More comparisons"},
	"comparison.alone": {
		"C’est le seul comparatif de la catégorie.", "This is the only comparison in the category.",
	},
	"comparison.api": {"Dans l’API", "In the API"},
}

// A comparisonBody is what the page of a comparison shows.
type comparisonBody struct {
	catalog.Matchup
	Category    catalog.Category // of the winner
	Corners     [2]corner
	Ends        endings
	Outdated    bool            // its title or its note was translated from an earlier version
	Why         []template.HTML // paragraphs
	Differences []difference
	Same        string // what is the same, as a list; "" for nothing
	Retired     string // the name of a tool that is retired, which only a draft has
	Others      []catalog.Matchup
	Call        layout.Call // "" for a draft: the API has none
}

// A corner is one of the two tools.
type corner struct {
	*catalog.Tool
	Wins bool
}

// A difference is something in which two tools differ.
type difference struct {
	Name   string
	Values [2]string
	Marked [2]template.HTML // the values where they are the catalog's own words
	Gap    string           // in words; "" when the values say it all
}

// Page is the page of a comparison.
func (c ComparisonPages) Page(v *view.View, slug string) (*view.Document, error) {
	m, ok := v.Catalog.Comparison(slug)
	if !ok {
		m, ok = c.draft(v, slug)
	}
	if !ok {
		return nil, web.Errorf(http.StatusNotFound, "no comparison has the slug %s", web.Quote(slug))
	}
	winner := m.Winning()
	body := comparisonBody{
		Matchup:  m,
		Category: v.CategoryOf(winner.Category),
		Corners:  [2]corner{{m.A, m.A == winner}, {m.B, m.B == winner}},
		Ends:     newEndings(v, m.A, m.B),
		Why:      translatedParagraphs(v, m.Note, m.English.Note),
		Outdated: v.Foreign() && !m.Draft && (m.English.Title.Outdated(m.Title) || m.English.Note.Outdated(m.Note)),
		Others:   otherDuels(v, m),
		Retired:  retiredOf(v, m),
	}
	if body.Retired == "" {
		body.Differences, body.Same = contrast(v, m.A, m.B)
	}
	title := v.Text.Choose(m.Title, m.English.Title)
	d := &view.Document{
		Template: "comparison", Section: address.Comparisons,
		Title: title, TitleFrench: !v.Text.Shows(m.English.Title), Data: jsonld.Item(v, address.Comparisons, winner.Category, title, v.Canonical(address.Comparison, m.Slug)),
		Description: v.Text.Must("comparison.description",
			m.A.Name, v.Text.Measure(m.A.Score), m.B.Name, v.Text.Measure(m.B.Score), winner.Name),
	}
	if !m.Draft {
		body.Call = v.Call("/api/v1/comparatifs/" + m.Slug)
		d.API, d.Markdown = []string{body.Call.Path}, v.Path(address.ComparisonSource, m.Slug)
	}
	d.Body = body
	return d, nil
}

// otherDuels are the newest other comparisons of the two tools, then those of their category.
func otherDuels(v *view.View, m catalog.Matchup) []catalog.Matchup {
	const most = 3
	var duels []catalog.Matchup
	shown := map[string]bool{m.Slug: true}
	for _, others := range [][]catalog.Matchup{
		v.Catalog.ComparisonsOf(m.ToolA), v.Catalog.ComparisonsOf(m.ToolB), v.Catalog.Comparisons(catalog.ComparisonQuery{
			Paging: catalog.Paging{Page: 1, Limit: 2*most + 1}, Category: m.Winning().Category,
		}).Items,
	} {
		for _, other := range others {
			if len(duels) < most && !shown[other.Slug] {
				shown[other.Slug] = true
				duels = append(duels, other)
			}
		}
	}
	return duels
}

// contrast gives the things in which two tools differ, and the names of those in which they do not.
func contrast(v *view.View, a, b *catalog.Tool) (differ []difference, same string) {
	var equal []string
	place := func(d difference, same bool) {
		if same {
			equal = append(equal, strings.ToLower(d.Name))
		} else {
			differ = append(differ, d)
		}
	}
	add := func(d difference) { place(d, d.Values[0] == d.Values[1]) }
	measure := func(name string, x, y catalog.Measure, lowWins bool) {
		if !x.Known && !y.Known {
			return
		}
		d := difference{Name: v.Text.Must(name), Values: [2]string{v.Text.Measure(x), v.Text.Measure(y)}}
		switch {
		case !x.Known || !y.Known:
			d.Gap = v.Text.Must("comparison.unmeasured")
		case x.Hundredths > y.Hundredths != lowWins:
			d.Gap = v.Text.Must("comparison.ahead", a.Name, measureGap(v, x, y))
		default:
			d.Gap = v.Text.Must("comparison.ahead", b.Name, measureGap(v, y, x))
		}
		place(d, x == y) // they may differ by less than the page shows
	}
	measure("comparison.score", a.Score, b.Score, false)
	measure("comparison.verifiability", a.Verifiability, b.Verifiability, false)
	measure("comparison.obsolescence", a.Obsolescence, b.Obsolescence, true)
	add(difference{
		Name: v.Text.Must("comparison.price"), Values: [2]string{v.Price(a.Price), v.Price(b.Price)},
		Gap: cheaper(v, a, b),
	})
	values := func(name, family, x, y string) {
		add(difference{Name: v.Text.Must(name), Values: [2]string{v.Text.Must(family + x), v.Text.Must(family + y)}})
	}
	values("comparison.pricing", "pricing.", string(a.Pricing), string(b.Pricing))
	values("comparison.icp", "icp.", string(a.ICP), string(b.ICP))
	add(difference{
		Name:   v.Text.Must("comparison.category"),
		Values: [2]string{v.Category(a.Category), v.Category(b.Category)},
		Marked: [2]template.HTML{v.MarkedCategory(a.Category), v.MarkedCategory(b.Category)},
	})
	return differ, strings.Join(equal, ", ")
}

// cheaper says which of two tools costs less, and by how much.
func cheaper(v *view.View, a, b *catalog.Tool) string {
	x, xOK := monthlyCents(a.Price)
	y, yOK := monthlyCents(b.Price)
	free := xOK && x == 0 || yOK && y == 0
	switch {
	case xOK && yOK && x == y:
		return v.Text.Must("gap.same.price")
	case !free && (!xOK || !yOK):
		return v.Text.Must("gap.periods")
	case !yOK || xOK && x < y:
		return v.Text.Must("comparison.ahead", a.Name, priceGap(v, a.Price, b.Price))
	default:
		return v.Text.Must("comparison.ahead", b.Name, priceGap(v, b.Price, a.Price))
	}
}
