package view

import (
	"html/template"
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
	Throttle *throttle.Throttle // nil where somebody waits for the page
}

// A Site is what pages say of the installation that serves them.
type Site struct {
	BaseURL  string // the site's own address, without a slash at its end; "" is the catalog's
	Contact  string // the e-mail address that errors are reported to; "" names none
	Accounts bool   // there are account pages
	Closed   bool   // nobody can sign up
	Reports  bool   // errors are reported by a form
	Checkout bool   // Pro is bought on the account pages
	Preview  bool   // it stands in for the site that the catalog is for
}

// Foreign reports whether the page is in another language than the texts of the catalog.
func (v *View) Foreign() bool { return v.Text.Language != locale.French }

// Operator is what the catalog says of whoever runs the site.
func (v *View) Operator() layout.Operator { return v.Text.Operator(v.Catalog, v.Site.Contact) }

// Path is where a page is, in the language of this one.
func (v *View) Path(p address.Page, items ...string) string { return p.At(v.Text.Language, items...) }

// Base is the site's own address, without a slash at its end.
func (v *View) Base() string { return Base(v.Catalog.Service(), v.Site.BaseURL) }

// Base is the address that was configured, or else the catalog's, without a slash at its end.
func Base(s catalog.Service, baseURL string) string {
	if baseURL != "" {
		return baseURL
	}
	return strings.TrimSuffix(s.URL, "/")
}

// Host is that of the site's own address.
func (v *View) Host() string {
	u, err := url.Parse(v.Base())
	if err != nil {
		return ""
	}
	return u.Hostname()
}

// Canonical is the canonical address of a page in the language of this one.
func (v *View) Canonical(p address.Page, slug string) string {
	return v.CanonicalIn(v.Text.Language, p, slug)
}

// CanonicalIn is the canonical address of a page in a language. The French pages of items are where the
// catalog says, which the API names too.
func (v *View) CanonicalIn(l locale.Language, p address.Page, slug string) string {
	if l == locale.French {
		if pattern := v.Pattern(p); pattern != "" {
			return strings.ReplaceAll(pattern, catalog.SlugPlaceholder, slug)
		}
	}
	return v.Base() + p.At(l, slug)
}

// Pattern is where the catalog says that the French pages of a kind are; "" when they are where this
// site has them. A preview stands in for the site that the catalog is for.
func (v *View) Pattern(p address.Page) string {
	s := v.Catalog.Service()
	given := Pattern(s.Site, p)
	if v.Site.Preview && given == Base(s, "")+p.French {
		return ""
	}
	return given
}

// Pattern is the catalog's own for a kind of page; "" when it has none.
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

// Image is the path of the picture that stands for a tool where its pages are shared.
func (v *View) Image(slug string) string { return v.Path(address.ToolCard, slug) }

// Call is a call of the API that gives what a page shows.
func (v *View) Call(path string) layout.Call {
	return layout.Call{Path: path, Curl: "curl '" + v.Base() + path + "'"}
}

// Category is the name of a category.
func (v *View) Category(slug string) string {
	c := v.CategoryOf(slug)
	return v.Text.Choose(c.Label, c.English)
}

// MarkedCategory is the name of a category as markup.
func (v *View) MarkedCategory(slug string) template.HTML {
	c := v.CategoryOf(slug)
	return v.Text.Translated(c.Label, c.English)
}

// CategoryOf is a category, or one that is named by its slug.
func (v *View) CategoryOf(slug string) catalog.Category {
	for _, c := range v.Catalog.Categories() {
		if c.Slug == slug {
			return c.Category
		}
	}
	return catalog.Category{Slug: slug, Label: slug}
}

// HasCategory reports whether there is a category.
func (v *View) HasCategory(slug string) bool {
	return slices.ContainsFunc(v.Catalog.Categories(), func(c catalog.CategoryStats) bool { return c.Slug == slug })
}

// FeedLinks lead to feeds; those of an item have its slug.
func (v *View) FeedLinks(feeds []address.Page, slug string) []layout.FeedLink {
	var links []layout.FeedLink
	for _, feed := range feeds {
		links = append(links, layout.FeedLink{Title: v.Text.Must("feed." + feed.Name), Path: v.Path(feed, slug)})
	}
	return links
}
