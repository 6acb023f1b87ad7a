// Package layout is what all pages share, whoever makes them: the frame with its masthead and its
// colophon, the texts in both languages, the files that pages load, the headers, and the way from a
// template to the bytes that are sent. A package that has pages brings its own templates and texts.
//
// Begin with NewRenderer and Frame. The package has no page of its own but that of an error, reads no
// request, and knows no account.
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

// A Frame is what the layout shows around every page, and the page's body.
type Frame struct {
	Lang       locale.Language
	Title      string // without the name of the service
	TitleAlone bool   // the title already has the name of the service
	TitleLang  string // the language of the title; "" for that of the page
	// Description is for search engines and link previews.
	Description string
	NoIndex     bool
	Service     catalog.Service
	Operator    Operator
	Edition     catalog.Edition
	Canonical   string      // absolute; "" for a page without a path
	Alternates  []Alternate // in every language, itself included; none for a page without a path
	API         []string    // the paths of calls that give the same data
	Markdown    string      // the path of the page as Markdown; "" for none
	Feeds       []FeedLink
	ImageURL    string // of the picture for link previews, absolute; "" for none
	Data        []any  // JSON-LD
	Sections    []Section
	Button      Button // of the masthead
	// Account is the path to the account pages; "" for a frame without. It is the same for everybody: a page never
	// knows who reads it.
	Account string
	// Cancel is the path of the page that cancels a subscription; "" where none is sold.
	Cancel string
	// Files are for the templates "scripts" and "notices" of a caller that has them, in the head and above the
	// masthead.
	Files any
	Body  any // what the template of the page shows
}

// longName is the most characters that the masthead shows in large letters beside its sections.
const longName = 24

// LongName reports whether the masthead writes the name of the service in smaller letters, on several
// lines.
func (f *Frame) LongName() bool {
	return f.Operator.Logo.Path == "" && utf8.RuneCountInString(f.Service.Name) > longName
}

// An Alternate is the page in one language.
type Alternate struct {
	Lang     locale.Language
	URL      string // absolute
	Path     string
	XDefault bool
}

// A FeedLink is a link to a feed.
type FeedLink struct{ Title, Path string }

// A Button is the highlighted link of the masthead; none without a text.
type Button struct{ Text, Path string }

// sections are the entries of the masthead.
var sections = []address.Page{
	address.Tools, address.Comparisons, address.Prices, address.Cemetery, address.Journal, address.Plans, address.Guides,
}

// Sections returns the entries of the masthead. current is the section of the page; "" for none.
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

// A PageLink is a link to a page of a list. One without a number stands for the pages left out.
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
	Detail   string // what the API would say, in English; "" when it adds nothing
	Near     []Near // what the reader may have meant
	Instead  string // a sentence about Contact
	Contact  Contact
	// Of a parameter that was refused:
	Accepts string // what it accepts, in words
	Choices []Near // all that it accepts, where that can be listed, with the paths that ask for it
	Without string // the path of the page without it
}

// A Near is a page that a mistyped path may mean.
type Near struct{ Name, Path string }

// Write adds a sentence with the contact to write to, if there is one.
func (b *ErrorBody) Write(sentence string, c Contact) {
	if c.Href != "" {
		b.Instead, b.Contact = sentence, c
	}
}

// ErrorBody returns the body of the page of an error.
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

// CodeStop returns the attributes of a box of code, given its name and content. A box with a long line may scroll, so
// the keyboard must reach it; where scripts run, site.js keeps only the boxes that do scroll.
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

// maxCopied is the most characters of a text in the name of the button that copies it.
const maxCopied = 120

// Copied shortens a text to its beginning, on one line.
func Copied(text string) string {
	runes := []rune(strings.Join(strings.Fields(text), " "))
	if len(runes) <= maxCopied {
		return string(runes)
	}
	return string(runes[:maxCopied]) + "…"
}
