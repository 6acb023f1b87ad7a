package site

import (
	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/params"
)

var comparisonsTexts = texts{
	"comparisons.title": {"Comparatifs", "Comparisons"},
	"comparisons.description": {
		"Deux outils face à face\u00a0: leurs notes, leurs prix, un vainqueur, et pourquoi il gagne.",
		"Two tools side by side: their scores, their prices, a winner, and why it wins.",
	},
	"comparisons.lede": {
		"Deux outils, un vainqueur, et la raison. Le surligneur dit qui gagne.",
		"Two tools, one winner, and the reason. The highlighter marks who wins.",
	},
	"comparisons.count":  {"%s comparatif|%s comparatifs", "%s comparison|%s comparisons"},
	"comparisons.filter": {"Par catégorie", "By category"},
	"comparisons.all":    {"Toutes", "All"},
	"comparisons.wins":   {"vainqueur", "winner"},
	"comparisons.none": {
		"Aucun comparatif n’est encore paru. Le premier se lira ici, avec son vainqueur.",
		"No comparison has been published yet. The first will be here, with its winner.",
	},
	"comparisons.none.category": {
		"Aucun comparatif n’oppose encore d’outil de cette catégorie.",
		"No comparison has a tool of this category yet.",
	},
	"comparisons.beyond": {"La liste s’arrête avant cette page.", "The list ends before this page."},
	"comparisons.back":   {"Tous les comparatifs", "All comparisons"},
}

// A comparisonsBody is what the list of comparisons shows.
type comparisonsBody struct {
	Total    int
	Filtered bool
	Choices  []choice
	Call     call
	Drafts   []catalog.Matchup
	Duels    []catalog.Matchup
	Pager    pager
}

func parseComparisons(rawQuery string) (any, error) { return params.ParseComparisons(rawQuery) }

func viewComparisons(r *request) (*document, error) {
	p := r.params.(params.Comparisons)
	page := r.Comparisons(p.Query())
	path := r.path("comparisons", "")
	body := comparisonsBody{
		Total: page.Total, Filtered: p.Category != "",
		Duels: page.Items, Pager: newPager(path, p.Values(), page),
		Call: r.call(listPath("/api/v1/comparatifs", p.Values(), p.Page)),
		Choices: r.byCategory(r.Must("comparisons.all"), path, p.Values(), func(category string) int {
			return r.Comparisons(catalog.ComparisonQuery{Paging: oneItem, Category: category}).Total
		}),
	}
	if p.Page == 1 {
		body.Drafts = r.drafts(p.Category)
	}
	return &document{
		Title: r.Must("comparisons.title"), Description: r.Must("comparisons.description"),
		API: []string{body.Call.Path}, NoIndex: len(p.Values()) > 0 || p.Page > 1, Body: body,
	}, nil
}
