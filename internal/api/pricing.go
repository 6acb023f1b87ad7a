package api

import "github.com/palmares-hq/palmares/internal/catalog"

// pricesParams are the parameters of GET /api/v1/pricing.
type pricesParams struct{ listParams }

func parsePrices(rawQuery string) (pricesParams, error) {
	r := newParamReader(rawQuery)
	return pricesParams{r.list()}, r.err
}

// listPrices is GET /api/v1/pricing.
func listPrices(s source, p pricesParams) *response {
	return newPage(s.baseURL+"/api/v1/pricing", p.values(),
		s.PricesJSON(catalog.PriceQuery{Paging: p.Paging, Category: p.Category}))
}

// getPrice is GET /api/v1/pricing/{slug}.
func getPrice(s source, slug string) (*response, error) {
	if d, ok := s.PriceJSON(slug); ok {
		return newResponse(d), nil
	}
	return nil, toolNotFound(s, slug)
}
