package api

import (
	"github.com/palmares-hq/palmares/internal/params"
	"github.com/palmares-hq/palmares/internal/web"
)

// listComparisons is GET /api/v1/comparatifs.
func listComparisons(s source, p params.Comparisons) *web.Response {
	return respondPage(s.baseURL+"/api/v1/comparatifs", p.Values(), s.ComparisonsJSON(p.Query()))
}

// getComparison is GET /api/v1/comparatifs/{slug}.
func getComparison(s source, slug string) (*web.Response, error) {
	if d, ok := s.ComparisonJSON(slug); ok {
		return respond(d), nil
	}
	return nil, notFound("comparison", slug)
}
