package site

import (
	"html/template"
	"net/http"
	"net/netip"
	"strings"

	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/layout"
	"github.com/palmares-hq/palmares/internal/locale"
	"github.com/palmares-hq/palmares/internal/site/guide"
	"github.com/palmares-hq/palmares/internal/site/reference"
)

// A request is a request for a page: all that the page may depend on.
type request struct {
	*edition
	writer
	router  router
	baseURL string        // "" is the catalog's
	contact string        // "" for none
	account *AccountPaths // nil where there are no account pages
	privacy Privacy
	// checkout says that Pro is bought there.
	checkout  bool
	closed    bool // nobody can sign up
	kind      *kind
	slug      string // of an item
	params    any    // what kind.parse read
	guides    *guide.Library
	reference *reference.Library
	api       *API
	client    netip.Addr // who asks
	rest      func()     // lets those who wait for other pages go first; does nothing where somebody waits for this one
	figures   figures    // zero but for pages that say what is so now
	files     *files     // nil but in a preview
}

// AccountPaths are the account pages that the site links to.
type AccountPaths struct{ Keys, Plan layout.Paths }

// API is what the reference says of the API.
type API struct {
	Contract, French []byte // openapi.yaml, and its texts in French
	// Show gives the answer to a GET of target from a snapshot, as an account with that plan gets it.
	Show func(s *catalog.Snapshot, target string, plan account.Plan) (Shown, error)
}

// Shown is an answer of the API.
type Shown struct {
	Status int
	Header http.Header
	Body   []byte
}

// A document is what a page says, before it is HTML.
type document struct {
	Status      int    // 200 when 0, or 308 with a redirect
	Title       string // without the name of the service
	Description string
	// API lists the calls that give the same data, as paths. The first is the page's own: it is its
	// alternate form.
	API      []string
	Markdown string // the path of the page as Markdown; "" for none
	NoIndex  bool
	Image    string // the path of the picture to share; "" for the general one
	Data     []any  // JSON-LD
	Keys     bool   // it speaks of API keys
	// Redirect is the path where to find it instead; the rest is then empty.
	Redirect string
	Body     any // what the template of the kind shows
}

func (d *document) status() int {
	switch {
	case d.Redirect != "" && d.Status == 0:
		return http.StatusPermanentRedirect
	case d.Status == 0:
		return http.StatusOK
	default:
		return d.Status
	}
}

// frame is what the layout shows around a document.
func (r *request) frame(d *document) *layout.Frame {
	f := &layout.Frame{
		Lang: r.Language, Title: d.Title, Description: d.Description, NoIndex: d.NoIndex, API: d.API,
		Markdown: d.Markdown, Data: d.Data, Body: d.Body, Service: r.Service(), Edition: r.Edition(),
		Operator: r.Operator(r.Snapshot, r.contact),
		Button:   r.button(),
	}
	if r.files != nil {
		f.Files, f.NoIndex = r.files, true
		if d.Keys {
			f.Files = r.withKeys()
		}
	}
	image := d.Image
	if image == "" {
		image = r.path("card", "")
	}
	f.ImageURL = r.base() + image
	current := ""
	if r.kind != nil {
		f.TitleAlone, current = r.kind.name == "landing", r.kind.section
		f.Canonical = r.canonical(r.Language)
		f.Feeds = r.feedLinks()
		for _, l := range locale.Languages() {
			f.Alternates = append(f.Alternates, layout.Alternate{
				Lang: l, URL: r.canonical(l), Path: r.kind.paths.At(l, r.slugIn(l)), XDefault: l == locale.French,
			})
		}
	}
	f.Sections = r.Sections(current)
	return f
}

// button is that of the masthead: a key, or where nobody new gets one the account, or where there are no
// accounts a first call without one.
func (r *request) button() layout.Button {
	if r.account != nil && r.closed {
		return layout.Button{Text: r.Must("plans.enter"), Path: r.account.Keys.At(r.Language, "")}
	}
	if r.account != nil {
		return layout.Button{Text: r.Must("plans.key"), Path: r.account.Keys.At(r.Language, "")}
	}
	return layout.Button{Text: r.Must("frame.firstcall"), Path: r.path("landing", "") + "#appel"}
}

// base is the site's own address, without a slash at its end.
func (r *request) base() string { return ownBase(r.Service(), r.baseURL) }

// canonical is the address of the page in a language.
func (r *request) canonical(l locale.Language) string { return r.address(r.kind, l, r.slugIn(l)) }

// slugIn is the slug of the page in a language.
func (r *request) slugIn(l locale.Language) string {
	if r.kind.translate == nil {
		return r.slug
	}
	return r.kind.translate(r, l)
}

// address is the canonical address of a page. The French pages of items are where the catalog says,
// which the API names too.
func (r *request) address(k *kind, l locale.Language, slug string) string {
	if l == locale.French {
		if p := r.pattern(k); p != "" {
			return strings.ReplaceAll(p, catalog.SlugPlaceholder, slug)
		}
	}
	return r.base() + k.paths.At(l, slug)
}

// pattern is where the catalog says that the French pages of a kind are; "" when they are where this
// site has them. A preview stands in for the site that the catalog is for.
func (r *request) pattern(k *kind) string {
	s := r.Service()
	given := pattern(s.Site, k.name)
	if r.files != nil && given == ownBase(s, "")+k.paths[locale.French] {
		return ""
	}
	return given
}

// path is where a page is, in the language of this one.
func (r *request) path(kind, slug string) string {
	return r.router.kinds[kind].paths.At(r.Language, slug)
}

// feedLinks are the feeds of the page.
func (r *request) feedLinks() []layout.FeedLink {
	var links []layout.FeedLink
	for _, name := range r.kind.feeds {
		links = append(links, layout.FeedLink{Title: r.Must("feed." + name), Path: r.path(name, r.slug)})
	}
	return links
}

// withKeys is what a page of a preview shows that speaks of keys.
func (r *request) withKeys() *files {
	f := *r.files
	if f.keys != (PreviewKeys{}) {
		f.Keys = []shownKey{{r.Must("plans.developer"), f.keys.Developer}, {r.Must("plans.pro"), f.keys.Pro}}
	}
	return &f
}

// noKey is what samples have in the place of a key.
const noKey = "plm_…"

// sampleKey is the key that samples set: that of the preview, or none.
func (r *request) sampleKey() string {
	if r.files == nil || r.files.keys.Developer == "" {
		return noKey
	}
	return r.files.keys.Developer
}

type call = layout.Call

// call is a call of the API that gives what a page shows.
func (r *request) call(path string) call {
	return call{Path: path, Curl: "curl '" + r.base() + path + "'"}
}

// raw marks markup that our own packages made.
func raw(s string) template.HTML { return template.HTML(s) } //nolint:gosec // it is ours
