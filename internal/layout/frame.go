package layout

import (
	"unicode/utf8"

	"github.com/palmares-hq/palmares/internal/address"
	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/locale"
)

// A Frame is what the layout shows around every page, and the page's body.
type Frame struct {
	Lang       locale.Language
	Title      string // without the name of the service
	TitleAlone bool   // the title has the name of the service in it
	TitleLang  string // the language of the title; "" for that of the page
	// Description is for search engines and for where the page is shared.
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
	ImageURL    string // of the picture to share, absolute; "" for none
	Data        []any  // JSON-LD
	Sections    []Section
	Button      Button // of the masthead
	// Account is the path that readers who have an account come back by; "" for a frame without. It is
	// the same for everybody: nothing tells a page who reads it.
	Account string
	// Cancel is the path of the page on which a subscription is ended; "" where none is sold.
	Cancel string
	// Files are for the templates "scripts" and "notices" of a caller that has them: they stand in
	// the head and above the masthead.
	Files any
	Body  any // what the template of the page shows
}

// longName is what stands in the masthead beside its sections in large letters.
const longName = 24

// LongName reports whether the masthead writes the name of the service in smaller letters, on several
// lines.
func (f *Frame) LongName() bool {
	return f.Operator.Logo.Path == "" && utf8.RuneCountInString(f.Service.Name) > longName
}

// An Alternate is the page in a language.
type Alternate struct {
	Lang     locale.Language
	URL      string // absolute
	Path     string
	XDefault bool
}

// A FeedLink leads to a feed.
type FeedLink struct{ Title, Path string }

// A Button is the link of the masthead that stands out. Without a text there is none.
type Button struct{ Text, Path string }

// sections are the entries of the masthead.
var sections = []address.Page{
	address.Tools, address.Comparisons, address.Prices, address.Cemetery, address.Journal, address.Plans, address.Guides,
}

// Sections are the entries of the masthead. The current one is that of the page; "" for none.
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

// A Pager is what the template "pager" shows: it leads to the other pages of a list.
type Pager struct {
	Page, Pages    int
	Previous, Next string // paths; "" where there is none
	Numbers        []PageLink
}

// A PageLink leads to a page of a list. One without a number stands for those that are left out.
type PageLink struct {
	Number  int
	Path    string
	Current bool
}

// A Call is what the template "call" shows: a call of the API.
type Call struct {
	Path string
	Curl string // to copy
}
