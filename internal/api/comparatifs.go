package api

import "github.com/palmares-hq/palmares/internal/catalog"

// comparisonsParams are the parameters of GET /api/v1/comparatifs.
type comparisonsParams struct{ listParams }

func parseComparisons(rawQuery string) (comparisonsParams, error) {
	r := newParamReader(rawQuery)
	return comparisonsParams{r.list()}, r.err
}

// listComparisons is GET /api/v1/comparatifs.
func listComparisons(s source, p comparisonsParams) *response {
	return newPage(s.baseURL+"/api/v1/comparatifs", p.values(),
		s.ComparisonsJSON(catalog.ComparisonQuery{Paging: p.Paging, Category: p.Category}))
}

// getComparison is GET /api/v1/comparatifs/{slug}.
func getComparison(s source, slug string) (*response, error) {
	if d, ok := s.ComparisonJSON(slug); ok {
		return newResponse(d), nil
	}
	return nil, notFound("comparison", slug)
}
