package api

import "github.com/palmares-hq/palmares/internal/params"

// listPrices is GET /api/v1/pricing.
func listPrices(s source, p params.Prices) *response {
	return newPage(s.baseURL+"/api/v1/pricing", p.Values(), s.PricesJSON(p.Query()))
}

// getPrice is GET /api/v1/pricing/{slug}.
func getPrice(s source, slug string) (*response, error) {
	if d, ok := s.PriceJSON(slug); ok {
		return newResponse(d), nil
	}
	return nil, toolNotFound(s, slug)
}
