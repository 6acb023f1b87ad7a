package api

import "github.com/palmares-hq/palmares/internal/catalog"

// listPrices is GET /api/v1/pricing.
func listPrices(r request) (answer, error) {
	q := parseQuery(r.Request)
	query := catalog.PriceQuery{Paging: q.paging(), Category: q.category()}
	if q.err != nil {
		return answer{}, q.err
	}
	return q.list(r.URL.Path, r.snapshot.Prices(query)), nil
}

// getPrice is GET /api/v1/pricing/{slug}.
func getPrice(r request) (answer, error) {
	slug := r.PathValue("slug")
	if d, ok := r.snapshot.Price(slug); ok {
		return item(d), nil
	}
	return answer{}, toolNotFound(r.snapshot, slug)
}
