package wire

import (
	"net/http"
	"strings"
)

// A Field is a header made beforehand. Responses that say the same share it.
type Field struct {
	name  string
	value []string
	line  string // as it is sent; "" for a header that Reserved reports
}

// NewField makes a header. Line breaks become spaces: a value cannot add a header.
func NewField(name, value string) Field {
	value = Clean(value)
	if Reserved(name) {
		return Field{name: http.CanonicalHeaderKey(name), value: []string{value}}
	}
	return Field{name: name, value: []string{value}, line: name + ": " + value + "\r\n"}
}

// Reserved reports whether a header is one that net/http reads or writes itself. It belongs into the header map:
// sent past it, it would be on the wire twice.
func Reserved(name string) bool {
	switch len(name) {
	case len("Date"):
		return strings.EqualFold(name, "Date")
	case len("Connection"):
		return strings.EqualFold(name, "Connection")
	case len("Content-Type"):
		return strings.EqualFold(name, "Content-Type")
	case len("Content-Length"):
		return strings.EqualFold(name, "Content-Length")
	case len("Transfer-Encoding"):
		return strings.EqualFold(name, "Transfer-Encoding")
	default:
		return false
	}
}

// Reserved reports whether the field belongs into the header map.
func (f *Field) Reserved() bool { return f.line == "" }

// Header is the field as an entry of an http.Header.
func (f *Field) Header() (name string, values []string) { return f.name, f.value }

// Clean makes one line of a header value.
func Clean(value string) string { return oneLine.Replace(value) }

var oneLine = strings.NewReplacer("\r", " ", "\n", " ", "\x00", " ")
