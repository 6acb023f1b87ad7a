package machine

import (
	"bytes"
	"encoding/xml"
	"iter"
	"math"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"weak"

	"github.com/palmares-hq/palmares/internal/address"
	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/layout"
	"github.com/palmares-hq/palmares/internal/locale"
	"github.com/palmares-hq/palmares/internal/site/docs"
	"github.com/palmares-hq/palmares/internal/site/view"
	"github.com/palmares-hq/palmares/internal/web"
)

// maxEntries is the most addresses that sitemaps.org allows in a file.
const maxEntries = 50_000

const (
	xmlType         = "application/xml; charset=utf-8"
	sitemapBegin    = `<?xml version="1.0" encoding="UTF-8"?>` + "\n"
	sitemapSpace    = ` xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">` + "\n"
	sitemapPartName = "sitemap-"
)

// A Sitemap lists the pages that search engines should index, in several files if one cannot hold them. It is safe for
// concurrent use.
type Sitemap struct {
	static    []address.Page // pages that are about no item
	guides    *docs.Guides
	reference *docs.Reference

	// changed is the date of the last change of each file, which is the latest date of its pages. It is computed once
	// for a snapshot: a request for a file that does not exist must not cost a walk through the catalog.
	mu      sync.Mutex
	of      weak.Pointer[catalog.Snapshot] // the snapshot of changed; weak, so that an old one can be freed
	changed []catalog.Date
}

// NewSitemap returns the sitemap of static pages, guides, operations, and everything in the catalog.
func NewSitemap(static []address.Page, guides *docs.Guides, reference *docs.Reference) *Sitemap {
	return &Sitemap{static: static, guides: guides, reference: reference}
}

// A sitemapEntry is a page in one language. Its translations are entries of their own; the HTML of each page links to
// them.
type sitemapEntry struct {
	page    address.Page
	lang    locale.Language
	slug    string
	changed catalog.Date // "" for pages that are about more than one item
}

// entries yields every page whose canonical address is on this site.
func (m *Sitemap) entries(v *view.View) iter.Seq[sitemapEntry] {
	return func(yield func(sitemapEntry) bool) {
		visit := inEachLanguage(v, yield)
		_ = m.pages(v, visit) && m.guidePages(yield) && m.operationPages(v, visit) && categoryPages(v, visit) && itemPages(v, visit)
	}
}

// A visit is called with a page, for all its languages, and reports whether to go on.
type visit func(page address.Page, slug string, changed catalog.Date) bool

// inEachLanguage returns a visit that yields a page in each language, except a French page that the catalog says is on
// another site.
func inEachLanguage(v *view.View, yield func(sitemapEntry) bool) visit {
	base := v.Base()
	return func(page address.Page, slug string, changed catalog.Date) bool {
		for _, l := range locale.Languages() {
			if p := v.Pattern(page); l == locale.French && p != "" && p != base+page.French {
				continue
			}
			if !yield(sitemapEntry{page, l, slug, changed}) {
				return false
			}
		}
		return true
	}
}

func (m *Sitemap) pages(v *view.View, visit visit) bool {
	for _, page := range m.static {
		if written(v, page) && !visit(page, "", "") {
			return false
		}
	}
	return true
}

// written reports whether a page has content: a page of the operator has none until it is written.
func written(v *view.View, page address.Page) bool {
	file := layout.OwnPage(page.Name)
	if file == "" {
		return true
	}
	_, written := v.Catalog.OperatorFile(file + catalog.FrenchPage)
	return written
}

// guidePages yields the guides. It does not use a visit, because their slugs depend on the language.
func (m *Sitemap) guidePages(yield func(sitemapEntry) bool) bool {
	for _, l := range locale.Languages() {
		for _, slug := range m.guides.Slugs(l) {
			if !yield(sitemapEntry{address.Guide, l, slug, ""}) {
				return false
			}
		}
	}
	return true
}

func (m *Sitemap) operationPages(v *view.View, visit visit) bool {
	for _, slug := range m.reference.Slugs(v.Text.Language) {
		if !visit(address.Operation, slug, "") {
			return false
		}
	}
	return true
}

func categoryPages(v *view.View, visit visit) bool {
	for _, c := range v.Catalog.Categories() {
		if !visit(address.Category, c.Slug, "") {
			return false
		}
	}
	return true
}

// itemPages visits the pages of comparisons and of tools, living and retired.
func itemPages(v *view.View, visit visit) bool {
	all := catalog.Paging{Page: 1, Limit: math.MaxInt32}
	for _, c := range v.Catalog.Comparisons(catalog.ComparisonQuery{Paging: all}).Items {
		if !visit(address.Comparison, c.Slug, c.UpdatedAt) {
			return false
		}
	}
	reviews := v.Catalog.HasReviews()
	for _, t := range v.Catalog.Tools(catalog.ToolQuery{Paging: all, Order: catalog.NameAsc}).Items {
		if !visit(address.Tool, t.Slug, t.UpdatedAt) || !visit(address.Alternatives, t.Slug, t.UpdatedAt) ||
			reviews && t.Review.Exists() && !visit(address.Review, t.Slug, t.UpdatedAt) {
			return false
		}
	}
	for _, dead := range v.Catalog.Cemetery(catalog.CemeteryQuery{Paging: all}).Items {
		if !visit(address.Tool, dead.Slug, dead.RetiredAt) || !visit(address.Alternatives, dead.Slug, dead.RetiredAt) {
			return false
		}
	}
	return true
}

// files returns the date of the last change of each file of the sitemap, in order; "" for a file whose pages have none.
func (m *Sitemap) files(v *view.View) []catalog.Date {
	m.mu.Lock()
	defer m.mu.Unlock()
	if of := weak.Make(v.Catalog); m.of != of {
		m.of, m.changed = of, nil
		n := 0
		for p := range m.entries(v) {
			if n%maxEntries == 0 {
				m.changed = append(m.changed, "")
			}
			last := &m.changed[len(m.changed)-1]
			*last = max(*last, p.changed)
			n++
		}
	}
	return m.changed
}

// File returns the whole sitemap or, if that needs several files, the sitemap index that lists them.
func (m *Sitemap) File(v *view.View) (*view.File, error) {
	files := m.files(v)
	if len(files) <= 1 {
		return m.part(v, 0), nil
	}
	var b bytes.Buffer
	b.WriteString(sitemapBegin + "<sitemapindex" + sitemapSpace)
	for i, changed := range files {
		b.WriteString("<sitemap><loc>")
		b.WriteString(escapeXML(v.Base() + "/" + sitemapPartName + strconv.Itoa(i+1) + ".xml"))
		b.WriteString("</loc>")
		writeChanged(&b, changed)
		b.WriteString("</sitemap>\n")
	}
	b.WriteString("</sitemapindex>\n")
	return &view.File{Type: xmlType, Body: b.Bytes()}, nil
}

// Part returns one file, such as "sitemap-2", of a sitemap that has several; a 404 for any other name.
func (m *Sitemap) Part(v *view.View, name string) (*view.File, error) {
	number, named := strings.CutPrefix(name, sitemapPartName)
	n, err := strconv.Atoi(number)
	valid := named && err == nil && number == strconv.Itoa(n) && n >= 1
	if files := len(m.files(v)); !valid || n > files || files == 1 {
		return nil, web.Errorf(http.StatusNotFound, "there is no file %s.xml", name)
	}
	return m.part(v, n-1), nil
}

// part returns the file with the given index, from 0.
func (m *Sitemap) part(v *view.View, part int) *view.File {
	type form struct {
		page address.Page
		lang locale.Language
	}
	forms := make(map[form][2]string) // what precedes and follows a slug, as XML
	var b bytes.Buffer
	b.WriteString(sitemapBegin + "<urlset" + sitemapSpace)
	n := 0
	for p := range m.entries(v) {
		n++
		if n <= part*maxEntries {
			continue
		}
		if n > (part+1)*maxEntries {
			break
		}
		f := form{p.page, p.lang}
		around, ok := forms[f]
		if !ok {
			before, after, _ := strings.Cut(v.Base()+p.page.In(p.lang), catalog.SlugPlaceholder)
			around = [2]string{escapeXML(before), escapeXML(after)}
			forms[f] = around
		}
		b.WriteString("<url><loc>")
		b.WriteString(around[0])
		b.WriteString(p.slug)
		b.WriteString(around[1])
		b.WriteString("</loc>")
		writeChanged(&b, p.changed)
		b.WriteString("</url>\n")
	}
	b.WriteString("</urlset>\n")
	return &view.File{Type: xmlType, Body: b.Bytes()}
}

func writeChanged(b *bytes.Buffer, day catalog.Date) {
	if day != "" {
		b.WriteString("<lastmod>" + string(day) + "</lastmod>")
	}
}

func escapeXML(s string) string {
	var b strings.Builder
	_ = xml.EscapeText(&b, []byte(s)) // a builder never fails
	return b.String()
}
