package site

import "github.com/palmares-hq/palmares/internal/catalog"

// drafts are the comparisons that are not published yet, of one category or, for "", of all. Only a
// preview has any.
func (r *request) drafts(category string) []catalog.Matchup {
	if r.files == nil {
		return nil
	}
	var drafts []catalog.Matchup
	for _, c := range r.files.drafts {
		m := catalog.Matchup{Comparison: c, A: r.candidate(c.ToolA), B: r.candidate(c.ToolB)}
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
func (r *request) draft(slug string) (catalog.Matchup, bool) {
	for _, m := range r.drafts("") {
		if m.Slug == slug {
			return m, true
		}
	}
	return catalog.Matchup{}, false
}

// candidate is a tool as a draft may name it: living, or retired and then with little to say. It is
// nil when there is none.
func (r *request) candidate(slug string) *catalog.Tool {
	if t, ok := r.Tool(slug); ok {
		return t
	}
	if dead, ok := r.Retired(slug); ok {
		return &catalog.Tool{Slug: dead.Slug, Name: dead.Name, Category: dead.Category}
	}
	return nil
}

// buried is the name of a tool of a comparison that is retired; "" for none.
func (r *request) buried(m catalog.Matchup) string {
	for _, t := range []*catalog.Tool{m.A, m.B} {
		if _, dead := r.Retired(t.Slug); dead {
			return t.Name
		}
	}
	return ""
}
