package site

var pricesTexts = texts{
	"prices.title": {"Prix", "Prices"},
}

func viewPrices(r *request) (*document, error) {
	return &document{Title: r.must("prices.title"), Description: r.must("prices.title")}, nil
}

func parsePrices(string) (any, error) { return struct{}{}, nil }
