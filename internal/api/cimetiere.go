package api

import "github.com/palmares-hq/palmares/internal/catalog"

func readRetired(p *parameters) question {
	q := p.list()
	q.reason = oneOf(p, "reason", catalog.Reasons())
	return q
}

// listRetired is GET /api/v1/cimetiere.
func listRetired(s *catalog.Snapshot, q question) (answer, error) {
	return page(q, "/api/v1/cimetiere", s.Cemetery(catalog.CemeteryQuery{Paging: q.Paging, Category: q.category, Reason: q.reason})), nil
}
