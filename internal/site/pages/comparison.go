package pages

import (
	"html/template"
	"net/http"
	"strconv"

	"github.com/palmares-hq/palmares/internal/address"
	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/layout"
	"github.com/palmares-hq/palmares/internal/params"
	"github.com/palmares-hq/palmares/internal/site/jsonld"
	"github.com/palmares-hq/palmares/internal/site/view"
	"github.com/palmares-hq/palmares/internal/web"
)

var comparisonTexts = layout.Texts{
	"comparison.description": {
		"%s (%s) contre %s (%s). Notes, prix et verdict\u00a0: pourquoi %s l’emporte.",
		"%s (%s) against %s (%s). Scores, prices and verdict: why %s wins.",
	},
	"comparison.winner":            {"Vainqueur", "Winner"},
	"comparison.score":             {"Note", "Score"},
	"comparison.verifiability":     {"Vérifiabilité", "Verifiability"},
	"comparison.obsolescence":      {"Fraîcheur", "Freshness"},
	"comparison.price":             {"Prix", "Price"},
	"comparison.twin.obsolescence": {"Obsolescence", "Obsolescence"},
	"comparison.pricing":           {"Formule", "Pricing"},
	"comparison.icp":               {"Public", "Audience"},
	"comparison.category":          {"Catégorie", "Category"},
	"comparison.unscored":          {"Pas encore noté", "Not scored yet"},
	"comparison.tool":              {"La fiche", "The tool"},
	"comparison.review":            {"L’avis", "The review"},
	"comparison.instead":           {"Les alternatives", "The alternatives"},
	"comparison.why":               {"Pourquoi %s l’emporte", "Why %s wins"},
	"comparison.updated":           {"Mis à jour le %s.", "Updated on %s."},
	"comparison.differences":       {"Ce qui les sépare", "Where they differ"},
	"comparison.what":              {"Critère", "Criterion"},
	"comparison.gap":               {"Écart", "Difference"},
	"comparison.ahead":             {"%s\u00a0: %s", "%s: %s"},
	"comparison.unmeasured":        {"mesuré pour un seul des deux", "measured for only one of them"},
	"comparison.same":              {"Pour le reste, ils se valent\u00a0: %s.", "Otherwise the same: %s."},
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

// A comparisonBody is the data of the page of a comparison.
type comparisonBody struct {
	catalog.ComparisonWithTools
	Category catalog.Category // of the winner
	Corners  [2]corner
	Ends     endings
	Outdated bool            // the translation of its title or note is from an earlier version
	Why      []template.HTML // the paragraphs of the note
	Duel     *duel           // nil for a draft with a retired tool
	Retired  string          // the name of a retired tool, which only a draft can have; else ""
	Others   []catalog.ComparisonWithTools
	Call     layout.Call // empty for a draft, which the API does not have
	Compare  string      // the path of the page that compares both with others; "" for a draft
	Follow   string      // the address of a list with both tools
}

// A corner is one of the two tools.
type corner struct {
	*catalog.Tool
	Wins bool
}

// Page returns the page of a comparison, which in a preview may be a draft; a 404 for any other slug.
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
		ComparisonWithTools: m,
		Category:            v.CategoryOf(winner.Category),
		Corners:             [2]corner{{m.A, m.A == winner}, {m.B, m.B == winner}},
		Ends:                newEndings(v, m.A, m.B),
		Why:                 translatedParagraphs(v, m.Note, m.English.Note),
		Outdated:            v.Foreign() && !m.Draft && (m.English.Title.Outdated(m.Title) || m.English.Note.Outdated(m.Note)),
		Others:              otherComparisons(v, m),
		Retired:             retiredOf(v, m),
		Follow:              followPath(v, m.ToolA, m.ToolB),
	}
	if body.Retired == "" {
		body.Duel = newDuel(v, [2]catalog.ComparedTool{{Tool: m.A}, {Tool: m.B}})
	}
	title := v.Text.Choose(m.Title, m.English.Title)
	d := &view.Document{
		Template: "comparison", Section: address.Comparisons,
		Title: title, TitleFrench: !v.Text.Shows(m.English.Title), Data: jsonld.Item(v, address.Comparisons, winner.Category, title, v.Canonical(address.Comparison, m.Slug)),
		Description: v.Text.Must("comparison.description",
			m.A.Name, v.Text.Measure(m.A.Score), m.B.Name, v.Text.Measure(m.B.Score), winner.Name),
	}
	if !m.Draft {
		body.Call, body.Compare = v.Call("/api/v1/comparatifs/"+m.Slug), comparePath(v, []string{m.ToolA, m.ToolB})
		d.Image = v.Path(address.ComparisonCard, m.Slug)
		d.API, d.Markdown = []string{body.Call.Path}, v.Path(address.ComparisonSource, m.Slug)
	}
	d.Body = body
	return d, nil
}

// otherComparisons returns the newest other comparisons of either tool, then of the winner's category, three at most.
func otherComparisons(v *view.View, m catalog.ComparisonWithTools) []catalog.ComparisonWithTools {
	const most = 3
	var found []catalog.ComparisonWithTools
	shown := map[string]bool{m.Slug: true}
	for _, others := range [][]catalog.ComparisonWithTools{
		v.Catalog.ComparisonsOf(m.ToolA), v.Catalog.ComparisonsOf(m.ToolB), v.Catalog.Comparisons(catalog.ComparisonQuery{
			Paging: catalog.Paging{Page: 1, Limit: 2*most + 1}, Category: m.Winning().Category,
		}).Items,
	} {
		for _, other := range others {
			if len(found) < most && !shown[other.Slug] {
				shown[other.Slug] = true
				found = append(found, other)
			}
		}
	}
	return found
}

var draftsTexts = layout.Texts{
	"preview.drafts": {"Brouillons", "Drafts"},
	"preview.draft":  {"Brouillon", "Draft"},
	"preview.drafts.lede": {
		"Seul l’aperçu les montre\u00a0: ni l’API, ni le plan du site, ni les flux ne les montrent.",
		"Only the preview shows them: the API, the sitemap and the feeds leave them out.",
	},
	"preview.draft.lede": {
		"Seul l’aperçu montre cette page. Elle paraîtra quand son fichier passera de «\u202fdraft\u202f» à «\u202fpublished\u202f».",
		"Only the preview shows this page. It will be published once its file says “published” instead of “draft”.",
	},
	"preview.draft.retired": {
		"%s est au cimetière\u00a0: en l’état, ce comparatif ne peut pas paraître.",
		"%s is in the cemetery: as it stands, this comparison cannot be published.",
	},
}

// ComparisonPages makes the pages of comparisons. In a preview they include drafts.
type ComparisonPages struct {
	Drafts func() []*catalog.Comparison // nil unless in a preview
}

// drafts returns the comparisons that are not published yet, of one category or, for "", of all. Only a preview has
// any.
func (c ComparisonPages) drafts(v *view.View, category string) []catalog.ComparisonWithTools {
	if c.Drafts == nil {
		return nil
	}
	var drafts []catalog.ComparisonWithTools
	for _, draft := range c.Drafts() {
		m := catalog.ComparisonWithTools{Comparison: draft, A: candidate(v, draft.ToolA), B: candidate(v, draft.ToolB)}
		if m.A == nil || m.B == nil {
			continue // the files have just been read, and their snapshot is not served yet
		}
		if category == "" || m.A.Category == category || m.B.Category == category {
			drafts = append(drafts, m)
		}
	}
	return drafts
}

// draft returns a draft by its slug, and whether there is one.
func (c ComparisonPages) draft(v *view.View, slug string) (catalog.ComparisonWithTools, bool) {
	for _, m := range c.drafts(v, "") {
		if m.Slug == slug {
			return m, true
		}
	}
	return catalog.ComparisonWithTools{}, false
}

// candidate returns a tool that a draft names. A retired one has only slug, name and category. It returns nil if there
// is no such tool.
func candidate(v *view.View, slug string) *catalog.Tool {
	if t, ok := v.Catalog.Tool(slug); ok {
		return t
	}
	if dead, ok := v.Catalog.Retired(slug); ok {
		return &catalog.Tool{Slug: dead.Slug, Name: dead.Name, Category: dead.Category}
	}
	return nil
}

// retiredOf returns the name of a retired tool of a comparison; "" if both live.
func retiredOf(v *view.View, m catalog.ComparisonWithTools) string {
	for _, t := range []*catalog.Tool{m.A, m.B} {
		if _, dead := v.Catalog.Retired(t.Slug); dead {
			return t.Name
		}
	}
	return ""
}

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
	"comparisons.none.search": {"Aucun comparatif ne répond à cette recherche.", "No comparison matches this search."},
	"comparisons.none.category": {
		"Aucun comparatif ne porte encore sur un outil de cette catégorie.",
		"No comparison features a tool from this category yet.",
	},
	"comparisons.beyond": {"La liste s’arrête avant cette page.", "The list ends before this page."},
	"comparisons.back":   {"Tous les comparatifs", "All comparisons"},
}

// A comparisonsBody is the data of the list of comparisons.
type comparisonsBody struct {
	Total       int
	Searched    bool
	Found       found
	Filtered    bool
	Choices     []choice
	Call        layout.Call
	Drafts      []catalog.ComparisonWithTools
	Comparisons []catalog.ComparisonWithTools
	Pager       layout.Pager
}

// comparisonsPage is how many comparisons a page shows: each is a paragraph.
const comparisonsPage = 16

// List returns the list of comparisons.
func (c ComparisonPages) List(v *view.View, p params.Comparisons) (*view.Document, error) {
	query, call := p.Query(), p.Values()
	if query.Limit == params.DefaultLimit {
		query.Limit = comparisonsPage
	}
	page := v.Catalog.Comparisons(query)
	if page.Total > query.Limit {
		call.Set("limit", strconv.Itoa(query.Limit))
	}
	path := v.Path(address.Comparisons)
	body := comparisonsBody{
		Total: page.Total, Searched: p.Searched(), Filtered: p.Category != "", Found: newFound(v, p.Search, page),
		Comparisons: page.Items, Pager: newPager(path, p.Values(), page),
		Call: v.Call(listPath("/api/v1/comparatifs", call, p.Page)),
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
