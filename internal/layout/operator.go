package layout

import (
	"html/template"
	"net/http"
	"path"
	"regexp"
	"strconv"
	"strings"

	"github.com/palmares-hq/palmares/internal/address"
	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/locale"
	"github.com/palmares-hq/palmares/internal/web"
)

// An Operator is what the frame shows of the operator.
type Operator struct {
	Theme, Favicon string // paths; "" for none
	Logo           Logo
	Colophon       template.HTML
	Contact        Contact
	Pages          []Section // the pages that the operator writes
	Signed         bool      // the footer names the software
}

// A Section is a link of the masthead or the footer.
type Section struct {
	Kind       string // the name of the page that it links to
	Name, Path string
	Current    bool
}

// A Logo is the logo of the masthead. Without a path, the masthead shows the name of the service.
type Logo struct {
	Path          string
	Width, Height int // in the units of the drawing, for its aspect ratio; 0 if unknown
}

// A Contact is how to reach the operator, from the catalog or else from the node's configuration. Both fields are empty
// if neither has one.
type Contact struct{ Text, Href string }

// Email returns the address to write to; "" if the contact is a page, or none.
func (c Contact) Email() string {
	email, _ := strings.CutPrefix(c.Href, "mailto:")
	if email == c.Href {
		return ""
	}
	return email
}

// Operator returns the operator as a snapshot describes it. contact is the contact that the node is configured with,
// for a catalog without one.
func (w Writer) Operator(s *catalog.Snapshot, contact string) Operator {
	words := s.Service().Words
	o := Operator{
		Theme: ownPath(s, catalog.ThemeFile), Favicon: ownPath(s, catalog.FaviconFile), Logo: logo(s),
		Colophon: w.Say(words.Colophon), Contact: w.contact(words.Contact, contact),
		Signed: s.Service().Name != "" && !words.Unsigned,
	}
	for _, p := range ownPages {
		o.Pages = append(o.Pages, Section{
			Kind: p.page.Name, Name: w.OwnTitle(s, p.page.Name), Path: p.page.At(w.Language),
		})
	}
	return o
}

// ownPages are the pages that the operator writes, with the names of their files.
var ownPages = []struct {
	page address.Page
	file string
}{
	{address.Method, catalog.PageMethod},
	{address.Legal, catalog.PageLegal},
	{address.Privacy, catalog.PagePrivacy},
	{address.Terms, catalog.PageTerms},
}

// OwnPage returns the name of the operator's file for a kind of page, without its language; "" for a page that the
// operator does not write.
func OwnPage(kind string) string {
	for _, p := range ownPages {
		if p.page.Name == kind {
			return p.file
		}
	}
	return ""
}

// OwnTitle returns the title of a page that the operator writes. Until the page about the method is written, its title
// is neutral: only the operator may claim to test the tools.
func (w Writer) OwnTitle(s *catalog.Snapshot, kind string) string {
	if _, written := s.OperatorFile(OwnPage(kind) + catalog.FrenchPage); kind == "method" && !written {
		return w.Must("own.unwritten")
	}
	return w.Must("own." + kind)
}

// Say returns a text of the operator as HTML: on an English page the English one if there is one, else the French,
// marked as such on an English page.
func (w Writer) Say(l catalog.Localized) template.HTML {
	if w.Language == locale.English && l.English != "" {
		return template.HTML(template.HTMLEscapeString(l.English)) //nolint:gosec // it was escaped
	}
	if l.French == "" {
		return ""
	}
	return w.French(l.French)
}

func (w Writer) contact(said catalog.Localized, otherwise string) Contact {
	where := said.French
	if w.Language == locale.English && said.English != "" {
		where = said.English
	}
	if where == "" {
		where = otherwise
	}
	switch {
	case where == "":
		return Contact{}
	case strings.Contains(where, "://"):
		return Contact{Text: w.Must("frame.write"), Href: where}
	}
	return Contact{Text: where, Href: "mailto:" + where}
}

// ownPath returns the path of a file of the operator; "" if there is none. The path has a hash of the file, so that a
// page loads the files of the edition that it was made from.
func ownPath(s *catalog.Snapshot, name string) string {
	f, ok := s.OperatorFile(name)
	if !ok {
		return ""
	}
	const digits = 12
	ext := path.Ext(name)
	return StaticPath + strings.TrimSuffix(name, ext) + "." + f.Hash[:digits] + ext
}

var viewBox = regexp.MustCompile(`viewBox\s*=\s*["']([^"']*)["']`)

func logo(s *catalog.Snapshot) Logo {
	l := Logo{Path: ownPath(s, catalog.LogoFile)}
	f, ok := s.OperatorFile(catalog.LogoFile)
	if !ok {
		return l
	}
	box := viewBox.FindStringSubmatch(f.Text)
	if box == nil {
		return l
	}
	sides := strings.FieldsFunc(box[1], func(r rune) bool { return r == ',' || r <= ' ' })
	if len(sides) == 4 {
		width, _ := strconv.ParseFloat(sides[2], 64) // a logo without an aspect ratio fills its box
		height, _ := strconv.ParseFloat(sides[3], 64)
		l.Width, l.Height = int(width), int(height)
	}
	return l
}

// drawingPolicy keeps an SVG that is opened by itself from running or loading anything, in case our check of the file
// missed something.
var drawingPolicy = web.NewField("Content-Security-Policy", "default-src 'none'; sandbox")

// OwnStatic returns the operator's own files that pages load: logo, favicon and theme.
func OwnStatic(s *catalog.Snapshot) Static {
	files := make(Static)
	for _, name := range []string{catalog.LogoFile, catalog.FaviconFile, catalog.ThemeFile} {
		f, ok := s.OperatorFile(name)
		if !ok {
			continue
		}
		body := []byte(f.Text)
		response := web.NewResponse(http.StatusOK, staticTypes[path.Ext(name)], web.TagOf(body), body, drawingPolicy)
		files[name] = &staticFile{path: ownPath(s, name), response: response.Compress()}
	}
	return files
}
