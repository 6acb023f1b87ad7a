package site

import (
	"net/http"
	"strings"

	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/locale"
	"github.com/palmares-hq/palmares/internal/web"
)

var comparisonTexts = texts{
	"comparison.description": {
		"%s (%s) contre %s (%s)\u00a0: côte à côte, là où ils diffèrent, et pourquoi le vainqueur est %s.",
		"%s (%s) against %s (%s): side by side, where they differ, and why the winner is %s.",
	},
	"comparison.winner":        {"Vainqueur", "Winner"},
	"comparison.score":         {"Note", "Score"},
	"comparison.verifiability": {"Vérifiabilité", "Verifiability"},
	"comparison.obsolescence":  {"Obsolescence", "Obsolescence"},
	"comparison.price":         {"Prix", "Price"},
	"comparison.pricing":       {"Modèle", "Pricing"},
	"comparison.icp":           {"Public", "Audience"},
	"comparison.category":      {"Catégorie", "Category"},
	"comparison.unscored":      {"Pas encore noté", "Not scored yet"},
	"comparison.tool":          {"La fiche", "The tool"},
	"comparison.review":        {"L’avis", "The review"},
	"comparison.instead":       {"Les alternatives", "The alternatives"},
	"comparison.why":           {"Pourquoi %s l’emporte", "Why %s wins"},
	"comparison.updated":       {"Mis à jour le %s.", "Updated on %s."},
	"comparison.differences":   {"Là où ils diffèrent", "Where they differ"},
	"comparison.what":          {"Critère", "Criterion"},
	"comparison.gap":           {"Écart", "Difference"},
	"comparison.ahead":         {"%s, %s", "%s, %s"},
	"comparison.unmeasured":    {"un seul des deux est mesuré", "only one of them was measured"},
	"comparison.same":          {"Pour le reste, ils se valent\u00a0: %s.", "They are equal in all else: %s."},
	"comparison.alike": {
		"Sur le papier, rien ne les sépare\u00a0: mêmes mesures, même prix, même public.",
		"On paper nothing sets them apart: same measures, same price, same audience.",
	},
	"comparison.others": {"Autres face à face", "More comparisons"},
	"comparison.alone": {
		"C’est le seul comparatif de la catégorie.", "It is the only comparison of the category.",
	},
	"comparison.api": {"Par l’API", "Through the API"},
}

// A comparisonBody is what the page of a comparison shows.
type comparisonBody struct {
	catalog.Matchup
	Category    catalog.Category // of the winner
	Corners     [2]corner
	Why         []string // paragraphs
	Differences []difference
	Same        string // what is the same, as a list; "" for nothing
	Buried      string // the name of a tool that is retired, which only a draft has
	Others      []catalog.Matchup
	Call        call // "" for a draft: the API has none
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
	French bool   // the values are the catalog's own words
	Gap    string // in words; "" when the values say it all
}

func viewComparison(r *request) (*document, error) {
	m, ok := r.Comparison(r.slug)
	if !ok {
		m, ok = r.draft(r.slug)
	}
	if !ok {
		return nil, web.Errorf(http.StatusNotFound, "no comparison has the slug %s", web.Quote(r.slug))
	}
	winner := m.Winning()
	body := comparisonBody{
		Matchup:  m,
		Category: catalog.Category{Slug: winner.Category, Label: r.category(winner.Category)},
		Corners:  [2]corner{{m.A, m.A == winner}, {m.B, m.B == winner}},
		Why:      paragraphs(m.Note),
		Others:   r.otherDuels(m),
		Buried:   r.buried(m),
	}
	if body.Buried == "" {
		body.Differences, body.Same = r.contrast(m.A, m.B)
	}
	title := locale.FrenchText(m.Title)
	d := &document{
		Title: title, Data: r.itemData("comparisons", winner.Category, title),
		Description: r.Must("comparison.description",
			m.A.Name, r.Measure(m.A.Score), m.B.Name, r.Measure(m.B.Score), winner.Name),
	}
	if !m.Draft {
		body.Call = r.call("/api/v1/comparatifs/" + m.Slug)
		d.API, d.Markdown = []string{body.Call.Path}, r.path("comparison source", m.Slug)
	}
	d.Body = body
	return d, nil
}

// otherDuels are the newest other comparisons of the two tools, then those of their category.
func (r *request) otherDuels(m catalog.Matchup) []catalog.Matchup {
	const most = 3
	var duels []catalog.Matchup
	shown := map[string]bool{m.Slug: true}
	for _, others := range [][]catalog.Matchup{
		r.ComparisonsOf(m.ToolA), r.ComparisonsOf(m.ToolB), r.Comparisons(catalog.ComparisonQuery{
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
func (r *request) contrast(a, b *catalog.Tool) (differ []difference, same string) {
	var equal []string
	add := func(d difference) {
		if d.Values[0] == d.Values[1] {
			equal = append(equal, strings.ToLower(d.Name))
		} else {
			differ = append(differ, d)
		}
	}
	measure := func(name string, x, y catalog.Measure, lowWins bool) {
		if !x.Known && !y.Known {
			return
		}
		d := difference{Name: r.Must(name), Values: [2]string{r.Measure(x), r.Measure(y)}}
		switch {
		case !x.Known || !y.Known:
			d.Gap = r.Must("comparison.unmeasured")
		case x.Hundredths > y.Hundredths != lowWins:
			d.Gap = r.Must("comparison.ahead", a.Name, r.measureGap(x, y))
		default:
			d.Gap = r.Must("comparison.ahead", b.Name, r.measureGap(y, x))
		}
		add(d)
	}
	measure("comparison.score", a.Score, b.Score, false)
	measure("comparison.verifiability", a.Verifiability, b.Verifiability, false)
	measure("comparison.obsolescence", a.Obsolescence, b.Obsolescence, true)
	add(difference{
		Name: r.Must("comparison.price"), Values: [2]string{r.price(a.Price), r.price(b.Price)},
		Gap: r.cheaper(a, b),
	})
	values := func(name, family, x, y string) {
		add(difference{Name: r.Must(name), Values: [2]string{r.Must(family + x), r.Must(family + y)}})
	}
	values("comparison.pricing", "pricing.", string(a.Pricing), string(b.Pricing))
	values("comparison.icp", "icp.", string(a.ICP), string(b.ICP))
	add(difference{
		Name: r.Must("comparison.category"), French: true,
		Values: [2]string{r.category(a.Category), r.category(b.Category)},
	})
	return differ, strings.Join(equal, ", ")
}

// cheaper says which of two tools costs less, and by how much.
func (r *request) cheaper(a, b *catalog.Tool) string {
	x, xOK := monthlyCents(a.Price)
	y, yOK := monthlyCents(b.Price)
	free := xOK && x == 0 || yOK && y == 0
	switch {
	case xOK && yOK && x == y:
		return r.Must("gap.same.price")
	case !free && (!xOK || !yOK):
		return r.Must("gap.periods")
	case !yOK || xOK && x < y:
		return r.Must("comparison.ahead", a.Name, r.priceGap(a.Price, b.Price))
	default:
		return r.Must("comparison.ahead", b.Name, r.priceGap(b.Price, a.Price))
	}
}
