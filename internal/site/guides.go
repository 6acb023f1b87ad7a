package site

import (
	"net/http"
	"strconv"
	"strings"

	"github.com/palmares-hq/palmares/docs/guides"
	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/layout"
	"github.com/palmares-hq/palmares/internal/locale"
	"github.com/palmares-hq/palmares/internal/site/guide"
	"github.com/palmares-hq/palmares/internal/web"
)

var guidesTexts = texts{
	"guides.title": {"Documentation", "Documentation"},
	"guides.description": {
		"Appeler l’API\u00a0: premier appel, clés, quotas, erreurs, cache, avis en morceaux, webhooks, comptes. Chaque exemple est exécuté à chaque version du programme.",
		"How to call the API: first call, keys, quotas, errors, caching, reviews in chunks, webhooks, accounts. Every sample is run for each release of the program.",
	},
	"guides.nav":      {"Guides", "Guides"},
	"guides.contents": {"Sur cette page", "On this page"},
	"guides.around":   {"Guide précédent et suivant", "Previous and next guide"},
	"guides.previous": {"Précédent", "Previous"},
	"guides.next":     {"Suivant", "Next"},
	"guides.source":   {"Cette page en Markdown", "This page as Markdown"},
	"guides.output":   {"Réponse", "Output"},
	"guides.signup":   {"Une adresse e-mail suffit.", "An e-mail address is all it takes."},
	"guides.signup.closed": {
		"Les inscriptions sont fermées ici\u00a0: seules les adresses qui ont déjà un compte peuvent se connecter, et c’est l’exploitant qui crée les comptes.",
		"Sign-up is closed here: only addresses that have an account can sign in, and it is the operator who creates accounts.",
	},
	"guides.signup.write": {"Pour en avoir un\u00a0: %s.", "To have one: %s."},
	"guides.signup.preview": {
		"Cet aperçu n’a pas de comptes\u00a0: ses deux clés sont en haut de la page, et dans le terminal.",
		"This preview has no accounts: its two keys are at the top of the page, and in the terminal.",
	},
	"guides.openapi": {
		"La description OpenAPI, pour vos propres outils", "The OpenAPI description, for tools of your own",
	},
}

// loadGuides reads the guides, which are part of the program.
func loadGuides() (*guide.Library, error) {
	var dirs [2]string
	for _, l := range locale.Languages() {
		dirs[l] = layout.PathsOf("guides").At(l, "") + "/"
	}
	return guide.Load(guides.Files, guides.Names, dirs)
}

// A guideLink leads to a guide.
type guideLink struct {
	Path, Title, Description string
	Current                  bool
}

type guidesBody struct {
	Guides []guideLink
	Source string // the path of the page as Markdown
}

type guideBody struct {
	guide.Page
	Title          string
	Guides         []guideLink
	Previous, Next *guideLink
	Source         string
}

// guideLinks lead to all guides in their order; current is the slug of the one that is shown.
func (r *request) guideLinks(current string) ([]guideLink, error) {
	var links []guideLink
	values := r.guideValues()
	for _, g := range r.guides.All(r.Language) {
		description, err := g.Summary(values)
		if err != nil {
			return nil, err
		}
		links = append(links, guideLink{r.path("guide", g.Slug), g.Title, description, g.Slug == current})
	}
	return links, nil
}

func viewGuides(r *request) (*document, error) {
	links, err := r.guideLinks("")
	return &document{
		Title: r.Must("guides.title"), Description: r.Must("guides.description"),
		Markdown: r.path("guides source", ""), Body: guidesBody{links, r.path("guides source", "")},
	}, err
}

func viewGuide(r *request) (*document, error) {
	g, err := r.guide()
	if err != nil {
		return nil, err
	}
	page, err := r.guides.HTML(g, r.guideValues(), guide.Labels{
		Copy: r.Must("frame.copy"), Copied: r.Must("frame.copied"), Output: r.Must("guides.output"),
	})
	if err != nil {
		return nil, err
	}
	links, err := r.guideLinks(g.Slug)
	if err != nil {
		return nil, err
	}
	body := guideBody{Page: page, Title: g.Title, Guides: links, Source: r.path("guide source", g.Slug)}
	if g.Number > 0 {
		body.Previous = &links[g.Number-1]
	}
	if g.Number+1 < len(links) {
		body.Next = &links[g.Number+1]
	}
	return &document{
		Title: g.Title, Description: links[g.Number].Description, Markdown: body.Source, Body: body, Keys: g.Fills("key") || g.Fills("signup"),
	}, nil
}

// guide is the one that the request asks for.
func (r *request) guide() (*guide.Guide, error) {
	if g := r.guides.Find(r.Language, r.slug); g != nil {
		return g, nil
	}
	return nil, web.Errorf(http.StatusNotFound, "there is no guide %s", web.Quote(r.slug))
}

// translateGuide is the slug of the guide in a language.
func translateGuide(r *request, l locale.Language) string {
	return r.guides.Translate(r.slug, r.Language, l)
}

func rawGuide(r *request) (string, []byte, error) {
	g, err := r.guide()
	if err != nil {
		return "", nil, err
	}
	text, err := g.Markdown(r.guideValues())
	return markdownType, []byte(text), err
}

func rawGuides(r *request) (string, []byte, error) {
	var b strings.Builder
	b.WriteString("# " + r.Must("guides.title") + "\n\n" + r.Must("guides.description") + "\n\n")
	links, err := r.guideLinks("")
	for _, link := range links {
		b.WriteString("- [" + link.Title + "](" + r.base() + link.Path + ".md): " + link.Description + "\n")
	}
	b.WriteString("- [" + r.Must("reference.title") + "](" + r.base() + r.path("reference source", "") + "): " +
		r.Must("reference.description") + "\n")
	return markdownType, []byte(b.String()), err
}

// guideValues are what the guides say of this installation and of its catalog.
func (r *request) guideValues() guide.Values {
	p, service := plans(), r.Service()
	tool := r.sampleTool()
	keys := r.path("plans", "")
	if r.account != nil {
		keys = r.account.Keys.At(r.Language, "")
	}
	return guide.Values{
		"base": r.base(), "name": service.Name, "credit": service.Credit(),
		"key": r.sampleKey(), "signup": r.signup(), "keys": keys, "plans": r.path("plans", ""), "journal": r.path("journal", ""),
		"openapi": "/api/v1/openapi.json", "reference": r.path("reference", ""),
		"anonymous": r.Integer(p.Anonymous), "developer": r.Integer(p.Developer),
		"developer.keys": r.Integer(p.DeveloperKeys), "pro.keys": r.Integer(p.ProKeys),
		"embeddings": r.Integer(p.Embeddings), "embeddings.requests": r.Integer(p.Embeddings + 1),
		"tool": tool.Slug, "tool.name": tool.Name,
		"stats": string(r.StatsJSON().Body), "tools": strconv.Itoa(r.Stats().Tools),
	}
}

// signup says who gets an account, and so a key.
func (r *request) signup() string {
	switch contact := r.Operator(r.Snapshot, r.contact).Contact; {
	case r.files != nil:
		return r.Must("guides.signup.preview")
	case !r.closed:
		return r.Must("guides.signup")
	case contact.Href == "":
		return r.Must("guides.signup.closed")
	default:
		return r.Must("guides.signup.closed") + " " + r.Must("guides.signup.write", strings.TrimPrefix(contact.Href, "mailto:"))
	}
}

// sampleTool is the one that samples ask for: the best of those that have chunks, or else the best.
func (r *request) sampleTool() *catalog.Tool {
	const looked = 50
	tools := r.Tools(catalog.ToolQuery{Paging: catalog.Paging{Page: 1, Limit: looked}}).Items
	for _, t := range tools {
		if _, err := r.EmbeddingsJSON(t.Slug); err == nil {
			return t
		}
	}
	if len(tools) > 0 {
		return tools[0]
	}
	return &catalog.Tool{Slug: "exemple", Name: "Exemple"}
}
