package pages

import (
	"cmp"
	"html/template"
	"slices"

	"github.com/palmares-hq/palmares/internal/address"
	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/figures"
	"github.com/palmares-hq/palmares/internal/layout"
	"github.com/palmares-hq/palmares/internal/site/view"
)

var firstScreenTexts = layout.Texts{
	"landing.hero-html": {
		"Les outils d’IA, <span class=\"mark\">notés</span>, comparés, prix compris.",
		"AI tools, <span class=\"mark\">scored</span>, compared and priced.",
	},
	"landing.lede": {
		"Une note sur dix, le prix en euros et un avis\u00a0: de quoi choisir un outil, et savoir quand en changer.",
		"A score out of ten, the price in euros and a review: what you need to choose a tool, and to know when to leave it.",
	},
	"landing.need":           {"Un outil pour quoi faire\u202f?", "What do you need a tool for?"},
	"landing.needed":         {"Sous-titres, SQL, un nom d’outil…", "Subtitles, SQL, the name of a tool…"},
	"landing.developer":      {"Vous développez\u202f?", "Building something?"},
	"landing.developer.call": {"Faites un premier appel", "Make a first call"},
	"landing.developer.quota": {
		"sans clé, %s requêtes par jour.", "no key needed, %s requests a day.",
	},
	"landing.agent":      {"Vous avez un agent\u202f?", "Running an agent?"},
	"landing.agent.call": {"Branchez-le par MCP", "Connect it over MCP"},

	"landing.proofs":         {"Pourquoi s’y fier", "Why trust it"},
	"landing.proof.tested":   {"Outils notés", "Tools scored"},
	"landing.proof.of":       {"%s sur %s", "%s of %s"},
	"landing.proof.checked":  {"Prix vérifiés depuis 90\u00a0jours", "Prices checked in 90 days"},
	"landing.proof.checked%": {"%s\u00a0%%", "%s%%"},

	"landing.best":          {"Le meilleur de chaque catégorie", "The best of each category"},
	"landing.best.some":     {"Le meilleur de douze catégories", "The best of twelve categories"},
	"landing.best.category": {"Catégorie", "Category"},
	"landing.best.tool":     {"Outil", "Tool"},
	"landing.best.score":    {"Note sur 10", "Score out of 10"},
	"landing.best.price":    {"Prix", "Price"},
	"landing.best.tied":     {"ex æquo avec %s", "tied with %s"},
	"landing.best.ties":     {"ex æquo avec %s autre|ex æquo avec %s autres", "tied with %s other|tied with %s others"},
	"landing.best.all":      {"Le seul outil du classement|Les %s outils, classés", "The only tool|All %s tools, ranked"},
	"landing.best.others":   {"Autres catégories", "Other categories"},
	"landing.unscored": {
		"Aucun outil n’a encore de note. Le classement commence avec la première.",
		"No tool has a score yet. The ranking starts with the first one.",
	},
}

// maxBest is how many categories the front page shows the best tool of.
const maxBest = 12

// checkedDays is how long ago the source of a price was looked at for the front page to count it.
const checkedDays = 90

// A firstScreen is what the front page shows before a reader scrolls: what this is, why to trust it, and where to begin.
type firstScreen struct {
	Promise template.HTML // how the service works, in the operator's own words
	Daily   int           // requests per day without a key
	Proofs  []proof
	Method  layout.Section // the page that says how the operator works
	Best    []bestTool
	Ends    endings // of the tools in Best
	Others  []choice
	Listed  int
}

// A proof is a reason to trust the catalog.
type proof struct{ Label, Value template.HTML }

// A bestTool is the best tool of a category.
type bestTool struct {
	*catalog.Tool
	Category template.HTML
	Path     string // of the category
	Offer    string
	Tied     string // who has the same score; "" for nobody
	First    bool   // of the list
	tools    int    // of the category
}

func newFirstScreen(v *view.View) firstScreen {
	f := firstScreen{
		Promise: v.Text.Say(v.Catalog.Service().Words.Promise), Daily: v.Plans().Anonymous, Proofs: proofs(v),
		Listed: v.Catalog.Stats().Tools, Method: method(v),
	}
	all := bestTools(v)
	f.Best = all[:min(len(all), maxBest)]
	for _, b := range all[len(f.Best):] {
		f.Others = append(f.Others, choice{Name: b.Category, Count: b.tools, Path: b.Path})
	}
	slices.SortStableFunc(f.Best, func(a, b bestTool) int { return cmp.Compare(b.Score.Hundredths, a.Score.Hundredths) })
	shown := make([]*catalog.Tool, len(f.Best))
	for i := range f.Best {
		shown[i] = f.Best[i].Tool
		f.Best[i].First = i == 0 // one is marked: where many share a score, a mark for each would say nothing
	}
	f.Ends = newEndings(v, shown...)
	return f
}

// bestTools returns the best tool of each category that has one with a score, the largest category first.
func bestTools(v *view.View) []bestTool {
	var all []bestTool
	for _, c := range v.Catalog.Categories() {
		top := v.Catalog.Tools(catalog.ToolQuery{Categories: []string{c.Slug}, Paging: catalog.Paging{Page: 1, Limit: catalog.MaxAlternatives}}).Items
		if len(top) == 0 || !top[0].Score.Known {
			continue
		}
		tied := 0
		for tied+1 < len(top) && top[tied+1].Score == top[0].Score {
			tied++
		}
		b := bestTool{
			Tool: top[0], Category: v.MarkedCategory(c.Slug), Path: v.Path(address.Category, c.Slug), tools: c.Tools,
			Offer: v.Offer(figures.Offer{Pricing: top[0].Pricing, Price: top[0].Price}),
		}
		switch {
		case tied == 1:
			b.Tied = v.Text.Must("landing.best.tied", top[1].Name)
		case tied > 1:
			b.Tied = v.Text.Many("landing.best.ties", tied)
		}
		all = append(all, b)
	}
	slices.SortStableFunc(all, func(a, b bestTool) int { return cmp.Compare(b.tools, a.tools) })
	return all
}

// proofs returns what is counted of the catalog, then what its operator says. Checks of prices are counted where they are
// half of all prices or more: a figure below that speaks of a catalog that has just begun to name its sources.
func proofs(v *view.View) []proof {
	var all []proof
	if s := v.Catalog.Stats(); s.Tested > 0 {
		all = append(all, proof{
			view.Escaped(v.Text.Must("landing.proof.tested")),
			view.Escaped(v.Text.Must("landing.proof.of", v.Text.Integer(s.Tested), v.Text.Integer(s.Tools))),
		})
	}
	for _, f := range v.Figures.Facts() {
		checked := 0
		for _, d := range f.Days {
			if (catalog.Fact{Checked: d.Day}).Age(v.Figures.Today) <= checkedDays {
				checked += d.Count
			}
		}
		if f.Field == catalog.PriceFact && f.Total > 0 && 2*checked >= f.Total {
			all = append(all, proof{
				view.Escaped(v.Text.Must("landing.proof.checked")),
				view.Escaped(v.Text.Must("landing.proof.checked%", v.Text.Integer(100*checked/f.Total))),
			})
		}
	}
	for _, p := range v.Catalog.Service().Words.Proofs {
		if p != (catalog.Proof{}) {
			all = append(all, proof{v.Text.Say(p.Label), v.Text.Say(p.Value)})
		}
	}
	return all
}
