package site

import (
	"html/template"
	"net/http"
	"net/url"
	"slices"

	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/web"
)

var categoryTexts = texts{
	"category.title": {"%s\u00a0: le classement", "%s: the ranking"},
	"category.description": {
		"Catégorie %s\u00a0: le classement, la note moyenne, les derniers mouvements et les disparus.",
		"The category %s: its ranking, its average score, its latest moves and its dead.",
	},
	"category.first": {"En tête\u00a0: %s, %s sur dix.", "In front: %s, %s out of ten."},
	"category.unscored": {
		"Aucun outil de la catégorie n’a encore de note.", "No tool of the category has a score yet.",
	},
	"category.empty": {
		"Aucun outil n’est suivi dans cette catégorie pour l’instant.",
		"No tool of this category is followed at the moment.",
	},
	"category.ranking": {"Le classement", "The ranking"},
	"category.all":     {"Le classement entier", "The whole ranking"},
	"category.caption": {"Les premiers de la catégorie", "The first of the category"},
	"category.rank":    {"Rang", "Rank"},
	"category.tool":    {"Outil", "Tool"},
	"category.score":   {"Note", "Score"},
	"category.verif":   {"Vérifiable", "Verifiable"},
	"category.price":   {"Prix", "Price"},
	"category.nograde": {"pas encore noté", "not scored yet"},

	"category.moves":    {"Derniers mouvements", "Latest moves"},
	"category.prices":   {"Prix", "Prices"},
	"category.noprices": {"Aucun prix n’a bougé ces derniers temps.", "No price has moved lately."},
	"category.others":   {"Entrées, notes, comparatifs", "Arrivals, scores, comparisons"},
	"category.noothers": {"Ni entrée, ni nouvelle note, ni comparatif ces derniers temps.", "No arrival, new score or comparison lately."},
	"category.start": {
		"C’est la première édition\u00a0: rien n’a encore bougé.", "This is the first edition: nothing has moved yet.",
	},
	"category.before":    {"%s jusqu’au %s", "%s until %s"},
	"category.on":        {"le %s", "on %s"},
	"category.published": {"comparatif paru le %s", "comparison published on %s"},
	"category.new":       {"entre avec la note %s", "comes in, scored %s"},
	"category.newcomer":  {"entre, pas encore noté", "comes in, not scored yet"},
	"category.regraded":  {"passe de %s à %s sur dix", "goes from %s to %s out of ten"},
	"category.graded":    {"reçoit sa note, %s sur dix", "gets its score, %s out of ten"},
	"category.ungraded":  {"n’a plus de note", "no longer has a score"},

	"category.duels":    {"Face à face", "Head to head"},
	"category.allduels": {"Tous ses comparatifs", "All its comparisons"},
	"category.dead":     {"Ses disparus", "Its dead"},
	"category.alldead":  {"Tous ses disparus", "All its dead"},
	"category.nodead": {
		"Aucun outil de la catégorie n’est au cimetière.", "No tool of the category is in the cemetery.",
	},
}

// A categoryBody is what the page of a category shows.
type categoryBody struct {
	catalog.CategoryStats
	Tested, Retired int
	Call            call
	Ranking         []ranked
	First           bool // there is one edition, in which all is new
	Prices          []priceMove
	Others          []move
	Duels           []catalog.Matchup
	Dead            []notice
	// Paths of the lists that show all of it.
	AllTools, AllDuels, AllDead string
}

// A move is something that happened to a tool, or a comparison that came.
type move struct {
	Name template.HTML
	Path string
	Text string
	When string
}

const (
	categoryRows  = 10
	categoryDuels = 2
	categoryDead  = 3
)

func viewCategory(r *request) (*document, error) {
	all := r.Categories()
	i := slices.IndexFunc(all, func(c catalog.CategoryStats) bool { return c.Slug == r.slug })
	if i < 0 {
		return nil, web.Errorf(http.StatusNotFound, "no category has the slug %s", web.Quote(r.slug))
	}
	page := func(limit int) catalog.Paging { return catalog.Paging{Page: 1, Limit: limit} }
	values := url.Values{"category": {r.slug}}
	dead := r.Cemetery(catalog.CemeteryQuery{Paging: page(categoryDead), Category: r.slug})
	body := categoryBody{
		CategoryStats: all[i], Retired: dead.Total,
		Tested: r.Tools(catalog.ToolQuery{
			Paging: oneItem, Category: r.slug, ScoreMin: catalog.AtLeast(0),
		}).Total,
		Call:     r.call(listPath("/api/v1/tools", values, 1)),
		First:    r.Edition().Number == 1,
		Duels:    r.Comparisons(catalog.ComparisonQuery{Paging: page(categoryDuels), Category: r.slug}).Items,
		AllTools: listPath(r.path("tools", ""), values, 1),
		AllDuels: listPath(r.path("comparisons", ""), values, 1),
		AllDead:  listPath(r.path("cemetery", ""), values, 1),
	}
	for i, t := range r.Tools(catalog.ToolQuery{Paging: page(categoryRows), Category: r.slug}).Items {
		row := ranked{Tool: t}
		if t.Score.Known {
			row.Rank = i + 1
		}
		body.Ranking = append(body.Ranking, row)
	}
	for _, x := range dead.Items {
		body.Dead = append(body.Dead, newNotice(x))
	}
	for _, e := range r.categoryLogs[r.slug].prices {
		if t, ok := r.Tool(e.Slug); ok {
			on, _ := r.amended.repriced(e)
			body.Prices = append(body.Prices, r.priceMove(t, on))
		}
	}
	for _, e := range r.categoryLogs[r.slug].others {
		body.Others = append(body.Others, r.move(e))
	}
	return &document{
		Title:       r.Must("category.title", all[i].Label),
		Description: r.Must("category.description", r.Quoted(all[i].Label)),
		API:         []string{body.Call.Path}, Data: r.categoryData(all[i].Category), Body: body,
	}, nil
}

// move tells an entry of the log of a category in words.
func (r *request) move(e *catalog.LogEntry) move {
	day := r.Date(e.At.UTC())
	if e.Type == catalog.ComparisonPublished {
		c, _ := r.Comparison(e.Slug) // the log of a category has only those that are there
		return move{
			Name: r.French(c.Title), Path: r.path("comparison", e.Slug), When: r.Must("category.published", day),
		}
	}
	t, _ := r.Tool(e.Slug)
	m := move{
		Name: raw(template.HTMLEscapeString(t.Name)), Path: r.path("tool", e.Slug), When: r.Must("category.on", day),
	}
	before, after := r.amended.scores(e)
	switch {
	case e.Type == catalog.ToolCreated && after.Known:
		m.Text = r.Must("category.new", r.Measure(after))
	case e.Type == catalog.ToolCreated:
		m.Text = r.Must("category.newcomer")
	case !after.Known:
		m.Text = r.Must("category.ungraded")
	case !before.Known:
		m.Text = r.Must("category.graded", r.Measure(after))
	default:
		m.Text = r.Must("category.regraded", r.Measure(before), r.Measure(after))
	}
	return m
}
