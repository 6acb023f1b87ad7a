// Package view has the types that all pages of the site share: their input, a View, and their result, a Document or a
// File.
//
// Begin with View: a page is a function that takes one, and any other parameters it needs, and returns a Document or a
// File. The package makes no page itself, answers no request and keeps no state.
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
	Contact  string // the e-mail address for reporting errors; "" for none
	Accounts bool   // there are account pages
	Closed   bool   // nobody can sign up
	Reports  bool   // errors are reported by a form
	Checkout bool   // Pro is bought on the account pages
	VAT      string // the VAT rules under which Pro is sold; "" if it is not
	Preview  bool   // a preview stands in for the site that the catalog describes
}

// Foreign reports whether the page is in another language than the catalog's texts, which are French.
func (v *View) Foreign() bool { return v.Text.Language != locale.French }

// Operator returns the operator of the site as the catalog describes it.
func (v *View) Operator() layout.Operator { return v.Text.Operator(v.Catalog, v.Site.Contact) }

// Path returns the path of page p in the language of this page.
func (v *View) Path(p address.Page, items ...string) string { return p.At(v.Text.Language, items...) }

// Base returns the site's own address, without a slash at its end.
func (v *View) Base() string { return Base(v.Catalog.Service(), v.Site.BaseURL) }

// Base returns baseURL or, if that is "", the catalog's URL, without a slash at its end.
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

// Canonical returns the canonical URL of page p in the language of this page.
func (v *View) Canonical(p address.Page, slug string) string {
	return v.CanonicalIn(v.Text.Language, p, slug)
}

// CanonicalIn returns the canonical URL of page p in a language. For the French page of an item that is the URL that
// the catalog gives, which the API returns too.
func (v *View) CanonicalIn(l locale.Language, p address.Page, slug string) string {
	if l == locale.French {
		if pattern := v.Pattern(p); pattern != "" {
			return strings.ReplaceAll(pattern, catalog.SlugPlaceholder, slug)
		}
	}
	return v.Base() + p.At(l, slug)
}

// Pattern returns the URL pattern that the catalog gives for the French pages of kind p; "" if it gives none. In a
// preview it also returns "" if the pattern is that of the site that the catalog describes: the preview serves those
// pages in its place.
func (v *View) Pattern(p address.Page) string {
	s := v.Catalog.Service()
	given := Pattern(s.Site, p)
	if v.Site.Preview && given == Base(s, "")+p.French {
		return ""
	}
	return given
}

// Pattern returns the URL pattern that catalog.yaml gives for pages of kind p; "" if it gives none.
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

// Call returns the API call for a path, with a curl command to copy.
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

// CategoryOf returns a category by its slug; for an unknown slug, a category with the slug as its label.
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

// FeedLinks returns links to feeds. slug is the item of those feeds that are about one.
func (v *View) FeedLinks(feeds []address.Page, slug string) []layout.FeedLink {
	var links []layout.FeedLink
	for _, feed := range feeds {
		links = append(links, layout.FeedLink{Title: v.Text.Must("feed." + feed.Name), Path: v.Path(feed, slug)})
	}
	return links
}

// A Document is a page before it is rendered as HTML.
type Document struct {
	Template    string       // the name of the template that renders Body
	Section     address.Page // the masthead entry to highlight; none when zero
	Status      int          // 200 when 0, or 308 with a redirect
	Title       string       // without the name of the service
	TitleAlone  bool         // the title has the name of the service in it
	TitleFrench bool         // Title is from the catalog, in French
	Description string
	// API lists the paths of the API calls that return the same data. The first is linked as the page's alternate form.
	API      []string
	Markdown string         // the path of the page as Markdown; "" for none
	Feeds    []address.Page // with news of this page; those of an item have its slug
	NoIndex  bool
	// OwnSearch says that the page has the field of the masthead, so that it is not there twice.
	OwnSearch bool
	Image     string // the path of the picture for link previews; "" for the general one
	Data      []any  // JSON-LD
	Keys      bool   // it shows API keys
	// Canonical is the address of the page that this one repeats; "" for its own.
	Canonical string
	// Query returns the query string, with its question mark, that the page has in a language; nil for none.
	Query func(locale.Language) string
	// Translate returns the slug of the page in a language; nil if all languages share one.
	Translate func(locale.Language) string
	// Redirect is the path to redirect to; all other fields are then empty, except Status.
	Redirect string
	Body     any // the data for Template
}

// HTTPStatus returns the HTTP status of the response: Status or its default.
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

// A File is a response that is not a page: a feed, a sitemap, Markdown, a drawing.
type File struct {
	Type string // the Content-Type
	Body []byte
	Tag  string // the entity tag is derived from it, or from Body if it is ""

	// Redirect is the path to redirect to; all other fields are then empty.
	Redirect string
}

// Types of files.
const (
	MarkdownType = "text/markdown; charset=utf-8"
	PlainType    = "text/plain; charset=utf-8"
)

// Lines is a builder of text, mostly Markdown.
type Lines struct {
	Base string // prefix of the paths in links
	text strings.Builder
}

// Line writes its parts as one line.
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

// Write writes text as it is, with its own line breaks.
func (w *Lines) Write(text string) { w.text.WriteString(text) }

// File returns what was written.
func (w *Lines) File(contentType string) *File {
	return &File{Type: contentType, Body: []byte(w.text.String())}
}
