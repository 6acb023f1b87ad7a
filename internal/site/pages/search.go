package pages

import (
	"maps"
	"net/url"
	"slices"

	"github.com/palmares-hq/palmares/internal/address"
	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/layout"
	"github.com/palmares-hq/palmares/internal/params"
	"github.com/palmares-hq/palmares/internal/search"
	"github.com/palmares-hq/palmares/internal/site/view"
)

var searchTexts = layout.Texts{
	"search.title":    {"Recherche", "Search"},
	"search.title.of": {"Recherche\u00a0: %s", "Search: %s"},
	"search.description": {
		"Chercher parmi les outils, les comparatifs et les outils retirés.",
		"Search the tools, the comparisons and the retired tools.",
	},
	"search.lede": {
		"Un nom, un usage, une catégorie, un domaine\u00a0: les accents et les petites fautes de frappe ne comptent pas.",
		"A name, a use, a category, a domain: accents and small typos do not matter.",
	},
	"search.label":       {"Que cherchez-vous\u202f?", "What are you looking for?"},
	"search.go":          {"Chercher", "Search"},
	"search.tools":       {"%s outil|%s outils", "%s tool|%s tools"},
	"search.comparisons": {"%s comparatif|%s comparatifs", "%s comparison|%s comparisons"},
	"search.retired":     {"%s outil retiré|%s outils retirés", "%s retired tool|%s retired tools"},
	"search.alltools":    {"Les voir tous, filtrer et trier", "See them all, filter and sort"},
	"search.all":         {"Les voir tous", "See them all"},
	"search.nothing":     {"Rien dans le catalogue ne correspond à %s.", "Nothing in the catalogue matches %s."},
	"search.meant":       {"Vous cherchiez peut-être", "You may have meant"},
	"search.categories":  {"Parcourir par catégorie", "Browse by category"},
}

// The most rows of each list. The rest is a page of its own.
const (
	searchTools       = 10
	searchComparisons = 4
	searchRetired     = 6
	searchNear        = 6
)

// A searchBody is the data of the search page.
type searchBody struct {
	Typed          string
	Found          found // of the lists that are shown
	RetiredFirst   bool  // a retired tool has the name that was typed
	Tools          catalog.Page[*catalog.Tool]
	Ends           endings // of Tools
	Comparisons    catalog.Page[catalog.ComparisonWithTools]
	Retired        catalog.Page[*catalog.Retired]
	Notices        []notice
	AllTools       string // paths of the lists
	AllComparisons string
	AllRetired     string
	Refine         []refinement
	Calls          []layout.Call
	Map            *priceMap       // of the tools that were found; nil for too few
	Nothing        string          // says that nothing was found; "" otherwise
	Meant          []*catalog.Tool // suggestions if nothing was found
	Categories     []choice
}

// Search returns the page that searches tools, comparisons and retired tools at once.
func Search(v *view.View, p params.Search) (*view.Document, error) {
	body := searchBody{Typed: p.Typed}
	d := &view.Document{
		Template: "search", Title: v.Text.Must("search.title"), Description: v.Text.Must("search.description"), NoIndex: true,
	}
	if p.Typed != "" {
		d.Title = v.Text.Must("search.title.of", p.Typed)
	}
	if p.Search != "" {
		body.find(v, p.Search)
		for _, c := range body.Calls {
			d.API = append(d.API, c.Path)
		}
	}
	nothing := p.Typed != "" && body.Tools.Total+body.Comparisons.Total+body.Retired.Total == 0
	if nothing {
		body.Nothing = v.Text.Must("search.nothing", v.Text.Quoted(p.Typed))
		if search.Vague(p.Search) && p.Search != "" {
			body.Nothing = v.Text.Must("found.vague")
		} else {
			body.Meant = v.Catalog.NearTools(p.Search, searchNear)
		}
	}
	if nothing || p.Typed == "" {
		for _, c := range v.Catalog.Categories() {
			if c.Tools > 0 {
				body.Categories = append(body.Categories, choice{Name: v.MarkedCategory(c.Slug), Count: c.Tools, Path: v.Path(address.Category, c.Slug)})
			}
		}
	}
	d.Body = body
	return d, nil
}

// find searches all lists for folded words. It keeps the lists that match best, and drops the others: next to a tool
// that has all words, a retired one with a similar name or with one of the words is noise.
func (b *searchBody) find(v *view.View, words string) {
	page := func(limit int) catalog.Paging { return catalog.Paging{Page: 1, Limit: limit} }
	b.Tools = v.Catalog.Tools(catalog.ToolQuery{Paging: page(searchTools), Search: words})
	b.Comparisons = v.Catalog.Comparisons(catalog.ComparisonQuery{Paging: page(searchComparisons), Search: words})
	b.Retired = v.Catalog.Cemetery(catalog.CemeteryQuery{Paging: page(searchRetired), Search: words})
	best := min(farness(b.Tools), farness(b.Comparisons), farness(b.Retired))
	by, named := v.Catalog.Identify(b.Typed)
	b.RetiredFirst = by == catalog.ByName && slices.ContainsFunc(named, func(slug string) bool { _, gone := v.Catalog.Retired(slug); return gone })
	if farness(b.Comparisons) > best {
		b.Comparisons = catalog.Page[catalog.ComparisonWithTools]{}
	}
	if farness(b.Retired) > best {
		b.Retired = catalog.Page[*catalog.Retired]{}
	}
	b.Found = newFound(v, words, b.Tools)
	if farness(b.Tools) > best {
		b.Tools = catalog.Page[*catalog.Tool]{}
		if b.Found = newFound(v, words, b.Comparisons); b.Comparisons.Total == 0 {
			b.Found = newFound(v, words, b.Retired)
		}
	}
	b.Ends = newEndings(v, b.Tools.Items...)
	if b.Tools.Total >= mapLeast {
		b.Map = newPriceMap(v, catalog.ToolQuery{Search: words}, besideOthers(v, params.Tools{Search: words}))
	}
	for _, r := range b.Retired.Items {
		b.Notices = append(b.Notices, newNotice(v, r))
	}
	values := url.Values{"q": {words}}
	b.AllTools = listPath(v.Path(address.Tools), values, 1)
	b.AllComparisons = listPath(v.Path(address.Comparisons), values, 1)
	b.AllRetired = listPath(v.Path(address.Cemetery), values, 1)
	if b.Tools.Total > 1 {
		b.Refine = refinements(v, values)
	}
	for _, list := range []string{"tools", "comparatifs", "cimetiere"} {
		b.Calls = append(b.Calls, v.Call(listPath("/api/v1/"+list, values, 1)))
	}
}

// farness orders lists by how well they match: with all words, with near ones, with some, empty.
func farness[T any](p catalog.Page[T]) int {
	switch {
	case p.Total == 0:
		return 3
	case p.Some:
		return 2
	case p.Near:
		return 1
	}
	return 0
}

// The values of the filters that lists of tools suggest: what most readers look for.
const (
	usualPrice = "20"
	usualScore = "8"
)

// A refinement is a link to a list of tools with one more filter.
type refinement struct{ Label, Path string }

// refinements returns the usual filters that a list of tools with these parameters does not have yet.
func refinements(v *view.View, values url.Values) []refinement {
	var found []refinement
	offer := func(key, value, label string, unless ...string) {
		if slices.ContainsFunc(append(unless, key), values.Has) {
			return
		}
		to := maps.Clone(values)
		to.Set(key, value)
		found = append(found, refinement{label, listPath(v.Path(address.Tools), to, 1)})
	}
	price, _ := catalog.ParseAmount(usualPrice)
	offer("price_max", usualPrice, v.Text.Must("tools.chip.price", v.Text.Euros(price.Cents)))
	offer("score_min", usualScore, v.Text.Must("tools.chip.score", usualScore))
	offer("pricing", string(catalog.Free), v.Text.Must("pricing."+string(catalog.Free)), "price_max")
	return found
}
