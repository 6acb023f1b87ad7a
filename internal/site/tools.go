package site

var toolsTexts = texts{
	"tools.title": {"Classement", "Ranking"},
}

func viewTools(r *request) (*document, error) {
	return &document{Title: r.must("tools.title"), Description: r.must("tools.title")}, nil
}

func parseTools(string) (any, error) { return struct{}{}, nil }
