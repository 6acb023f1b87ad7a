package markdown

import (
	"html/template"
	"net/url"
	"strings"

	"github.com/yuin/goldmark/ast"

	"github.com/palmares-hq/palmares/internal/content"
)

// Bounds on the addresses of links, in bytes. Addresses written once fit in. They stop a review that repeats one long
// address in thousands of references.
const (
	maxAddress = 2048
	moreLinks  = 1 << 14 // all together, beyond the length of the review
)

// link writes a link, or its text alone if its address is refused or it is inside another link.
func (w *Writer) link(destination []byte, n ast.Node) {
	var address string
	var external bool
	if w.links -= len(destination); w.links >= 0 && len(destination) <= maxAddress {
		address, external = w.address(destination, n.Kind() != ast.KindAutoLink)
	}
	if n.Kind() == ast.KindImage && n.FirstChild() == nil {
		n.AppendChild(n, ast.NewString([]byte(address))) // an image without a text
	}
	if address == "" || w.linked {
		w.Inlines(n)
		return
	}
	attributes := ` href="` + template.HTMLEscapeString(address) + `"`
	if external {
		attributes += ` rel="nofollow noopener"`
	}
	w.linked = true
	w.Mark("a", attributes, n)
	w.linked = false
}

// address returns the address of a link in canonical form, or "" if it refuses it. It accepts web pages, mailboxes,
// paths of the site and, on the review's own page, sections of it. It refuses other relative addresses, because the
// same text is shown under several paths.
func (w *Writer) address(destination []byte, escaped bool) (address string, external bool) {
	address = string(destination)
	if escaped {
		address = content.Unescape(destination)
	}
	u, err := url.Parse(address)
	if err != nil || u.User != nil { // user@ makes a host look like another
		return "", false
	}
	switch address = u.String(); {
	case (u.Scheme == "http" || u.Scheme == "https") && u.Hostname() != "":
		return address, true
	case u.Scheme == "mailto" && u.Opaque != "":
		return address, false
	case u.Scheme != "" || u.Host != "":
	case strings.HasPrefix(address, "/") && !strings.HasPrefix(address, "//"):
		return address, false
	case strings.HasPrefix(address, "#") && w.page:
		return address, false
	}
	return "", false
}

func autoLink(n *ast.AutoLink, source []byte) []byte {
	if n.AutoLinkType == ast.AutoLinkEmail {
		return append([]byte("mailto:"), n.URL(source)...)
	}
	return n.URL(source)
}
