package machine

import (
	"strings"

	"github.com/palmares-hq/palmares/internal/address"
	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/layout"
	"github.com/palmares-hq/palmares/internal/locale"
	"github.com/palmares-hq/palmares/internal/site/docs"
	"github.com/palmares-hq/palmares/internal/site/view"
)

var llmsTexts = layout.Texts{
	"llms.summary": {
		"Outils d’intelligence artificielle\u00a0: note sur dix, prix en euros avec leur historique, avis, comparatifs, outils retirés. Chaque page du site est aussi un appel à une API JSON en lecture seule, ouverte sans clé (%s requêtes par jour).",
		"AI tools: a score out of ten, prices in euros with their history, reviews, comparisons, retired tools. Each page of the site is also a call to a read-only JSON API, open without a key (%s requests a day).",
	},
	"llms.figures": {
		"Au %s\u00a0: %s outils, dont %s notés\u202f; %s comparatifs\u202f; %s outils retirés.",
		"On %s: %s tools, %s of them scored; %s comparisons; %s retired tools.",
	},
	"llms.french": {
		"Les textes du catalogue sont en français.",
		"The catalogue is written in French. Pages show the English of a text where there is one; the API answers in French.",
	},
	"llms.credit": {
		"Toute réutilisation de ces données porte cette mention\u00a0: `%s`",
		"Reuse requires this credit line: `%s`",
	},
	"llms.license": {"Licence des données\u00a0: %s (%s).", "Licence of the data: %s (%s)."},
	"llms.pages":   {"Pages", "Pages"},
	"llms.markdown": {
		"Chaque fiche, chaque avis et chaque comparatif existe aussi en Markdown\u00a0: ajoutez `.md` à son adresse (`%s`, `%s`, `%s`).",
		"Each tool, review and comparison also exists as Markdown: add `.md` to its URL (`%s`, `%s`, `%s`).",
	},
	"llms.guides":          {"Documentation", "Documentation"},
	"llms.page.guides":     {"les guides, du premier appel aux webhooks", "the guides, from the first call to webhooks"},
	"llms.feeds":           {"Flux", "Feeds"},
	"llms.openapi":         {"tous les appels, leurs paramètres et leurs réponses", "every call, with its parameters and responses"},
	"llms.api.tools":       {"les outils, par note, par nom, par prix, par catégorie\u202f; q cherche des mots, price_max borne le prix mensuel\u202f; un seul à /api/v1/tools/{slug}", "the tools, by score, by name, by price, by category; q searches words, price_max limits the monthly price; a single one at /api/v1/tools/{slug}"},
	"llms.api.comparisons": {"les comparatifs, avec le vainqueur et la raison", "the comparisons, with the winner and why"},
	"llms.api.prices":      {"les prix et leur historique", "the prices and their history"},
	"llms.api.cemetery":    {"les outils retirés, avec la date et la raison", "the retired tools, with the date and the reason"},
	"llms.api.findings":    {"ce qu’il y a à dire des outils que l’on utilise\u00a0: retirés, bientôt arrêtés, plus chers, mal notés", "what there is to say of the tools that you use: retired, ending, dearer, low in score"},
	"llms.api.compare":     {"de deux à cinq outils côte à côte, nommés par identifiant, nom, domaine ou paquet", "two to five tools side by side, named by slug, name, domain or package"},
	"llms.api.bill":        {"ce que coûtent des outils ensemble, mois par mois, passés et à venir", "what tools cost together, month by month, past and to come"},
	"llms.api.changes":     {"ce qui a changé, événement par événement, après un curseur\u00a0: gratuit tant que rien ne change", "what changed, event by event, after a cursor: free while nothing changes"},
	"llms.api.categories":  {"les catégories, avec leur note moyenne", "the categories, with their average score"},
	"llms.api.embeddings":  {"les avis découpés en extraits, pour un index vectoriel", "the reviews in chunks, for a vector index"},
	"llms.api.export":      {"tout le catalogue en fichiers JSONL et CSV, décrits ici", "the whole catalogue as JSONL and CSV files, described here"},
	"llms.page.agents":     {"ce qu’un agent peut demander, et comment brancher le sien", "what an agent can ask, and how to connect yours"},
	"llms.mcp": {
		"Serveur MCP (Streamable HTTP, sans session, en lecture seule), avec les clés et les quotas de l’API\u00a0: `%s`. Ses outils\u00a0: %s.",
		"MCP server (Streamable HTTP, without sessions, read-only), on the keys and quotas of the API: `%s`. Its tools: %s.",
	},
	"llms.page.data":        {"les fichiers à télécharger", "the files to download"},
	"llms.page.tools":       {"tous les outils, à filtrer", "all tools, with filters"},
	"llms.page.comparisons": {"deux outils face à face", "two tools side by side"},
	"llms.page.prices":      {"les prix qui ont bougé", "the prices that moved"},
	"llms.page.cemetery":    {"les outils retirés", "the retired tools"},
	"llms.page.journal":     {"ce que chaque édition a changé", "what each edition changed"},
	"llms.page.plans":       {"les quotas de l’API et son prix", "the API’s quotas and price"},
	"llms.feed.prices":      {"Prix", "Prices"},
	"llms.feed.new":         {"Nouveaux outils", "New tools"},
	"llms.feed.watch":       {"Les outils de votre choix\u00a0: ?outils=a,b,c", "The tools of your choice: ?tools=a,b,c"},
	"llms.feed.cemetery":    {"Outils retirés", "Retired tools"},
	"llms.feed.endings":     {"Fins annoncées", "Announced ends"},
	"llms.sitemap":          {"Plan du site", "Sitemap"},
	"llms.sitemap.note":     {"toutes les adresses", "every URL"},
	"llms.other":            {"This file in English", "Ce fichier en français"},
}

// LLMs returns a function that makes llms.txt (https://llmstxt.org): what the service is and where its API, pages and
// guides are, for language models.
func LLMs(guides *docs.Guides, m docs.MCP) func(v *view.View) (*view.File, error) {
	return func(v *view.View) (*view.File, error) { return llms(v, guides, m) }
}

func llms(v *view.View, guides *docs.Guides, m docs.MCP) (*view.File, error) {
	stats, service := v.Catalog.Stats(), v.Catalog.Service()
	b := &view.Lines{Base: v.Base()}
	line, link := b.Line, b.Link
	line("# ", service.Name)
	line()
	line("> ", v.Text.Must("llms.summary", v.Text.Integer(v.Plans().Anonymous)))
	line()
	line(v.Text.Must("llms.figures", v.Text.Date(v.Catalog.Edition().PublishedAt.UTC()), v.Text.Integer(stats.Tools),
		v.Text.Integer(stats.Tested), v.Text.Integer(stats.Comparisons), v.Text.Integer(stats.Retired)))
	line(v.Text.Must("llms.french"))
	line()
	line(v.Text.Must("llms.credit", service.Credit()))
	if l := service.License; l != "" {
		line(v.Text.Must("llms.license", l.Title(), l.URL()))
	}
	line()
	llmsCalls(v, b)
	line("## MCP")
	line()
	line(v.Text.Must("llms.mcp", v.Base()+m.Path, "`"+strings.Join(m.Tools, "`, `")+"`"))
	line()
	line("## ", v.Text.Must("llms.pages"))
	line()
	for _, s := range v.Text.Sections("") {
		link(s.Name, s.Path, v.Text.Must("llms.page."+s.Kind))
	}
	link(v.Text.Must("agents.title"), v.Path(address.Agents), v.Text.Must("llms.page.agents"))
	link(v.Text.Must("data.title"), v.Path(address.Data), v.Text.Must("llms.page.data"))
	line()
	line(v.Text.Must("llms.markdown", every(v, address.ToolSource), every(v, address.ReviewSource), every(v, address.ComparisonSource)))
	line()
	line("## ", v.Text.Must("llms.guides"))
	line()
	links, err := guides.Links(v, "")
	if err != nil {
		return nil, err
	}
	for _, g := range links {
		link(g.Title, g.Path+".md", g.Description)
	}
	link(v.Text.Must("reference.title"), v.Path(address.ReferenceSource), v.Text.Must("reference.description"))
	line()
	line("## ", v.Text.Must("llms.feeds"))
	line()
	link(v.Text.Must("llms.feed.prices"), v.Path(address.FeedPrices), "Atom")
	link(v.Text.Must("llms.feed.new"), v.Path(address.FeedNew), "Atom")
	link(v.Text.Must("llms.feed.cemetery"), v.Path(address.FeedCemetery), "Atom")
	link(v.Text.Must("llms.feed.endings"), v.Path(address.FeedEndings), "Atom")
	link(v.Text.Must("llms.feed.endings"), v.Path(address.CalendarEndings), "iCalendar")
	link(v.Text.Must("llms.feed.watch"), v.Path(address.FeedWatch), "Atom")
	link(v.Text.Must("llms.feed.watch"), v.Path(address.CalendarWatch), "iCalendar")
	line()
	line("## Optional") // the convention gives this name a meaning
	line()
	link(v.Text.Must("llms.sitemap"), "/sitemap.xml", v.Text.Must("llms.sitemap.note"))
	for _, l := range locale.Languages() {
		if l != v.Text.Language {
			link(v.Text.Must("llms.other"), address.LLMs.At(l), "")
		}
	}
	return b.File(view.PlainType), nil
}

// llmsCalls lists the operations of the API.
func llmsCalls(v *view.View, b *view.Lines) {
	line, link := b.Line, b.Link
	line("## API")
	line()
	link("OpenAPI", "/api/v1/openapi.json", v.Text.Must("llms.openapi"))
	for _, call := range [][2]string{
		{"/api/v1/tools", "tools"},
		{"/api/v1/comparatifs", "comparisons"},
		{"/api/v1/pricing", "prices"},
		{"/api/v1/cimetiere", "cemetery"},
		{"/api/v1/categories", "categories"},
		{"/api/v1/findings?slugs=a,b", "findings"},
		{compareCall(v), "compare"},
		{"/api/v1/bill?items=a,b*5&from=2026-01&to=2026-12", "bill"},
		{"/api/v1/changes", "changes"},
		{"/api/embeddings", "embeddings"},
		{"/api/v1/export/datapackage.json", "export"},
	} {
		if call[0] != "" {
			link("GET "+call[0], call[0], v.Text.Must("llms.api."+call[1]))
		}
	}
	line()
}

// compareCall returns a call that compares two tools of the catalog, since unknown ones are an error; "" if there are
// not two.
func compareCall(v *view.View) string {
	best := v.Catalog.Tools(catalog.ToolQuery{Paging: catalog.Paging{Page: 1, Limit: 2}}).Items
	if len(best) < 2 {
		return ""
	}
	return "/api/v1/compare?items=" + best[0].Slug + "," + best[1].Slug
}

// every returns the pattern of the pages of a kind, with a placeholder for the slug.
func every(v *view.View, p address.Page) string { return v.Base() + p.In(v.Text.Language) }
