package api

import (
	"github.com/palmares-hq/palmares/internal/params"
	"github.com/palmares-hq/palmares/internal/web"
)

// listPrices is GET /api/v1/pricing.
func listPrices(s source, p params.Prices) *web.Response {
	return respondPage(s.baseURL+"/api/v1/pricing", p.Values(), s.PricesJSON(p.Query()))
}

// getPrice is GET /api/v1/pricing/{slug}. Whoever keeps price histories asks it after a correction; the cursor
// says which events the answer knows.
func getPrice(s source, slug string) (*web.Response, error) {
	if d, ok := s.PriceJSON(slug); ok {
		return respond(d), nil
	}
	return nil, toolNotFound(s, slug)
}
