package view

import (
	"net/http"

	"github.com/palmares-hq/palmares/internal/address"
	"github.com/palmares-hq/palmares/internal/locale"
)

// A Document is what a page says, before it is HTML.
type Document struct {
	Template    string       // the name of the template that shows the body
	Section     address.Page // the entry of the masthead that it belongs to; none when zero
	Status      int          // 200 when 0, or 308 with a redirect
	Title       string       // without the name of the service
	TitleAlone  bool         // the title has the name of the service in it
	TitleFrench bool         // the title is the catalog's own, and in French
	Description string
	// API lists the calls that give the same data, as paths. The first is the page's own: it is its
	// alternate form.
	API      []string
	Markdown string         // the path of the page as Markdown; "" for none
	Feeds    []address.Page // that tell what is new here; those of an item have its slug
	NoIndex  bool
	Image    string // the path of the picture to share; "" for the general one
	Data     []any  // JSON-LD
	Keys     bool   // it speaks of API keys
	// Translate gives the slug of the page in a language. Nil when all languages share one.
	Translate func(locale.Language) string
	// Redirect is the path where to find it instead; the rest is then empty.
	Redirect string
	Body     any // what the template shows
}

// HTTPStatus is the status that the page is sent with.
func (d *Document) HTTPStatus() int {
	switch {
	case d.Redirect != "" && d.Status == 0:
		return http.StatusPermanentRedirect
	case d.Status == 0:
		return http.StatusOK
	default:
		return d.Status
	}
}

// A File is what is no page: a feed, a sitemap, Markdown, a drawing.
type File struct {
	Type string // the Content-Type
	Body []byte
	Tag  string // of which its entity tag is made; "" for that of the body

	// Redirect is the path where to find it instead; the rest is then empty.
	Redirect string
}

// Types of files.
const (
	MarkdownType = "text/markdown; charset=utf-8"
	PlainType    = "text/plain; charset=utf-8"
)
