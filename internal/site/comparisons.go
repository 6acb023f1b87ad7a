package site

var comparisonsTexts = texts{
	"comparisons.title": {"Comparatifs", "Comparisons"},
}

func viewComparisons(r *request) (*document, error) {
	return &document{Title: r.must("comparisons.title"), Description: r.must("comparisons.title")}, nil
}

func parseComparisons(string) (any, error) { return struct{}{}, nil }
