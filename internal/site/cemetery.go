package site

var cemeteryTexts = texts{
	"cemetery.title": {"Cimetière", "Cemetery"},
}

func viewCemetery(r *request) (*document, error) {
	return &document{Title: r.must("cemetery.title"), Description: r.must("cemetery.title")}, nil
}

func parseCemetery(string) (any, error) { return struct{}{}, nil }
