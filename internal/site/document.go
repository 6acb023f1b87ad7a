package site

import (
	"html/template"
	"net/http"
	"strings"

	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/locale"
)

// A request is a request for a page: all that the page may depend on.
type request struct {
	*edition
	writer
	router  router
	baseURL string // "" is the catalog's
	contact string // "" for none
	kind    *kind
	slug    string // of an item
	params  any    // what kind.parse read
	files   *files // nil but in a preview
}

// A document is what a page says, before it is HTML.
type document struct {
	Status      int    // 200 when 0
	Title       string // without the name of the service
	Description string
	// API lists the calls that give the same data, as paths. The first is the page's own: it is its
	// alternate form.
	API     []string
	NoIndex bool
	Image   string // the path of the picture to share; "" for the general one
	Data    []any  // JSON-LD
	// Redirect is the path where to find it instead; the rest is then empty.
	Redirect string
	Body     any // what the template of the kind shows
}

func (d *document) status() int {
	switch {
	case d.Redirect != "":
		return http.StatusPermanentRedirect
	case d.Status == 0:
		return http.StatusOK
	default:
		return d.Status
	}
}

// A frame is what the layout shows around every page.
type frame struct {
	*document
	Lang       locale.Language
	Kind       string
	Section    string
	Service    catalog.Service
	Edition    catalog.Edition
	Canonical  string
	Alternates []alternate // in every language, itself included; none for a page without a path
	Feeds      []feedLink
	Sections   []section
	ImageURL   string
	Files      *files // nil but in a preview
}

// A feedLink leads to a feed.
type feedLink struct{ Title, Path string }

// An alternate is the page in a language.
type alternate struct {
	Lang     locale.Language
	URL      string // absolute
	Path     string
	XDefault bool
}

// A section is an entry of the masthead.
type section struct {
	Name, Path string
	Current    bool
}

// sections are the entries of the masthead, by kind.
var sections = []string{"tools", "comparisons", "prices", "cemetery", "journal", "plans"}

func (r *request) frame(d *document) frame {
	f := frame{
		document: d, Lang: r.Language, Service: r.Service(), Edition: r.Edition(), Files: r.files,
	}
	d.NoIndex = d.NoIndex || r.files != nil
	image := d.Image
	if image == "" {
		image = r.path("card", "")
	}
	f.ImageURL = r.base() + image
	current := ""
	if r.kind != nil {
		f.Kind, current = r.kind.name, r.kind.section
		f.Canonical = r.canonical(r.Language)
		f.Feeds = r.feedLinks()
		for _, l := range locale.Languages() {
			f.Alternates = append(f.Alternates, alternate{
				Lang: l, URL: r.canonical(l), Path: r.kind.path(l, r.slug), XDefault: l == locale.French,
			})
		}
	}
	for _, name := range sections {
		k := r.router.kinds[name]
		if k == nil {
			continue
		}
		f.Sections = append(f.Sections, section{
			Name: r.must("nav." + name), Path: k.path(r.Language, ""), Current: name == current,
		})
	}
	return f
}

// base is the site's own address, without a slash at its end.
func (r *request) base() string { return ownBase(r.Service(), r.baseURL) }

// canonical is the address of the page in a language.
func (r *request) canonical(l locale.Language) string { return r.address(r.kind, l, r.slug) }

// address is the canonical address of a page. The French pages of items are where the catalog says,
// which the API names too.
func (r *request) address(k *kind, l locale.Language, slug string) string {
	if l == locale.French {
		if p := pattern(r.Service().Site, k.name); p != "" {
			return strings.ReplaceAll(p, catalog.SlugPlaceholder, slug)
		}
	}
	return r.base() + k.path(l, slug)
}

// path is where a page is, in the language of this one.
func (r *request) path(kind, slug string) string {
	return r.router.kinds[kind].path(r.Language, slug)
}

// feedLinks are the feeds of the page.
func (r *request) feedLinks() []feedLink {
	var links []feedLink
	for _, name := range r.kind.feeds {
		links = append(links, feedLink{r.must("feed." + name), r.path(name, r.slug)})
	}
	return links
}

// A call is a call of the API that gives what a page shows.
type call struct {
	Path string
	Curl string // to copy
}

func (r *request) call(path string) call {
	return call{Path: path, Curl: "curl '" + r.base() + path + "'"}
}

// raw marks markup that our own packages made.
func raw(s string) template.HTML { return template.HTML(s) } //nolint:gosec // it is ours
