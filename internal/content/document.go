package content

import (
	"bytes"
	"fmt"
	"unicode"
	"unicode/utf8"

	"github.com/yuin/goldmark/parser"

	"github.com/palmares-hq/palmares/internal/catalog"
)

// The files and folders of a content directory.
const (
	catalogFile      = "catalog.yaml"
	categoriesFile   = "categories.yaml"
	toolFolder       = "tools"
	comparisonFolder = "comparatifs"
	retiredFolder    = "cimetiere"
	historyFolder    = "history"
	pagesFolder      = "pages"
	itemExtension    = catalog.FrenchPage
	englishExtension = catalog.EnglishPage
)

// maxFile is the maximum size of a content file in bytes. A review of 1 MiB is a mistake.
const maxFile = 1 << 20

// Sizes, in bytes, of parts of a file and of files with a lower limit than maxFile.
const (
	maxFrontMatter = 64 << 10
	maxPage        = 256 << 10 // of an operator's page, and of a file that is only YAML
	maxSVG         = 64 << 10
	maxLogo        = 64 << 10 // of logo.png
	maxTheme       = 16 << 10
)

// A decoder turns the bytes of content files into catalog values. It is safe for
// concurrent use.
type decoder struct {
	markdown parser.Parser
	latest   catalog.Date // as of today; see document
}

func newDecoder() *decoder {
	return &decoder{markdown: NewParser()}
}

// A link is a link in a text to a page of the site, or to a section of the page itself.
type link struct {
	file    string
	pos     position
	written string // the destination as the editor wrote it
	path    string // "" for the page of the text itself
	anchor  string // "" for the beginning of the page
}

// A document is one file being decoded, and what was found wrong with it.
type document struct {
	*decoder
	file   string
	data   []byte       // with line feeds only
	latest catalog.Date // the last day that is not in the future; "" turns that check off
	faults []Fault
	links  []link // to other pages of the site
	failed bool   // there is an error, not only warnings
}

func (c *decoder) open(file string, data []byte) *document {
	return &document{decoder: c, file: file, data: data, latest: c.latest}
}

func (d *document) fault(p position, format string, args ...any) {
	d.failed = true
	d.faults = append(d.faults, Fault{File: d.file, Line: p.line, Column: p.column, Message: fmt.Sprintf(format, args...)})
}

func (d *document) warn(p position, format string, args ...any) {
	d.faults = append(d.faults, Fault{
		File: d.file, Line: p.line, Column: p.column, Message: fmt.Sprintf(format, args...), Warning: true,
	})
}

// positionOf turns an offset in the file into a position.
func (d *document) positionOf(offset int) position {
	before := d.data[:min(max(offset, 0), len(d.data))]
	start := bytes.LastIndexByte(before, '\n') + 1
	return position{
		line:   bytes.Count(before, []byte("\n")) + 1,
		column: utf8.RuneCount(before[start:]) + 1,
	}
}

var byteOrderMark = []byte("\ufeff")

// clean normalizes line ends to line feeds and reports whether the file is text that can be decoded at all.
func (d *document) clean() bool {
	if len(d.data) > maxFile {
		d.fault(fileStart, "the file is larger than 1 MiB: shorten it")
		return false
	}
	if bytes.HasPrefix(d.data, byteOrderMark) {
		d.fault(fileStart, `the file begins with a byte order mark: save it as "UTF-8", not "UTF-8 with BOM"`)
		d.data = d.data[len(byteOrderMark):]
	}
	if bytes.IndexByte(d.data, '\r') >= 0 {
		d.data = bytes.ReplaceAll(d.data, []byte("\r\n"), []byte("\n"))
	}
	if utf8.Valid(d.data) {
		if i, r := forbiddenIn(d.data); i >= 0 {
			d.fault(d.positionOf(i), "%s %U: remove it", characterKind(r), r)
			return false
		}
		return d.merged()
	}
	for i := 0; i < len(d.data); {
		r, size := utf8.DecodeRune(d.data[i:])
		if r == utf8.RuneError && size == 1 {
			d.fault(d.positionOf(i), `byte 0x%02X is not UTF-8: save the file as "UTF-8"`, d.data[i])
			return false
		}
		i += size
	}
	return false
}

// within reports whether the file has at most the given number of bytes, and a fault if not.
func (d *document) within(most int) bool {
	if len(d.data) <= most {
		return true
	}
	d.fault(fileStart, "the file is %d bytes long: at most %d are allowed; shorten it", len(d.data), most)
	return false
}

// forbiddenIn returns the offset and value of the first character that no content file may hold; the offset is
// -1 if there is none.
func forbiddenIn(text []byte) (int, rune) {
	for i, c := range text {
		switch {
		case c >= ' ' && c < 0x7f, c == '\n', c == '\t', c > 0x7f && c != 0xc2 && c != 0xe2 && c != 0xef && c != 0xf3:
			continue // the common case: cannot be forbidden, no need to decode it
		}
		if r, _ := utf8.DecodeRune(text[i:]); forbidden(r) {
			return i, r
		}
	}
	return -1, 0
}

// forbidden reports whether r is a control character, a line separator that editors do not show, a mark that
// reverses the direction of writing, a zero-width space, or a tag character, which can hide a whole text.
func forbidden(r rune) bool {
	switch {
	case r == '\n', r == '\t':
		return false
	case r < ' ', r >= 0x7f && r < 0xa0:
		return true
	case r >= 0x2028 && r <= 0x202e, r >= 0x2066 && r <= 0x2069, r == 0xfeff:
		return true
	case r == 0x200b, r >= 0x2060 && r <= 0x2064, r >= 0xe0000 && r <= 0xe007f:
		return true
	}
	return false
}

// characterKind names a character that is refused, for messages.
func characterKind(r rune) string {
	if unicode.IsControl(r) {
		return "control character"
	}
	return "invisible character"
}

func cutLine(b []byte) (line, rest []byte) {
	line, rest, _ = bytes.Cut(b, []byte("\n"))
	return line, rest
}
