package site

import (
	"embed"
	"io/fs"
	"net/netip"
	"path"
	"slices"
	"strings"

	"github.com/palmares-hq/palmares/internal/address"
	"github.com/palmares-hq/palmares/internal/layout"
	"github.com/palmares-hq/palmares/internal/locale"
	"github.com/palmares-hq/palmares/internal/site/about"
	"github.com/palmares-hq/palmares/internal/site/docs"
	"github.com/palmares-hq/palmares/internal/site/machine"
	"github.com/palmares-hq/palmares/internal/site/pages"
	"github.com/palmares-hq/palmares/internal/site/view"
	"github.com/palmares-hq/palmares/internal/throttle"
)

// frame returns the layout around a document. An error page has no route, hence no canonical address, and its alternates are the front page.
func frame(v *view.View, q *request, d *view.Document) *layout.Frame {
	f := &layout.Frame{
		Lang: v.Text.Language, Title: d.Title, TitleAlone: d.TitleAlone, Description: d.Description, NoIndex: d.NoIndex, OwnSearch: d.OwnSearch,
		API: d.API, Markdown: d.Markdown, Data: d.Data, Body: d.Body, Service: v.Catalog.Service(),
		Edition: v.Catalog.Edition(), Operator: v.Operator(), Button: button(v), Sections: v.Text.Sections(d.Section.Name),
		Feeds: v.FeedLinks(d.Feeds, q.slug),
	}
	if d.TitleFrench && v.Foreign() {
		f.TitleLang = locale.French.String()
	}
	if q.files != nil {
		f.Files, f.NoIndex = q.files, true
		if d.Keys {
			f.Files = q.files.withKeys(v.Text)
		}
	}
	if v.Site.Accounts && !v.Site.Closed { // if accounts are closed, the button leads there
		f.Account = v.Path(address.Account)
	}
	if v.Site.Checkout {
		f.Cancel = v.Path(address.EndContract)
	}
	image := d.Image
	if image == "" {
		image = v.Path(address.Card)
	}
	f.ImageURL = v.Base() + image
	if q.route == nil {
		f.Alternates = layout.Instead(address.Landing)
		return f
	}
	for _, l := range locale.Languages() {
		slug := q.slug
		if d.Translate != nil {
			slug = d.Translate(l)
		}
		query := ""
		if d.Query != nil {
			query = d.Query(l)
		}
		f.Alternates = append(f.Alternates, layout.Alternate{
			Lang: l, URL: v.CanonicalIn(l, q.route.address, slug) + query, Path: q.route.address.At(l, slug) + query, XDefault: l == locale.French,
		})
	}
	f.Canonical = d.Canonical
	if f.Canonical == "" {
		f.Canonical = f.Alternates[v.Text.Language].URL
	}
	return f
}

// button returns the button of the masthead. It offers a key; if sign-up is closed, it leads to the account pages;
// without accounts, it leads to a first call that needs no key.
func button(v *view.View) layout.Button {
	switch {
	case v.Site.Accounts && v.Site.Closed:
		return layout.Button{Text: v.Text.Must("plans.enter"), Path: v.Path(address.Keys)}
	case v.Site.Accounts:
		return layout.Button{Text: v.Text.Must("plans.key"), Path: v.Path(address.Keys)}
	default:
		return layout.Button{Text: v.Text.Must("frame.firstcall"), Path: v.Path(address.Landing) + "#appel"}
	}
}

// A request is a request for a page or a file.
type request struct {
	edition  *edition
	route    *route // nil for the page of an error
	lang     locale.Language
	slug     string             // of the item, if the page is about one
	params   any                // the result of the route's parse, measure or ask
	client   netip.Addr         // of the client
	files    *files             // nil unless in a preview
	throttle *throttle.Throttle // nil if a reader waits
}

// kept reports whether caches may store the response: it is the same for all readers until the next edition.
func (q *request) kept() bool { return !q.route.live && !q.route.uncached && !searched(q.params) }

//go:embed templates
var templateFiles embed.FS

// newRenderer parses the templates of all packages of the site.
func newRenderer() (*layout.Renderer, error) {
	files := trees{templateFiles, about.Templates, docs.Templates, pages.Templates}
	found, err := files.Glob("templates/*.html")
	if err != nil {
		return nil, err
	}
	var names []string
	for _, file := range found {
		names = append(names, strings.TrimSuffix(path.Base(file), ".html"))
	}
	return layout.NewRenderer(layout.Options{
		Templates: files, Pages: names, Texts: allTexts(), Functions: pages.Functions,
	})
}

// allTexts returns the sentences of the site, beside those of the layout.
func allTexts() layout.Texts {
	return layout.Join(refusedTexts, formTexts, rendersTexts, previewTexts, view.Texts(), about.Texts(), docs.Texts(), machine.Texts(), pages.Texts())
}

// trees merges several file systems into one, the first match winning: each package of the site has its own templates.
type trees []fs.FS

// Open implements fs.FS.
func (t trees) Open(name string) (fs.File, error) {
	for _, tree := range t {
		if f, err := tree.Open(name); err == nil {
			return f, nil
		}
	}
	return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
}

// Glob implements fs.GlobFS.
func (t trees) Glob(pattern string) ([]string, error) {
	var names []string
	for _, tree := range t {
		found, err := fs.Glob(tree, pattern)
		if err != nil {
			return nil, err
		}
		names = append(names, found...)
	}
	slices.Sort(names)
	return names, nil
}
