package api

import "github.com/palmares-hq/palmares/internal/catalog"

func readPrices(p *parameters) question { return p.list() }

// listPrices is GET /api/v1/pricing.
func listPrices(s *catalog.Snapshot, q question) (answer, error) {
	return page(q, "/api/v1/pricing", s.Prices(catalog.PriceQuery{Paging: q.Paging, Category: q.category})), nil
}

// getPrice is GET /api/v1/pricing/{slug}.
func getPrice(s *catalog.Snapshot, q question) (answer, error) {
	if d, ok := s.Price(q.slug); ok {
		return item(d), nil
	}
	return answer{}, toolNotFound(s, q.slug)
}
