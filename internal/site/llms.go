package site

import (
	"github.com/palmares-hq/palmares/internal/locale"
)

var llmsTexts = texts{
	"llms.summary": {
		"Outils d’intelligence artificielle\u00a0: note sur dix, prix en euros avec leur historique, avis, comparatifs, outils retirés. Chaque page du site est aussi un appel d’une API JSON en lecture, ouverte sans clé (%s requêtes par jour).",
		"AI tools: a score out of ten, prices in euros with their history, reviews, comparisons, retired tools. Each page of the site is also a call of a read-only JSON API, open without a key (%s requests a day).",
	},
	"llms.figures": {
		"Au %s\u00a0: %s outils, dont %s notés\u202f; %s comparatifs\u202f; %s outils retirés.",
		"On %s: %s tools, %s of them scored; %s comparisons; %s retired tools.",
	},
	"llms.french": {
		"Les textes du catalogue sont en français.", "The texts of the catalog are in French.",
	},
	"llms.credit": {
		"Toute reprise de ces données porte cette mention\u00a0: `%s`",
		"Whoever reuses this data shows this line: `%s`",
	},
	"llms.pages": {"Pages", "Pages"},
	"llms.twins": {
		"Chaque fiche, chaque avis et chaque comparatif existe aussi en Markdown\u00a0: ajoutez `.md` à son adresse (`%s`, `%s`, `%s`).",
		"Each tool, review and comparison is there as Markdown too: add `.md` to its address (`%s`, `%s`, `%s`).",
	},
	"llms.guides":           {"Documentation", "Documentation"},
	"llms.page.guides":      {"les guides, du premier appel aux webhooks", "the guides, from the first call to webhooks"},
	"llms.feeds":            {"Flux", "Feeds"},
	"llms.openapi":          {"tous les appels, leurs paramètres et leurs réponses", "every call, with its parameters and answers"},
	"llms.api.tools":        {"les outils, par note, par nom, par catégorie\u202f; un seul à /api/v1/tools/{slug}", "the tools, by score, by name, by category; one of them at /api/v1/tools/{slug}"},
	"llms.api.comparisons":  {"les comparatifs, avec le gagnant et la raison", "the comparisons, with the winner and why"},
	"llms.api.prices":       {"les prix et leur historique", "the prices and their history"},
	"llms.api.cemetery":     {"les outils retirés, avec la date et la raison", "the retired tools, with the day and the reason"},
	"llms.api.categories":   {"les catégories, avec leur note moyenne", "the categories, with their average score"},
	"llms.api.embeddings":   {"les avis découpés en morceaux, pour un index vectoriel", "the reviews in chunks, for a vector index"},
	"llms.page.tools":       {"tous les outils, à filtrer", "all tools, with filters"},
	"llms.page.comparisons": {"deux outils face à face", "two tools side by side"},
	"llms.page.prices":      {"les prix qui ont bougé", "the prices that moved"},
	"llms.page.cemetery":    {"les outils retirés", "the retired tools"},
	"llms.page.journal":     {"ce que chaque édition a changé", "what each edition changed"},
	"llms.page.plans":       {"les quotas de l’API et son prix", "the quotas of the API and its price"},
	"llms.feed.prices":      {"Prix", "Prices"},
	"llms.feed.new":         {"Nouveaux outils", "New tools"},
	"llms.feed.cemetery":    {"Outils retirés", "Retired tools"},
	"llms.sitemap":          {"Plan du site", "Sitemap"},
	"llms.sitemap.note":     {"toutes les adresses", "every address"},
	"llms.other":            {"This file in English", "Ce fichier en français"},
}

// rawLLMs is llms.txt: what the service is and where to find it, for programs that read
// (https://llmstxt.org).
func rawLLMs(r *request) (string, []byte, error) {
	stats, service := r.Stats(), r.Service()
	b := &linesWriter{base: r.base()}
	line, link := b.line, b.link
	line("# ", service.Name)
	line()
	line("> ", r.Must("llms.summary", r.Integer(plans().Anonymous)))
	line()
	line(r.Must("llms.figures", r.Date(r.Edition().PublishedAt.UTC()), r.Integer(stats.Tools),
		r.Integer(stats.Tested), r.Integer(stats.Comparisons), r.Integer(stats.Retired)))
	line(r.Must("llms.french"))
	line()
	line(r.Must("llms.credit", service.Credit()))
	line()
	line("## API")
	line()
	link("OpenAPI", "/api/v1/openapi.json", r.Must("llms.openapi"))
	for _, call := range [][2]string{
		{"/api/v1/tools", "tools"},
		{"/api/v1/comparatifs", "comparisons"},
		{"/api/v1/pricing", "prices"},
		{"/api/v1/cimetiere", "cemetery"},
		{"/api/v1/categories", "categories"},
		{"/api/embeddings", "embeddings"},
	} {
		link("GET "+call[0], call[0], r.Must("llms.api."+call[1]))
	}
	line()
	line("## ", r.Must("llms.pages"))
	line()
	for _, s := range r.Sections("") {
		link(s.Name, s.Path, r.Must("llms.page."+s.Kind))
	}
	line()
	line(r.Must("llms.twins", r.everyOf("tool source"), r.everyOf("review source"), r.everyOf("comparison source")))
	line()
	line("## ", r.Must("llms.guides"))
	line()
	guides, err := r.guideLinks("")
	if err != nil {
		return "", nil, err
	}
	for _, g := range guides {
		link(g.Title, g.Path+".md", g.Description)
	}
	link(r.Must("reference.title"), r.path("reference source", ""), r.Must("reference.description"))
	line()
	line("## ", r.Must("llms.feeds"))
	line()
	for _, feed := range []string{"prices", "new", "cemetery"} {
		link(r.Must("llms.feed."+feed), r.path("feed-"+feed, ""), "Atom")
	}
	line()
	line("## Optional") // the convention gives this name a meaning
	line()
	link(r.Must("llms.sitemap"), "/sitemap.xml", r.Must("llms.sitemap.note"))
	for _, l := range locale.Languages() {
		if l != r.Language {
			link(r.Must("llms.other"), r.kind.paths.At(l, ""), "")
		}
	}
	return textType, []byte(b.text.String()), nil
}

// everyOf is the address of the pages of a kind, with a place for the slug.
func (r *request) everyOf(kind string) string {
	return r.base() + r.router.kinds[kind].paths[r.Language]
}
