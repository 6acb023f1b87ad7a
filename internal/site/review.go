package site

var reviewTexts = texts{
	"review.title": {"Avis", "Review"},
}

func viewReview(r *request) (*document, error) {
	return &document{Title: r.must("review.title"), Description: r.must("review.title")}, nil
}
