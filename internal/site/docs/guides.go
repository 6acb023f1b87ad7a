package docs

import (
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/palmares-hq/palmares/docs/guides"
	"github.com/palmares-hq/palmares/internal/address"
	"github.com/palmares-hq/palmares/internal/locale"
	"github.com/palmares-hq/palmares/internal/site/guide"
	"github.com/palmares-hq/palmares/internal/site/view"
	"github.com/palmares-hq/palmares/internal/web"
)

// Guides are the guides for those who call the API.
type Guides struct {
	library *guide.Library
	key     string // that samples set
}

// NewGuides reads the guides, which are part of the program. Samples set the key; "" is an ellipsis.
func NewGuides(key string) (*Guides, error) {
	var dirs [2]string
	for _, l := range locale.Languages() {
		dirs[l] = address.Guides.At(l) + "/"
	}
	library, err := guide.Load(guides.Files, guides.Names, dirs)
	return &Guides{library, sampleKey(key)}, err
}

// Slugs are those of all guides in a language, in their order.
func (g *Guides) Slugs(l locale.Language) []string {
	var slugs []string
	for _, x := range g.library.All(l) {
		slugs = append(slugs, x.Slug)
	}
	return slugs
}

// A GuideLink leads to a guide.
type GuideLink struct {
	Path, Title, Description string
	Current                  bool
}

type guidesBody struct {
	Groups []guideGroup
	Source string // the path of the page as Markdown
}

// A guideGroup is guides about one subject.
type guideGroup struct {
	Title  string
	Guides []GuideLink
}

// guideGroups say which guides stand together on their list, by their French names.
var guideGroups = []struct {
	text  string
	names []string
}{
	{"guides.group.start", []string{"demarrage", "authentification", "quotas", "comptes"}},
	{"guides.group.call", []string{"recherche", "sources", "erreurs", "cache", "suivre", "telechargements", "agents", "changements"}},
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
	Guides         []GuideLink
	Previous, Next *GuideLink
	Source         string
}

// Links lead to all guides in their order; current is the slug of the one that is shown, "" for none.
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

// List is the page that lists the guides.
func (g *Guides) List(v *view.View) (*view.Document, error) {
	links, err := g.Links(v, "")
	if err != nil {
		return nil, err
	}
	return &view.Document{
		Template: "guides", Section: address.Guides,
		Title: v.Text.Must("guides.title"), Description: v.Text.Must("guides.description"),
		Markdown: v.Path(address.GuidesSource), Body: guidesBody{groups(v, links), v.Path(address.GuidesSource)},
	}, nil
}

// Page is the page of a guide.
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
	body := guideBody{Page: page, Title: found.Title, Guides: links, Source: v.Path(address.GuideSource, slug)}
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

// Markdown is a guide as Markdown.
func (g *Guides) Markdown(v *view.View, slug string) (*view.File, error) {
	found, err := g.find(v, slug)
	if err != nil {
		return nil, err
	}
	text, err := found.Markdown(g.values(v))
	return &view.File{Type: view.MarkdownType, Body: []byte(text)}, err
}

// ListMarkdown is the list of guides as Markdown.
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

// values are what the guides say of this installation and of its catalog.
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

// signup says who gets an account, and so a key.
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
