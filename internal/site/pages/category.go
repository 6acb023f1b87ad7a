package pages

import (
	"html/template"
	"net/http"
	"net/url"
	"slices"

	"github.com/palmares-hq/palmares/internal/address"
	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/layout"
	"github.com/palmares-hq/palmares/internal/params"
	"github.com/palmares-hq/palmares/internal/site/jsonld"
	"github.com/palmares-hq/palmares/internal/site/view"
	"github.com/palmares-hq/palmares/internal/web"
)

var categoryTexts = layout.Texts{
	"category.title": {"%s\u00a0: le classement", "%s: the ranking"},
	"category.description": {
		"Catégorie %s\u00a0: le classement, la note moyenne, les derniers mouvements et les disparus.",
		"The %s category: ranking, average score, latest changes, and retired tools.",
	},
	"category.first": {"En tête\u00a0: %s, %s sur dix.", "Leading: %s, %s out of ten."},
	"category.unscored": {
		"Aucun outil de la catégorie n’a encore de note.", "No tool in this category has a score yet.",
	},
	"category.empty": {
		"Aucun outil n’est suivi dans cette catégorie pour l’instant.",
		"No tool in this category is tracked at the moment.",
	},
	"category.count.tools":   {"outil suivi|outils suivis", "tool tracked|tools tracked"},
	"category.count.tested":  {"noté|notés", "scored|scored"},
	"category.count.average": {"note moyenne sur dix", "average score out of ten"},
	"category.count.retired": {"au cimetière", "in the cemetery"},

	"category.ranking": {"Le classement", "The ranking"},
	"category.all":     {"Le classement entier", "The whole ranking"},
	"category.caption": {"Les premiers de la catégorie", "Top of the category"},
	"category.rank":    {"Rang", "Rank"},
	"category.tool":    {"Outil", "Tool"},
	"category.score":   {"Note", "Score"},
	"category.verif":   {"Vérifiabilité", "Verifiability"},
	"category.price":   {"Prix", "Price"},
	"category.nograde": {"pas encore noté", "not scored yet"},

	"category.moves":    {"Derniers mouvements", "Latest changes"},
	"category.prices":   {"Prix", "Prices"},
	"category.noprices": {"Aucun prix n’a changé ces derniers temps.", "No price has changed lately."},
	"category.others":   {"Entrées, notes, comparatifs", "Arrivals, scores, comparisons"},
	"category.noothers": {"Ni entrée, ni nouvelle note, ni comparatif ces derniers temps.", "No arrival, new score or comparison lately."},
	"category.start": {
		"C’est la première édition\u00a0: rien n’a encore bougé.", "This is the first edition: nothing has changed yet.",
	},
	"category.before":    {"%s jusqu’au %s", "%s until %s"},
	"category.on":        {"le %s", "on %s"},
	"category.published": {"comparatif paru le %s", "comparison published on %s"},
	"category.new":       {"entre au catalogue avec la note %s", "joins with a score of %s"},
	"category.newcomer":  {"entre au catalogue, pas encore noté", "joins, not scored yet"},
	"category.regraded":  {"passe de %s à %s sur dix", "goes from %s to %s out of ten"},
	"category.adjusted":  {"voit sa note retouchée, toujours %s sur dix", "has its score adjusted, still %s out of ten"},
	"category.graded":    {"reçoit sa note, %s sur dix", "gets its score, %s out of ten"},
	"category.ungraded":  {"n’a plus de note", "no longer has a score"},

	"category.comparisons":    {"Face-à-face", "Head to head"},
	"category.allcomparisons": {"Tous les comparatifs", "All comparisons"},
	"category.dead":           {"Disparus", "Retired"},
	"category.alldead":        {"Tous les disparus", "All retired tools"},
	"category.nodead": {
		"Aucun outil de la catégorie n’est au cimetière.", "No tool from this category is in the cemetery.",
	},
}

// A categoryBody is the data of the page of a category.
type categoryBody struct {
	catalog.CategoryStats
	Outdated        bool // the translation of its name is from an earlier version
	Tested, Retired int
	Call            layout.Call
	Ranking         []ranked
	Ends            endings // of the tools in the ranking
	First           bool    // there is only one edition, in which everything is new
	Prices          []priceMove
	Others          []move
	Comparisons     []catalog.ComparisonWithTools
	Dead            []notice
	// The paths of the whole lists.
	AllTools, AllComparisons, AllDead string
	Refine                            []refinement
	Map                               *priceMap // nil for too few tools
}

// A move is an event of a tool, or a new comparison.
type move struct {
	Name template.HTML
	Path string
	Text string
	When string
}

const (
	categoryRows        = 10
	categoryComparisons = 2
	categoryDead        = 3
)

// Category returns the page of a category.
func Category(v *view.View, slug string) (*view.Document, error) {
	all := v.Catalog.Categories()
	i := slices.IndexFunc(all, func(c catalog.CategoryStats) bool { return c.Slug == slug })
	if i < 0 {
		return nil, web.Errorf(http.StatusNotFound, "no category has the slug %s", web.Quote(slug))
	}
	page := func(limit int) catalog.Paging { return catalog.Paging{Page: 1, Limit: limit} }
	values := url.Values{"category": {slug}}
	dead := v.Catalog.Cemetery(catalog.CemeteryQuery{Paging: page(categoryDead), Category: slug})
	body := categoryBody{
		CategoryStats: all[i], Retired: dead.Total, Outdated: v.Text.Shows(all[i].English) && all[i].English.Outdated(all[i].Label),
		Tested: v.Catalog.Tools(catalog.ToolQuery{
			Paging: oneItem, Categories: []string{slug}, ScoreMin: catalog.AtLeast(0),
		}).Total,
		Call:  v.Call(listPath("/api/v1/tools", values, 1)),
		First: v.Catalog.Edition().Number == 1,
		Comparisons: v.Catalog.Comparisons(catalog.ComparisonQuery{
			Paging: page(categoryComparisons), Category: slug,
		}).Items,
		AllTools:       listPath(v.Path(address.Tools), values, 1),
		AllComparisons: listPath(v.Path(address.Comparisons), values, 1),
		AllDead:        listPath(v.Path(address.Cemetery), values, 1),
		Refine:         refinements(v, values),
		Map:            newPriceMap(v, catalog.ToolQuery{Categories: []string{slug}}, besideOthers(v, params.Tools{List: params.List{Category: slug}})),
	}
	best := v.Catalog.Tools(catalog.ToolQuery{Paging: page(categoryRows), Categories: []string{slug}}).Items
	body.Ends = newEndings(v, best...)
	for _, t := range best {
		rank, _ := v.Catalog.Rank(t.Slug)
		body.Ranking = append(body.Ranking, ranked{Tool: t, Rank: rank.InCategory})
	}
	for _, x := range dead.Items {
		body.Dead = append(body.Dead, newNotice(v, x))
	}
	for _, e := range v.Figures.CategoryLogs[slug].Prices {
		if t, ok := v.Catalog.Tool(v.Catalog.ToolSlug(e.Slug)); ok {
			on, _ := v.Figures.Amended.Repriced(e)
			body.Prices = append(body.Prices, newPriceMove(v, t, on))
		}
	}
	for _, e := range v.Figures.CategoryLogs[slug].Others {
		body.Others = append(body.Others, newMove(v, e))
	}
	return &view.Document{
		Template: "category", Image: v.Path(address.CategoryCard, slug), Section: address.Tools, Feeds: []address.Page{address.FeedCategory},
		Title:       v.Text.Must("category.title", v.Category(slug)),
		Description: v.Text.Must("category.description", v.Text.Quoted(v.Category(slug))),
		API:         []string{body.Call.Path}, Data: jsonld.Category(v, all[i].Category), Body: body,
	}, nil
}

// newMove describes an entry of a category's change log.
func newMove(v *view.View, e *catalog.LogEntry) move {
	day := v.Text.Date(e.At.UTC())
	if e.Type == catalog.ComparisonPublished {
		c, _ := v.Catalog.Comparison(v.Catalog.ComparisonSlug(e.Slug)) // exists: the category's log has no others
		return move{
			Name: v.Text.Translated(c.Title, c.English.Title), Path: v.Path(address.Comparison, c.Slug), When: v.Text.Must("category.published", day),
		}
	}
	t, _ := v.Catalog.Tool(v.Catalog.ToolSlug(e.Slug))
	m := move{
		Name: view.Escaped(t.Name), Path: v.Path(address.Tool, t.Slug), When: v.Text.Must("category.on", day),
	}
	before, after := v.Figures.Amended.Scores(e)
	switch {
	case e.Type == catalog.ToolCreated && after.Known:
		m.Text = v.Text.Must("category.new", v.Text.Measure(after))
	case e.Type == catalog.ToolCreated:
		m.Text = v.Text.Must("category.newcomer")
	case !after.Known:
		m.Text = v.Text.Must("category.ungraded")
	case !before.Known:
		m.Text = v.Text.Must("category.graded", v.Text.Measure(after))
	case before.Rounded() == after.Rounded():
		m.Text = v.Text.Must("category.adjusted", v.Text.Measure(after))
	default:
		m.Text = v.Text.Must("category.regraded", v.Text.Measure(before), v.Text.Measure(after))
	}
	return m
}
