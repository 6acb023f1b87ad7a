package site

var comparisonTexts = texts{
	"comparison.title": {"Comparatif", "Comparison"},
}

func viewComparison(r *request) (*document, error) {
	return &document{Title: r.must("comparison.title"), Description: r.must("comparison.title")}, nil
}
