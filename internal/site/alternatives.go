package site

var alternativesTexts = texts{
	"alternatives.title": {"Alternatives", "Alternatives"},
}

func viewAlternatives(r *request) (*document, error) {
	return &document{Title: r.must("alternatives.title"), Description: r.must("alternatives.title")}, nil
}
