package api

import "github.com/palmares-hq/palmares/internal/catalog"

func readComparisons(p *parameters) question { return p.list() }

// listComparisons is GET /api/v1/comparatifs.
func listComparisons(s *catalog.Snapshot, q question) (answer, error) {
	return page(q, "/api/v1/comparatifs", s.Comparisons(catalog.ComparisonQuery{Paging: q.Paging, Category: q.category})), nil
}

// getComparison is GET /api/v1/comparatifs/{slug}.
func getComparison(s *catalog.Snapshot, q question) (answer, error) {
	if d, ok := s.Comparison(q.slug); ok {
		return item(d), nil
	}
	return answer{}, notFound("comparison", q.slug)
}
