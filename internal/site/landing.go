package site

var landingTexts = texts{
	"landing.title": {"Les outils d’IA, testés et notés", "AI tools, tested and scored"},
}

func viewLanding(r *request) (*document, error) {
	return &document{Title: r.must("landing.title"), Description: r.must("landing.title")}, nil
}

func parseLanding(string) (any, error) { return struct{}{}, nil }
