package layout

import (
	"fmt"
	"net/url"
	"strings"

	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/locale"
)

// Paths are where a kind of page is in each language. That of an item has {slug} in its last part,
// with or without an extension after it. English is "" for what is there once, for readers of every
// language.
type Paths [2]string

// At is where the page is in a language.
func (p Paths) At(l locale.Language, slug string) string {
	if p[l] == "" {
		l = locale.French
	}
	return strings.Replace(p[l], catalog.SlugPlaceholder, url.PathEscape(slug), 1)
}

// paths are those of every kind of page that others link to, by name.
var paths = map[string]Paths{
	"landing":           {"/", "/en/"},
	"tools":             {"/outils", "/en/tools"},
	"tool":              {"/outils/{slug}", "/en/tools/{slug}"},
	"review":            {"/avis/{slug}", "/en/reviews/{slug}"},
	"tool source":       {"/outils/{slug}.md", "/en/tools/{slug}.md"},
	"review source":     {"/avis/{slug}.md", "/en/reviews/{slug}.md"},
	"comparison source": {"/comparatifs/{slug}.md", "/en/comparisons/{slug}.md"},
	"alternatives":      {"/alternatives/{slug}", "/en/alternatives/{slug}"},
	"category":          {"/categories/{slug}", "/en/categories/{slug}"},
	"comparisons":       {"/comparatifs", "/en/comparisons"},
	"comparison":        {"/comparatifs/{slug}", "/en/comparisons/{slug}"},
	"prices":            {"/prix", "/en/prices"},
	"cemetery":          {"/cimetiere", "/en/cemetery"},
	"journal":           {"/journal", "/en/journal"},
	"plans":             {"/tarifs", "/en/plans"},
	"status":            {"/statut", "/en/status"},
	"method":            {"/comment-nous-testons", "/en/how-we-test"},
	"legal":             {"/mentions-legales", "/en/legal"},
	"privacy":           {"/confidentialite", "/en/privacy"},
	"terms":             {"/conditions", "/en/terms"},
	"guides":            {"/docs", "/en/docs"},
	"guide":             {"/docs/{slug}", "/en/docs/{slug}"},
	"guides source":     {"/docs.md", "/en/docs.md"},
	"guide source":      {"/docs/{slug}.md", "/en/docs/{slug}.md"},
	"reference":         {"/docs/api", "/en/docs/api"},
	"operation":         {"/docs/api/{slug}", "/en/docs/api/{slug}"},
	"operation call":    {"/docs/api/appel/{slug}", "/en/docs/api/call/{slug}"},
	"reference source":  {"/docs/api.md", "/en/docs/api.md"},
	"operation source":  {"/docs/api/{slug}.md", "/en/docs/api/{slug}.md"},
	"feed-prices":       {"/flux/prix.atom"},
	"feed-new":          {"/flux/nouveaux.atom"},
	"feed-cemetery":     {"/flux/cimetiere.atom"},
	"feed-category":     {"/flux/categories/{slug}.atom"},
	"card":              {"/og.png", "/en/og.png"},
	"tool card":         {"/og/{slug}.png", "/en/og/{slug}.png"},
	"badge":             {"/badge/{slug}.svg"},
	"robots":            {"/robots.txt"},
	"sitemap":           {"/sitemap.xml"},
	"sitemap part":      {"/{slug}.xml"},
	"llms":              {"/llms.txt", "/en/llms.txt"},
	"security":          {"/.well-known/security.txt"},
}

// PathsOf are the paths of a kind of page. Names are constants in the code: one that does not exist
// is a fault of ours.
func PathsOf(name string) Paths {
	p, ok := paths[name]
	if !ok {
		panic(noSuchKind(name))
	}
	return p
}

func noSuchKind(name string) error { return fmt.Errorf("there is no kind of page named %q", name) }

// LanguageOf is the language that a path is written in, whether or not there is a page.
func LanguageOf(path string) locale.Language {
	if path == "/en" || strings.HasPrefix(path, "/en/") {
		return locale.English
	}
	return locale.French
}
