package pages

import (
	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/layout"
	"github.com/palmares-hq/palmares/internal/site/view"
)

var draftsTexts = layout.Texts{
	"preview.drafts": {"Brouillons", "Drafts"},
	"preview.draft":  {"Brouillon", "Draft"},
	"preview.drafts.lede": {
		"Seul l’aperçu les montre\u00a0: ni l’API, ni le plan du site, ni les flux ne les connaissent.",
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

// ComparisonPages are the pages of comparisons. A preview has drafts, which nobody else sees.
type ComparisonPages struct {
	Drafts func() []*catalog.Comparison // nil but in a preview
}

// drafts are the comparisons that are not published yet, of one category or, for "", of all. Only a
// preview has any.
func (c ComparisonPages) drafts(v *view.View, category string) []catalog.Matchup {
	if c.Drafts == nil {
		return nil
	}
	var drafts []catalog.Matchup
	for _, draft := range c.Drafts() {
		m := catalog.Matchup{Comparison: draft, A: candidate(v, draft.ToolA), B: candidate(v, draft.ToolB)}
		if m.A == nil || m.B == nil {
			continue // the files have just been read, and these pages are about to follow
		}
		if category == "" || m.A.Category == category || m.B.Category == category {
			drafts = append(drafts, m)
		}
	}
	return drafts
}

// draft is one of the drafts.
func (c ComparisonPages) draft(v *view.View, slug string) (catalog.Matchup, bool) {
	for _, m := range c.drafts(v, "") {
		if m.Slug == slug {
			return m, true
		}
	}
	return catalog.Matchup{}, false
}

// candidate is a tool as a draft may name it: living, or retired and then with little to say. It is
// nil when there is none.
func candidate(v *view.View, slug string) *catalog.Tool {
	if t, ok := v.Catalog.Tool(slug); ok {
		return t
	}
	if dead, ok := v.Catalog.Retired(slug); ok {
		return &catalog.Tool{Slug: dead.Slug, Name: dead.Name, Category: dead.Category}
	}
	return nil
}

// retiredOf is the name of a tool of a comparison that is retired; "" for none.
func retiredOf(v *view.View, m catalog.Matchup) string {
	for _, t := range []*catalog.Tool{m.A, m.B} {
		if _, dead := v.Catalog.Retired(t.Slug); dead {
			return t.Name
		}
	}
	return ""
}
