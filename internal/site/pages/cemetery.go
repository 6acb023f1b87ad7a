package pages

import (
	"github.com/palmares-hq/palmares/internal/address"
	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/layout"
	"github.com/palmares-hq/palmares/internal/params"
	"github.com/palmares-hq/palmares/internal/site/view"
)

var cemeteryTexts = layout.Texts{
	"cemetery.title": {"Cimetière", "Cemetery"},
	"cemetery.description": {
		"Les outils d’IA qui ont fermé, changé de métier ou de mains\u00a0: la date, la raison, et ce qu’on en retient.",
		"AI tools that shut down, changed business or changed hands: the date, the reason, and what remains of them.",
	},
	"cemetery.lede": {
		"Ils ont figuré au catalogue. Ils n’y figurent plus. On dit quand, et pourquoi.",
		"They were in the catalogue. They no longer are. Here is when, and why.",
	},
	"cemetery.soon": {"Bientôt", "Soon"},
	"cemetery.soon.lede": {
		"Encore en vie, mais leur fin est annoncée.",
		"Still alive, but their end has been announced.",
	},
	"cemetery.soon.more":     {"et %s autre|et %s autres", "and %s more|and %s more"},
	"cemetery.soon.tool":     {"Outil", "Tool"},
	"cemetery.soon.end":      {"Fin", "End"},
	"cemetery.soon.instead":  {"À prendre à la place", "Use instead"},
	"cemetery.soon.passed":   {"jour passé, à confirmer", "day passed, to be confirmed"},
	"cemetery.rows":          {"Les autres outils retirés", "The other retired tools"},
	"cemetery.rows.when":     {"Date", "Date"},
	"notice.options":         {"Autres options", "Other options"},
	"cemetery.soon.calendar": {"Ces dates dans votre agenda", "These dates in your calendar"},
	"cemetery.soon.feed":     {"Le flux des fins annoncées", "The feed of announced ends"},
	"cemetery.count":         {"%s outil retiré|%s outils retirés", "%s retired tool|%s retired tools"},
	"cemetery.reasons":       {"Par raison", "By reason"},
	"cemetery.categories":    {"Par catégorie", "By category"},
	"cemetery.all":           {"Toutes les raisons", "All reasons"},
	"cemetery.everywhere":    {"Toutes les catégories", "All categories"},
	"cemetery.none": {
		"Personne. Aucun outil du catalogue n’a encore été retiré.",
		"Nobody. No tool in the catalogue has been retired yet.",
	},
	"cemetery.none.search": {"Aucun outil retiré ne répond à cette recherche.", "No retired tool matches this search."},
	"cemetery.none.filtered": {
		"Personne ici. Aucun outil n’a été retiré pour cette raison dans cette catégorie.",
		"Nobody here. No tool in this category has been retired for this reason.",
	},
	"cemetery.none.reason": {
		"Personne. Aucun outil n’a été retiré pour cette raison.",
		"Nobody. No tool has been retired for this reason.",
	},
	"cemetery.none.category": {
		"Personne. Aucun outil de cette catégorie n’a été retiré.",
		"Nobody. No tool in this category has been retired.",
	},
	"cemetery.beyond": {"La liste s’arrête avant cette page.", "The list ends before this page."},
	"cemetery.back":   {"Tout le cimetière", "The whole cemetery"},
}

// A cemeteryBody is the data of the page of the cemetery.
type cemeteryBody struct {
	Soon       soon
	Total      int
	Filtered   bool
	Found      found
	Empty      string // why the page is empty; "" if it is not
	Reasons    []choice
	Categories []choice
	Call       layout.Call
	Lives      lifelines
	Notices    []notice
	Rows       []notice // those without room for their note
	Pager      layout.Pager
}

// Up to manyNotices, all tools of the list get a notice; of more, the newest firstNotices, and the others a row.
const (
	manyNotices  = 24
	firstNotices = 8
)

// Cemetery returns the page of retired tools.
func Cemetery(v *view.View, p params.Cemetery) (*view.Document, error) {
	page := v.Catalog.Cemetery(p.Query())
	path := v.Path(address.Cemetery)
	count := func(category string, reason catalog.Reason) int {
		return v.Catalog.Cemetery(catalog.CemeteryQuery{Paging: oneItem, Category: category, Reason: reason}).Total
	}
	body := cemeteryBody{
		Total: page.Total, Filtered: p.Category != "" || p.Reason != "" || p.Searched(), Found: newFound(v, p.Search, page),
		Pager: newPager(path, p.Values(), page),
		Call:  v.Call(listPath("/api/v1/cimetiere", p.Values(), p.Page)),
		Categories: byCategory(v, v.Text.Must("cemetery.everywhere"), path, p.Values(), func(category string) int {
			return count(category, p.Reason)
		}),
	}
	reason := func(name string, reason catalog.Reason) choice {
		return choose(view.Escaped(name), count(p.Category, reason),
			path, p.Values(), "reason", string(reason))
	}
	body.Reasons = append(body.Reasons, reason(v.Text.Must("cemetery.all"), ""))
	for _, x := range catalog.Reasons() {
		body.Reasons = append(body.Reasons, reason(v.Text.Must("reason."+string(x)), x))
	}
	if p.Reason == "" && p.Search == "" && page.Number == 1 {
		body.Soon = newSoon(v, p.Category)
	}
	if p.Search == "" && page.Number == 1 {
		body.Lives = newLifelines(v, p, body.Soon)
	}
	for i, x := range page.Items {
		n := newNotice(v, x)
		if page.Total <= manyNotices || page.Number == 1 && i < firstNotices {
			body.Notices = append(body.Notices, n)
		} else {
			body.Rows = append(body.Rows, n)
		}
	}
	if len(page.Items) == 0 {
		body.Empty = emptyReason(v, p, page.Total)
	}
	return &view.Document{
		Template: "cemetery", Section: address.Cemetery, Feeds: []address.Page{address.FeedCemetery, address.FeedEndings},
		Title: v.Text.Must("cemetery.title"), Description: v.Text.Must("cemetery.description"),
		API: []string{body.Call.Path}, NoIndex: len(p.Values()) > 0 || p.Page > 1, Body: body,
	}, nil
}

// emptyReason returns why a page of the cemetery is empty.
func emptyReason(v *view.View, p params.Cemetery, total int) string {
	switch {
	case total > 0:
		return v.Text.Must("cemetery.beyond")
	case p.Searched():
		return v.Text.Must("cemetery.none.search")
	case p.Category != "" && p.Reason != "":
		return v.Text.Must("cemetery.none.filtered")
	case p.Category != "":
		return v.Text.Must("cemetery.none.category")
	case p.Reason != "":
		return v.Text.Must("cemetery.none.reason")
	default:
		return v.Text.Must("cemetery.none")
	}
}
