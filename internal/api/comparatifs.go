package api

import "github.com/palmares-hq/palmares/internal/params"

// listComparisons is GET /api/v1/comparatifs.
func listComparisons(s source, p params.Comparisons) *response {
	return newPage(s.baseURL+"/api/v1/comparatifs", p.Values(), s.ComparisonsJSON(p.Query()))
}

// getComparison is GET /api/v1/comparatifs/{slug}.
func getComparison(s source, slug string) (*response, error) {
	if d, ok := s.ComparisonJSON(slug); ok {
		return newResponse(d), nil
	}
	return nil, notFound("comparison", slug)
}
