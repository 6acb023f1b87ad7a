package pages

import (
	"github.com/palmares-hq/palmares/internal/address"
	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/layout"
	"github.com/palmares-hq/palmares/internal/params"
	"github.com/palmares-hq/palmares/internal/site/view"
)

var comparisonsTexts = layout.Texts{
	"comparisons.title": {"Comparatifs", "Comparisons"},
	"comparisons.description": {
		"Deux outils face à face\u00a0: leurs notes, leurs prix, un vainqueur, et pourquoi il gagne.",
		"Two tools side by side: their scores, their prices, a winner, and why it wins.",
	},
	"comparisons.lede": {
		"Deux outils, un vainqueur, et la raison.",
		"Two tools, one winner, and the reason.",
	},
	"comparisons.count":  {"%s comparatif|%s comparatifs", "%s comparison|%s comparisons"},
	"comparisons.filter": {"Par catégorie", "By category"},
	"comparisons.all":    {"Toutes", "All"},
	"comparisons.wins":   {"vainqueur", "winner"},
	"comparisons.none": {
		"Aucun comparatif n’est encore paru. Le premier paraîtra ici, avec son vainqueur.",
		"No comparison has been published yet. The first will appear here, with its winner.",
	},
	"comparisons.none.category": {
		"Aucun comparatif ne porte encore sur un outil de cette catégorie.",
		"No comparison features a tool from this category yet.",
	},
	"comparisons.beyond": {"La liste s’arrête avant cette page.", "The list ends before this page."},
	"comparisons.back":   {"Tous les comparatifs", "All comparisons"},
}

// A comparisonsBody is what the list of comparisons shows.
type comparisonsBody struct {
	Total    int
	Filtered bool
	Choices  []choice
	Call     layout.Call
	Drafts   []catalog.Matchup
	Duels    []catalog.Matchup
	Pager    layout.Pager
}

// List lists the comparisons.
func (c ComparisonPages) List(v *view.View, p params.Comparisons) (*view.Document, error) {
	page := v.Catalog.Comparisons(p.Query())
	path := v.Path(address.Comparisons)
	body := comparisonsBody{
		Total: page.Total, Filtered: p.Category != "",
		Duels: page.Items, Pager: newPager(path, p.Values(), page),
		Call: v.Call(listPath("/api/v1/comparatifs", p.Values(), p.Page)),
		Choices: byCategory(v, v.Text.Must("comparisons.all"), path, p.Values(), func(category string) int {
			return v.Catalog.Comparisons(catalog.ComparisonQuery{Paging: oneItem, Category: category}).Total
		}),
	}
	if p.Page == 1 {
		body.Drafts = c.drafts(v, p.Category)
	}
	return &view.Document{
		Template: "comparisons", Section: address.Comparisons,
		Title: v.Text.Must("comparisons.title"), Description: v.Text.Must("comparisons.description"),
		API: []string{body.Call.Path}, NoIndex: len(p.Values()) > 0 || p.Page > 1, Body: body,
	}, nil
}
