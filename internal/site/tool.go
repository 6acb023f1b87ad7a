package site

var toolTexts = texts{
	"tool.title": {"Outil", "Tool"},
}

func viewTool(r *request) (*document, error) {
	return &document{Title: r.must("tool.title"), Description: r.must("tool.title")}, nil
}
