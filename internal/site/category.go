package site

var categoryTexts = texts{
	"category.title": {"Catégorie", "Category"},
}

func viewCategory(r *request) (*document, error) {
	return &document{Title: r.must("category.title"), Description: r.must("category.title")}, nil
}
