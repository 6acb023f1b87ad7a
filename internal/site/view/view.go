// Package view is what all pages of the site share: what they are made from, and what they return.
//
// Begin with View: a page is a function from it, and from what else its parameters name, to a Document or
// a File. The package makes no page itself, answers no request and keeps nothing.
package view

import (
	"html/template"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/palmares-hq/palmares/internal/address"
	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/figures"
	"github.com/palmares-hq/palmares/internal/layout"
	"github.com/palmares-hq/palmares/internal/locale"
	"github.com/palmares-hq/palmares/internal/throttle"
)

// A View is what every page is made from. A page that needs more takes it as a parameter.
type View struct {
	Text     layout.Writer // sentences, numbers and dates in the language of the page
	Catalog  *catalog.Snapshot
	Figures  *figures.Figures // of the catalog, today
	Site     *Site
	Throttle *throttle.Throttle // nil if a reader waits for the page
}

// A Site is what pages say about the installation that serves them.
type Site struct {
	BaseURL  string // the site's own address, without a slash at its end; "" is the catalog's
	Contact  string // the e-mail address that errors are reported to; "" names none
	Accounts bool   // there are account pages
	Closed   bool   // nobody can sign up
	Reports  bool   // errors are reported by a form
	Checkout bool   // Pro is bought on the account pages
	VAT      string // the rules by which Pro is sold; "" if it is not
	Preview  bool   // it stands in for the site that the catalog is for
}

// Foreign reports whether the page is in another language than the texts of the catalog.
func (v *View) Foreign() bool { return v.Text.Language != locale.French }

// Operator returns the operator of the site as the catalog describes it.
func (v *View) Operator() layout.Operator { return v.Text.Operator(v.Catalog, v.Site.Contact) }

// Path returns the path of a page in the language of this one.
func (v *View) Path(p address.Page, items ...string) string { return p.At(v.Text.Language, items...) }

// Base returns the site's own address, without a slash at its end.
func (v *View) Base() string { return Base(v.Catalog.Service(), v.Site.BaseURL) }

// Base returns the configured address, or else the catalog's, without a slash at its end.
func Base(s catalog.Service, baseURL string) string {
	if baseURL != "" {
		return baseURL
	}
	return strings.TrimSuffix(s.URL, "/")
}

// Host returns the host of the site's own address.
func (v *View) Host() string {
	u, err := url.Parse(v.Base())
	if err != nil {
		return ""
	}
	return u.Hostname()
}

// Canonical returns the canonical address of a page in the language of this one.
func (v *View) Canonical(p address.Page, slug string) string {
	return v.CanonicalIn(v.Text.Language, p, slug)
}

// CanonicalIn returns the canonical address of a page in a language. For the French pages of items it is the address
// in the catalog, which the API has too.
func (v *View) CanonicalIn(l locale.Language, p address.Page, slug string) string {
	if l == locale.French {
		if pattern := v.Pattern(p); pattern != "" {
			return strings.ReplaceAll(pattern, catalog.SlugPlaceholder, slug)
		}
	}
	return v.Base() + p.At(l, slug)
}

// Pattern returns the address in the catalog of the French pages of a kind; "" if they are where this site has them.
// A preview stands in for the site that the catalog describes, and has them itself.
func (v *View) Pattern(p address.Page) string {
	s := v.Catalog.Service()
	given := Pattern(s.Site, p)
	if v.Site.Preview && given == Base(s, "")+p.French {
		return ""
	}
	return given
}

// Pattern returns the address in the catalog of a kind of page; "" if it has none.
func Pattern(s catalog.Site, p address.Page) string {
	switch p {
	case address.Tool:
		return s.Tool
	case address.Review:
		return s.Review
	case address.Alternatives:
		return s.Alternatives
	case address.Comparison:
		return s.Comparison
	default:
		return ""
	}
}

// Image returns the path of the picture of a tool for link previews.
func (v *View) Image(slug string) string { return v.Path(address.ToolCard, slug) }

// Call returns the call of the API that gives what a page shows.
func (v *View) Call(path string) layout.Call {
	return layout.Call{Path: path, Curl: "curl '" + v.Base() + path + "'"}
}

// Category returns the label of a category.
func (v *View) Category(slug string) string {
	c := v.CategoryOf(slug)
	return v.Text.Choose(c.Label, c.English)
}

// MarkedCategory returns the label of a category as markup.
func (v *View) MarkedCategory(slug string) template.HTML {
	c := v.CategoryOf(slug)
	return v.Text.Translated(c.Label, c.English)
}

// CategoryOf returns a category; an unknown one is labelled with its slug.
func (v *View) CategoryOf(slug string) catalog.Category {
	for _, c := range v.Catalog.Categories() {
		if c.Slug == slug {
			return c.Category
		}
	}
	return catalog.Category{Slug: slug, Label: slug}
}

// HasCategory reports whether the catalog has a category.
func (v *View) HasCategory(slug string) bool {
	return slices.ContainsFunc(v.Catalog.Categories(), func(c catalog.CategoryStats) bool { return c.Slug == slug })
}

// FeedLinks returns links to feeds. slug is for the feeds of an item.
func (v *View) FeedLinks(feeds []address.Page, slug string) []layout.FeedLink {
	var links []layout.FeedLink
	for _, feed := range feeds {
		links = append(links, layout.FeedLink{Title: v.Text.Must("feed." + feed.Name), Path: v.Path(feed, slug)})
	}
	return links
}

// A Document is a page before it is rendered as HTML.
type Document struct {
	Template    string       // the name of the template that shows the body
	Section     address.Page // the entry of the masthead that it belongs to; none when zero
	Status      int          // 200 when 0, or 308 with a redirect
	Title       string       // without the name of the service
	TitleAlone  bool         // the title has the name of the service in it
	TitleFrench bool         // the title is the catalog's own, and in French
	Description string
	// API lists the paths of the calls that give the same data. The first is the page's own: it is its alternate
	// form.
	API      []string
	Markdown string         // the path of the page as Markdown; "" for none
	Feeds    []address.Page // with news of this page; those of an item have its slug
	NoIndex  bool
	Image    string // the path of the picture for link previews; "" for the general one
	Data     []any  // JSON-LD
	Keys     bool   // it shows API keys
	// Translate returns the slug of the page in a language; nil if all languages share one.
	Translate func(locale.Language) string
	// Redirect is the path where to find it instead; the rest is then empty.
	Redirect string
	Body     any // what the template shows
}

// HTTPStatus returns the status of the response.
func (d *Document) HTTPStatus() int {
	switch {
	case d.Redirect != "" && d.Status == 0:
		return http.StatusPermanentRedirect
	case d.Status == 0:
		return http.StatusOK
	default:
		return d.Status
	}
}

// A File is anything but a page: a feed, a sitemap, Markdown, a drawing.
type File struct {
	Type string // the Content-Type
	Body []byte
	Tag  string // the entity tag is made from it; "" for the body

	// Redirect is the path where to find it instead; the rest is then empty.
	Redirect string
}

// Types of files.
const (
	MarkdownType = "text/markdown; charset=utf-8"
	PlainType    = "text/plain; charset=utf-8"
)

// Lines is a builder of text, mostly Markdown.
type Lines struct {
	Base string // of links
	text strings.Builder
}

// Line writes a line from its parts.
func (w *Lines) Line(parts ...string) {
	for _, p := range parts {
		w.text.WriteString(p)
	}
	w.text.WriteByte('\n')
}

// Link writes a list item with a link, and a note if there is one.
func (w *Lines) Link(name, path, note string) {
	if note != "" {
		note = ": " + note
	}
	w.Line("- [", name, "](", w.Base, path, ")", note)
}

// Write writes text that has its own line breaks.
func (w *Lines) Write(text string) { w.text.WriteString(text) }

// File returns what was written.
func (w *Lines) File(contentType string) *File {
	return &File{Type: contentType, Body: []byte(w.text.String())}
}
