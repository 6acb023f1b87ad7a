package api

import "github.com/palmares-hq/palmares/internal/catalog"

// listComparisons is GET /api/v1/comparatifs.
func listComparisons(r request) (answer, error) {
	q := parseQuery(r.Request)
	query := catalog.ComparisonQuery{Paging: q.paging(), Category: q.category()}
	if q.err != nil {
		return answer{}, q.err
	}
	return q.list(r.URL.Path, r.snapshot.Comparisons(query)), nil
}

// getComparison is GET /api/v1/comparatifs/{slug}.
func getComparison(r request) (answer, error) {
	slug := r.PathValue("slug")
	if d, ok := r.snapshot.Comparison(slug); ok {
		return item(d), nil
	}
	return answer{}, notFound("comparison", slug)
}
