// Package layout has what the pages of all packages share: the frame with masthead and footer, the texts in both
// languages, the static files, the response headers, and the renderer that makes HTML of templates. A package with
// pages brings its own templates and texts.
//
// Begin with NewRenderer and Frame. The package has no page of its own except the error page, answers no requests
// except those for static files, and knows nothing of accounts.
package layout

import (
	"fmt"
	"html"
	"html/template"
	"net/http"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/palmares-hq/palmares/internal/address"
	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/locale"
	"github.com/palmares-hq/palmares/internal/web"
)

// A Frame is the data of a page: what the layout shows around it, and its body.
type Frame struct {
	Lang       locale.Language
	Title      string // without the name of the service
	TitleAlone bool   // the title already has the name of the service
	TitleLang  string // the language of the title; "" for that of the page
	// Description is for search engines and link previews.
	Description string
	NoIndex     bool
	OwnSearch   bool // the page has a field of its own to search in
	Service     catalog.Service
	Operator    Operator
	Edition     catalog.Edition
	Canonical   string      // absolute; "" for a page without a path
	Alternates  []Alternate // the page in every language, its own included; of an error, the front page
	API         []string    // the paths of calls that give the same data
	Markdown    string      // the path of the page as Markdown; "" for none
	Feeds       []FeedLink
	ImageURL    string // of the picture for link previews, absolute; "" for none
	Data        []any  // JSON-LD
	Sections    []Section
	Button      Button // of the masthead
	// Account is the path of the account pages; "" for no link to them. It is the same for everybody: a page never
	// depends on who reads it.
	Account string
	// Cancel is the path of the page that cancels a subscription; "" where none is sold.
	Cancel string
	// Files is the data of the caller's templates "scripts", in the head, and "notices", above the masthead, if it has
	// them.
	Files any
	Body  any // what the template of the page shows
}

// longName is the longest name, in characters, that the masthead shows in large letters beside its sections.
const longName = 24

// LongName reports whether the name of the service is so long that the masthead shows it in smaller letters, on several
// lines.
func (f *Frame) LongName() bool {
	return f.Operator.Logo.Path == "" && utf8.RuneCountInString(f.Service.Name) > longName
}

// An Alternate is the address of the page in one language.
type Alternate struct {
	Lang     locale.Language
	URL      string // absolute; "" for a page that is not this one, as that of an error leads to the front page
	Path     string
	XDefault bool
}

// Instead returns the alternates of a page that has no path of its own: another page, in every language.
func Instead(p address.Page) []Alternate {
	var all []Alternate
	for _, l := range locale.Languages() {
		all = append(all, Alternate{Lang: l, Path: p.At(l)})
	}
	return all
}

// A FeedLink is a link to a feed.
type FeedLink struct{ Title, Path string }

// A Button is the highlighted link of the masthead; none without a text.
type Button struct{ Text, Path string }

// sections are the entries of the masthead.
var sections = []address.Page{
	address.Tools, address.Comparisons, address.Prices, address.Cemetery, address.Journal, address.Plans, address.Guides,
}

// Sections returns the entries of the masthead. current is the name of the page's section; "" for none.
func (w Writer) Sections(current string) []Section {
	entries := make([]Section, len(sections))
	for i, p := range sections {
		entries[i] = Section{
			Kind: p.Name, Name: w.Must("nav." + p.Name), Path: p.At(w.Language),
			Current: p.Name == current,
		}
	}
	return entries
}

// A Pager is the data of the template "pager": links to the other pages of a list.
type Pager struct {
	Page, Pages    int
	Previous, Next string // paths; "" where there is none
	Numbers        []PageLink
}

// A PageLink is a link to a page of a list. One without a number is a gap: it stands for the pages left out.
type PageLink struct {
	Number  int
	Path    string
	Current bool
}

// A Call is the data of the template "call": a call of the API.
type Call struct {
	Path string
	Curl string // to copy
}

// An ErrorBody is the data of the template "error".
type ErrorBody struct {
	Status   int
	Heading  string
	Sentence string
	Detail   string // the message of the API, in English; "" if it adds nothing
	Near     []Near // what the reader may have meant
	Instead  string // a sentence about Contact
	Contact  Contact
	// Of a parameter that was refused:
	Accepts string // what it accepts, in words
	Choices []Near // all values that it accepts, if they can be listed, with the paths that use them
	Without string // the path of the page without it
}

// A Near is a link to a page that the reader may have meant.
type Near struct{ Name, Path string }

// Write adds a sentence about whom to write to. It does nothing if there is no contact.
func (b *ErrorBody) Write(sentence string, c Contact) {
	if c.Href != "" {
		b.Instead, b.Contact = sentence, c
	}
}

// ErrorBody returns the body of the error page for e. It quotes the message of e only for a bad request.
func (w Writer) ErrorBody(e *web.Error) ErrorBody {
	name := fmt.Sprintf("error.%d", e.Status)
	if !w.Has(name) {
		name = "error.other"
	}
	body := ErrorBody{Status: e.Status, Heading: w.Must(name), Sentence: w.Must(name + ".sentence")}
	if e.Status == http.StatusBadRequest {
		body.Detail = e.Message
	}
	return body
}

// codeWidth is the most characters of code on a line of the narrowest window.
const codeWidth = 36

var tags = regexp.MustCompile(`<[^>]*>`)

// CodeStop returns the attributes of a code box with a name and content. A box with a long line gets a tab stop,
// because it may scroll and the keyboard must reach it. Where scripts run, site.js keeps the tab stop only for boxes
// that do scroll.
func CodeStop(name string, text any) template.HTMLAttr {
	said := template.HTMLEscapeString(name)
	attributes := ` data-code="` + said + `"`
	if hasLongLine(text) {
		attributes += ` tabindex="0" role="group" aria-label="` + said + `"`
	}
	return template.HTMLAttr(attributes) //nolint:gosec // it was escaped
}

func hasLongLine(text any) bool {
	var plain string
	switch t := text.(type) {
	case string:
		plain = t
	case template.HTML:
		plain = html.UnescapeString(tags.ReplaceAllString(string(t), ""))
	}
	for line := range strings.Lines(plain) {
		if utf8.RuneCountInString(strings.TrimRight(line, "\n")) > codeWidth {
			return true
		}
	}
	return false
}

// maxCopied is the most characters of a text that the accessible name of its copy button quotes.
const maxCopied = 120

// Copied returns a text on one line, shortened for the name of its copy button.
func Copied(text string) string {
	runes := []rune(strings.Join(strings.Fields(text), " "))
	if len(runes) <= maxCopied {
		return string(runes)
	}
	return string(runes[:maxCopied]) + "…"
}
