package verify

import (
	"bytes"
	"mime"
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/html/charset"
	"golang.org/x/text/encoding/charmap"
)

// The media types that are read.
const (
	htmlType     = "text/html"
	xhtmlType    = "application/xhtml+xml"
	plainType    = "text/plain"
	markdownType = "text/markdown"
	jsonType     = "application/json"
)

// leastText is the minimum number of characters of a page that does not depend on its scripts. A page with
// scripts and less text is taken for an empty shell.
const leastText = 200

// A page is the text of a fetched page.
type page struct {
	texts   []string // its text in each possible encoding, the declared one first
	cut     bool     // it is longer than the limit; the rest was not read
	scripts bool
}

// readPage extracts the text of a page. If it cannot, the second result says why. header is the Content-Type.
func readPage(header string, data []byte, cut bool) (page, string) {
	mediaType, _, err := mime.ParseMediaType(header)
	switch {
	case header == "":
		return page{}, "it does not say what type it is of"
	case err != nil || !printableType(mediaType):
		return page{}, "it is of an unknown type"
	}
	p := page{cut: cut}
	add := func(text string) {
		if len(p.texts) == 0 || p.texts[0] != text {
			p.texts = append(p.texts, text)
		}
	}
	switch mediaType {
	case htmlType, xhtmlType:
		for _, s := range decodings(data, header) {
			text, scripts := htmlText(s)
			p.scripts = p.scripts || scripts
			add(text)
		}
	case plainType, markdownType:
		for _, s := range decodings(data, header) {
			add(plainText(s))
		}
	case jsonType:
		add(jsonText(data))
	default:
		return page{}, "it is " + mediaType
	}
	return p, ""
}

// printableType reports whether a media type can be shown. A server may send anything.
func printableType(s string) bool {
	return len(s) <= 60 && strings.Trim(s, "abcdefghijklmnopqrstuvwxyz0123456789/.+-") == ""
}

// decodings returns the possible texts of a page: decoded as declared by the server or the page and, because
// declarations are often wrong, in the two encodings of nearly all pages, UTF-8 and Windows-1252.
func decodings(data []byte, header string) []string {
	encoding, _, _ := charset.DetermineEncoding(data[:min(len(data), 1024)], header)
	var all []string
	if declared, err := encoding.NewDecoder().Bytes(data); err == nil {
		all = append(all, strings.ToValidUTF8(string(declared), "\ufffd"))
	}
	if len(all) > 0 && bytes.IndexFunc(data, func(r rune) bool { return r >= utf8.RuneSelf || r == 0 }) < 0 {
		return all // ASCII: the same in all encodings
	}
	all = append(all, strings.ToValidUTF8(string(data), "\ufffd"))
	if western, err := charmap.Windows1252.NewDecoder().Bytes(data); err == nil {
		all = append(all, string(western))
	}
	return all
}

// says reports whether the page, in any of its encodings, contains what is wanted.
func (p page) says(wanted func(text string) bool) bool { return slices.ContainsFunc(p.texts, wanted) }

// unread returns why a page in which nothing was found may state the fact all the same; "" if its text is
// complete.
func (p page) unread() string {
	least := 0
	if len(p.texts) > 0 {
		least = length(p.texts[0])
	}
	switch {
	case p.cut:
		return "it is larger than 2 MB"
	case p.scripts && least < leastText:
		return "the page needs JavaScript"
	case least == 0:
		return "the page is empty"
	}
	return ""
}
