package site

import (
	"bytes"
	"encoding/xml"
	"iter"
	"math"
	"net/http"
	"strconv"
	"strings"

	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/layout"
	"github.com/palmares-hq/palmares/internal/locale"
	"github.com/palmares-hq/palmares/internal/web"
)

// maxPlaces is how many addresses a file of the sitemap may have, by sitemaps.org.
const maxPlaces = 50_000

const (
	xmlType         = "application/xml; charset=utf-8"
	sitemapBegin    = `<?xml version="1.0" encoding="UTF-8"?>` + "\n"
	sitemapSpace    = ` xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">` + "\n"
	sitemapPartName = "sitemap-"
)

// A place is a page that search engines should know. Its other languages are places of their own,
// which its HTML names.
type place struct {
	kind    *kind
	lang    locale.Language
	slug    string
	changed catalog.Date // "" for pages that are about more than one item
}

// places yields every page that is its own canonical address here.
func (r *request) places() iter.Seq[place] {
	return func(yield func(place) bool) {
		base := r.base()
		all := func(kind, slug string, changed catalog.Date) bool {
			k := r.router.kinds[kind]
			for _, l := range locale.Languages() {
				if p := r.pattern(k); l == locale.French && p != "" && p != base+k.paths[l] {
					continue
				}
				if !yield(place{k, l, slug, changed}) {
					return false
				}
			}
			return true
		}
		for _, k := range r.router.all {
			if r.single(k) && !all(k.name, "", "") {
				return
			}
		}
		if !r.guidePlaces(yield) {
			return
		}
		for _, o := range r.reference.All(r.Language) {
			if !all("operation", o.Slug, "") {
				return
			}
		}
		for _, c := range r.Categories() {
			if !all("category", c.Slug, "") {
				return
			}
		}
		r.items(all)
	}
}

// single reports whether a kind is one page that search engines should know. What they kept of a page
// that says what is so now would not be so, and one that the operator has not written says nothing.
func (r *request) single(k *kind) bool {
	if k.view == nil || k.live || strings.Contains(k.paths[locale.French], catalog.SlugPlaceholder) {
		return false
	}
	file := layout.OwnPage(k.name)
	if file == "" {
		return true
	}
	_, written := r.OperatorFile(file + catalog.FrenchPage)
	return written
}

// guidePlaces goes through the guides, whose slugs are of their language, until visit returns false.
func (r *request) guidePlaces(visit func(place) bool) bool {
	for _, l := range locale.Languages() {
		for _, g := range r.guides.All(l) {
			if !visit(place{r.router.kinds["guide"], l, g.Slug, ""}) {
				return false
			}
		}
	}
	return true
}

// items goes through the pages of items until visit returns false.
func (r *request) items(visit func(kind, slug string, changed catalog.Date) bool) {
	whole := catalog.Paging{Page: 1, Limit: math.MaxInt32}
	for _, c := range r.Comparisons(catalog.ComparisonQuery{Paging: whole}).Items {
		if !visit("comparison", c.Slug, c.UpdatedAt) {
			return
		}
	}
	reviews := r.HasReviews()
	for _, t := range r.Tools(catalog.ToolQuery{Paging: whole, Order: catalog.NameAsc}).Items {
		if !visit("tool", t.Slug, t.UpdatedAt) || !visit("alternatives", t.Slug, t.UpdatedAt) ||
			reviews && t.Review.Exists() && !visit("review", t.Slug, t.UpdatedAt) {
			return
		}
	}
	for _, dead := range r.Cemetery(catalog.CemeteryQuery{Paging: whole}).Items {
		if !visit("tool", dead.Slug, dead.RetiredAt) || !visit("alternatives", dead.Slug, dead.RetiredAt) {
			return
		}
	}
}

// sitemapParts says when each file of the sitemap last changed: of its addresses, the latest. It is
// counted once, because whoever asks for a file that does not exist must not cost a walk through
// the catalog.
func (r *request) sitemapParts() []catalog.Date {
	r.countSitemap.Do(func() {
		n := 0
		for p := range r.places() {
			if n%maxPlaces == 0 {
				r.sitemap = append(r.sitemap, "")
			}
			last := &r.sitemap[len(r.sitemap)-1]
			*last = max(*last, p.changed)
			n++
		}
	})
	return r.sitemap
}

// rawSitemap is the whole sitemap or, where that is too much for a file, the list of its files.
func rawSitemap(r *request) (string, []byte, error) {
	parts := r.sitemapParts()
	if len(parts) <= 1 {
		return xmlType, r.sitemapPart(0), nil
	}
	var b bytes.Buffer
	b.WriteString(sitemapBegin + "<sitemapindex" + sitemapSpace)
	for i, changed := range parts {
		b.WriteString("<sitemap><loc>")
		b.WriteString(escapeXML(r.base() + "/" + sitemapPartName + strconv.Itoa(i+1) + ".xml"))
		b.WriteString("</loc>")
		writeChanged(&b, changed)
		b.WriteString("</sitemap>\n")
	}
	b.WriteString("</sitemapindex>\n")
	return xmlType, b.Bytes(), nil
}

// rawSitemapPart is one file of a sitemap that has several.
func rawSitemapPart(r *request) (string, []byte, error) {
	number, named := strings.CutPrefix(r.slug, sitemapPartName)
	n, err := strconv.Atoi(number)
	valid := named && err == nil && number == strconv.Itoa(n) && n >= 1
	if parts := len(r.sitemapParts()); !valid || n > parts || parts == 1 {
		return "", nil, web.Errorf(http.StatusNotFound, "there is no file %s.xml", r.slug)
	}
	return xmlType, r.sitemapPart(n - 1), nil
}

// sitemapPart lists the places of a file, which is counted from 0.
func (r *request) sitemapPart(part int) []byte {
	type form struct {
		kind *kind
		lang locale.Language
	}
	forms := make(map[form][2]string) // what stands before and after a slug, as XML
	var b bytes.Buffer
	b.WriteString(sitemapBegin + "<urlset" + sitemapSpace)
	n := 0
	for p := range r.places() {
		n++
		if n <= part*maxPlaces {
			continue
		}
		if n > (part+1)*maxPlaces {
			break
		}
		f := form{p.kind, p.lang}
		around, ok := forms[f]
		if !ok {
			before, after, _ := strings.Cut(r.base()+p.kind.paths[p.lang], catalog.SlugPlaceholder)
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
	return b.Bytes()
}

func writeChanged(b *bytes.Buffer, day catalog.Date) {
	if day != "" {
		b.WriteString("<lastmod>" + string(day) + "</lastmod>")
	}
}

func escapeXML(s string) string {
	var b strings.Builder
	_ = xml.EscapeText(&b, []byte(s)) // a builder takes everything
	return b.String()
}
