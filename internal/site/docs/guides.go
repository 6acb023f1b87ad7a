package docs

import (
	"html/template"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/palmares-hq/palmares/docs/guides"
	"github.com/palmares-hq/palmares/internal/address"
	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/layout"
	"github.com/palmares-hq/palmares/internal/locale"
	"github.com/palmares-hq/palmares/internal/site/guide"
	"github.com/palmares-hq/palmares/internal/site/view"
	"github.com/palmares-hq/palmares/internal/web"
)

// Guides makes the pages of the guides for users of the API.
type Guides struct {
	library *guide.Library
	key     string // the key in samples
}

// NewGuides reads the guides, which are embedded in the program. Samples show the key, or a placeholder if it is "".
func NewGuides(key string) (*Guides, error) {
	var dirs [2]string
	for _, l := range locale.Languages() {
		dirs[l] = address.Guides.At(l) + "/"
	}
	library, err := guide.Load(guides.Files, guides.Names, dirs)
	return &Guides{library, sampleKey(key)}, err
}

// Slugs returns the slugs of all guides in a language, in their order.
func (g *Guides) Slugs(l locale.Language) []string {
	var slugs []string
	for _, x := range g.library.All(l) {
		slugs = append(slugs, x.Slug)
	}
	return slugs
}

// A GuideLink is a link to a guide.
type GuideLink struct {
	Path, Title, Description string
	Current                  bool
}

type guidesBody struct {
	Stay   []stayWay
	Groups []guideGroup
	Source string // the path of the page as Markdown
}

// A guideGroup is the guides about one subject.
type guideGroup struct {
	Title  string
	Guides []GuideLink
}

// A stayWay is a way to learn what changes in the catalog.
type stayWay struct {
	Name, Path string
	Asks, Gets string
	Pushed     bool // the service begins, not the reader
}

// stayWays returns the ways to stay current, the simplest first.
func stayWays(v *view.View) []stayWay {
	var all []stayWay
	for _, w := range []struct {
		name, guide string // the French name of its guide; "" for the feeds
		pushed      bool
	}{
		{"etag", "cache", false},
		{"changes", "suivre", false},
		{"download", "telechargements", false},
		{"webhook", "webhooks", true},
		{"feed", "", false},
	} {
		path := v.Path(address.Journal)
		for _, names := range guides.Names {
			if names[0] == w.guide {
				path = v.Path(address.Guide, names[v.Text.Language])
			}
		}
		all = append(all, stayWay{
			v.Text.Must("stay.name." + w.name), path, v.Text.Must("stay.asks." + w.name), v.Text.Must("stay.gets." + w.name), w.pushed,
		})
	}
	return all
}

// guideGroups are the groups of the list of guides, with the French names of their guides.
var guideGroups = []struct {
	text  string
	names []string
}{
	{"guides.group.start", []string{"demarrage", "comptes", "authentification", "quotas", "alertes"}},
	{"guides.group.call", []string{"recherche", "sources", "historique", "erreurs", "cache", "suivre", "telechargements", "agents", "changements"}},
	{"guides.group.clients", []string{"client-go", "client-python", "client-typescript", "audit"}},
	{"guides.group.chunks", []string{"embeddings", "synchronisation"}},
	{"guides.group.webhooks", []string{"webhooks", "recepteurs"}},
}

// groups puts links to all guides into their groups.
func groups(v *view.View, links []GuideLink) []guideGroup {
	var all []guideGroup
	for _, g := range guideGroups {
		made := guideGroup{Title: v.Text.Must(g.text)}
		for _, name := range g.names {
			i := slices.IndexFunc(guides.Names, func(names [2]string) bool { return names[0] == name })
			made.Guides = append(made.Guides, links[i])
		}
		all = append(all, made)
	}
	return all
}

type guideBody struct {
	guide.Page
	Title          string
	Groups         []guideGroup
	Previous, Next *GuideLink
	Source         string
}

// Links returns links to all guides in their order; current is the slug of the one shown, "" for none.
func (g *Guides) Links(v *view.View, current string) ([]GuideLink, error) {
	var links []GuideLink
	values := g.values(v)
	for _, x := range g.library.All(v.Text.Language) {
		description, err := x.Summary(values)
		if err != nil {
			return nil, err
		}
		links = append(links, GuideLink{v.Path(address.Guide, x.Slug), x.Title, description, x.Slug == current})
	}
	return links, nil
}

// List returns the page that lists the guides.
func (g *Guides) List(v *view.View) (*view.Document, error) {
	links, err := g.Links(v, "")
	if err != nil {
		return nil, err
	}
	return &view.Document{
		Template: "guides", Section: address.Guides,
		Title: v.Text.Must("guides.title"), Description: v.Text.Must("guides.description"),
		Markdown: v.Path(address.GuidesSource), Body: guidesBody{stayWays(v), groups(v, links), v.Path(address.GuidesSource)},
	}, nil
}

// Page returns the page of a guide.
func (g *Guides) Page(v *view.View, slug string) (*view.Document, error) {
	found, err := g.find(v, slug)
	if err != nil {
		return nil, err
	}
	page, err := g.library.HTML(found, g.values(v), labels(v))
	if err != nil {
		return nil, err
	}
	links, err := g.Links(v, slug)
	if err != nil {
		return nil, err
	}
	n := found.Number
	body := guideBody{Page: page, Title: found.Title, Groups: groups(v, links), Source: v.Path(address.GuideSource, slug)}
	if n > 0 {
		body.Previous = &links[n-1]
	}
	if n+1 < len(links) {
		body.Next = &links[n+1]
	}
	return &view.Document{
		Template: "guide", Section: address.Guides,
		Title: found.Title, Description: links[n].Description, Markdown: body.Source, Body: body,
		Keys:      found.Fills("key") || found.Fills("signup"),
		Translate: func(l locale.Language) string { return g.library.Translate(slug, v.Text.Language, l) },
	}, nil
}

func (g *Guides) find(v *view.View, slug string) (*guide.Guide, error) {
	if found := g.library.Find(v.Text.Language, slug); found != nil {
		return found, nil
	}
	return nil, web.Errorf(http.StatusNotFound, "there is no guide %s", web.Quote(slug))
}

// Markdown returns a guide as Markdown.
func (g *Guides) Markdown(v *view.View, slug string) (*view.File, error) {
	found, err := g.find(v, slug)
	if err != nil {
		return nil, err
	}
	text, err := found.Markdown(g.values(v))
	return &view.File{Type: view.MarkdownType, Body: []byte(text)}, err
}

// ListMarkdown returns the list of guides as Markdown.
func (g *Guides) ListMarkdown(v *view.View) (*view.File, error) {
	b := &view.Lines{Base: v.Base()}
	b.Line("# ", v.Text.Must("guides.title"))
	b.Line()
	b.Line(v.Text.Must("guides.description"))
	links, err := g.Links(v, "")
	if err != nil {
		return nil, err
	}
	heading := func(text string) {
		b.Line()
		b.Line("## ", text)
		b.Line()
	}
	heading(v.Text.Must("guides.group.reference"))
	b.Link(v.Text.Must("reference.title"), v.Path(address.ReferenceSource), v.Text.Must("reference.description"))
	for _, group := range groups(v, links) {
		heading(group.Title)
		for _, link := range group.Guides {
			b.Link(link.Title, link.Path+".md", link.Description)
		}
	}
	return b.File(view.MarkdownType), nil
}

// values returns the values that the guides fill in about this installation and its catalog.
func (g *Guides) values(v *view.View) guide.Values {
	p, service := v.Plans(), v.Catalog.Service()
	tool := sampleTool(v)
	keys := v.Path(address.Plans)
	if v.Site.Accounts {
		keys = v.Path(address.Keys)
	}
	target, support := v.Text.Must("plans.target.none"), v.Text.Must("plans.no")
	if p.Target != "" {
		target = v.Text.Target(p.Target)
	}
	if p.Support {
		support = v.Text.Must("plans.yes")
	}
	return guide.Values{
		"base": v.Base(), "name": service.Name, "credit": service.Credit(),
		"key": g.key, "signup": signup(v), "keys": keys, "plans": v.Path(address.Plans), "journal": v.Path(address.Journal),
		"openapi": "/api/v1/openapi.json", "reference": v.Path(address.Reference),
		"anonymous": v.Text.Integer(p.Anonymous), "developer": v.Text.Integer(p.Developer),
		"developer.keys": v.Text.Integer(p.DeveloperKeys), "pro.keys": v.Text.Integer(p.ProKeys),
		"pro.target": target, "pro.support": support,
		"embeddings": v.Text.Integer(p.Embeddings), "embeddings.requests": v.Text.Integer(p.Embeddings + 1),
		"tool": tool.Slug, "tool.name": tool.Name,
		"stats": string(v.Catalog.StatsJSON().Body), "tools": strconv.Itoa(v.Catalog.Stats().Tools),
	}
}

// signup returns a sentence that says how to get an account, and so a key.
func signup(v *view.View) string {
	switch contact := v.Operator().Contact; {
	case v.Site.Preview:
		return v.Text.Must("guides.signup.preview")
	case !v.Site.Closed:
		return v.Text.Must("guides.signup")
	case contact.Href == "":
		return v.Text.Must("guides.signup.closed")
	default:
		return v.Text.Must("guides.signup.closed") + " " + v.Text.Must("guides.signup.write", strings.TrimPrefix(contact.Href, "mailto:"))
	}
}

var guidesTexts = layout.Texts{
	"guides.title": {"Documentation", "Documentation"},
	"guides.description": {
		"Appeler l’API\u00a0: premier appel, clés, quotas, erreurs, cache, avis en extraits, agents, webhooks, comptes. Chaque exemple est exécuté à chaque nouvelle version.",
		"How to call the API: first call, keys, quotas, errors, caching, reviews in chunks, agents, webhooks, accounts. Every sample is run for every release.",
	},
	"guides.group.reference": {"Référence", "Reference"},
	"guides.group.start":     {"Pour commencer", "Getting started"},
	"guides.group.call":      {"Appeler l’API", "Calling the API"},
	"guides.group.clients":   {"Clients et audit", "Clients and audit"},
	"guides.group.chunks":    {"Avis en extraits", "Reviews in chunks"},
	"guides.group.webhooks":  {"Webhooks", "Webhooks"},
	"stay.title":             {"Cinq façons de rester à jour", "Five ways to stay current"},
	"stay.you":               {"vous", "you"},
	"stay.us":                {"catalogue", "catalogue"},
	"stay.name.etag":         {"ETag", "ETag"},
	"stay.asks.etag":         {"A-t-il changé\u202f?", "Has it changed?"},
	"stay.gets.etag":         {"Un 304 gratuit, ou la nouvelle réponse.", "A free 304, or the new response."},
	"stay.name.changes":      {"Changements", "Changes"},
	"stay.asks.changes":      {"Quoi de neuf depuis mon curseur\u202f?", "What is new since my cursor?"},
	"stay.gets.changes":      {"Chaque changement, dans l’ordre.", "Every change, in order."},
	"stay.name.download":     {"Téléchargement", "Download"},
	"stay.asks.download":     {"Tout, d’un coup.", "All of it at once."},
	"stay.gets.download":     {"Un fichier, et un curseur pour la suite.", "A file, and a cursor to go on from."},
	"stay.name.webhook":      {"Webhook", "Webhook"},
	"stay.asks.webhook":      {"Prévenez-moi.", "Tell me."},
	"stay.gets.webhook":      {"Chaque changement arrive chez vous, signé.", "Every change comes to you, signed."},
	"stay.name.feed":         {"Flux Atom", "Atom feed"},
	"stay.asks.feed":         {"Qu’est-ce qui vient de paraître\u202f?", "What has just come out?"},
	"stay.gets.feed":         {"Dans un lecteur de flux, sans programme.", "In a feed reader, with no program."},
	"guides.nav":             {"Guides", "Guides"},
	"guides.contents":        {"Sur cette page", "On this page"},
	"guides.around":          {"Guide précédent et suivant", "Previous and next guide"},
	"guides.previous":        {"Précédent", "Previous"},
	"guides.next":            {"Suivant", "Next"},
	"guides.source":          {"Cette page en Markdown", "This page as Markdown"},
	"guides.output":          {"Réponse", "Output"},
	"guides.signup":          {"Une adresse e-mail suffit.", "All you need is an e-mail address."},
	"guides.signup.closed": {
		"Les inscriptions sont fermées ici\u00a0: seules les adresses qui ont déjà un compte peuvent se connecter, et l’exploitant crée les comptes.",
		"Sign-up is closed here: only addresses that already have an account can sign in, and the operator creates accounts.",
	},
	"guides.signup.write": {"Pour en demander un\u00a0: %s.", "To ask for one: %s."},
	"guides.signup.preview": {
		"Cet aperçu n’a pas de comptes\u00a0: ses deux clés sont en haut de la page, et dans le terminal.",
		"This preview has no accounts: its two keys are at the top of the page, and in the terminal.",
	},
	"guides.openapi": {
		"La description OpenAPI (JSON)", "The OpenAPI description (JSON)",
	},
}

// sampleKey returns the key to show in samples: key, or a placeholder if that is "".
func sampleKey(key string) string {
	if key == "" {
		return "plm_…"
	}
	return key
}

// sampleTool returns the tool to use in samples: the best of the first 50 that has chunks, or else the best tool. For
// an empty catalog it makes one up.
func sampleTool(v *view.View) *catalog.Tool {
	const looked = 50
	tools := v.Catalog.Tools(catalog.ToolQuery{Paging: catalog.Paging{Page: 1, Limit: looked}}).Items
	for _, t := range tools {
		if _, err := v.Catalog.EmbeddingsJSON(t.Slug); err == nil {
			return t
		}
	}
	if len(tools) > 0 {
		return tools[0]
	}
	return &catalog.Tool{Slug: "exemple", Name: "Exemple"}
}

// labels returns the words around a sample.
func labels(v *view.View) guide.Labels {
	return guide.Labels{
		Copy: v.Text.Must("frame.copy"), Copied: v.Text.Must("frame.copied"), Output: v.Text.Must("guides.output"),
	}
}

// figure renders code as HTML.
func figure(v *view.View, s guide.Sample) template.HTML { return guide.Figure(s, labels(v)) }
