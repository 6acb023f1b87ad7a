package wire

import (
	"net/http"
	"strings"
)

// A Field is a header made in advance, which responses may share.
type Field struct {
	name  string
	value []string
	line  string // as it is sent; "" for a reserved header
}

// NewField returns a header. Line breaks in the value become spaces, so that it cannot inject another header.
func NewField(name, value string) Field {
	value = Clean(value)
	if Reserved(name) {
		return Field{name: http.CanonicalHeaderKey(name), value: []string{value}}
	}
	return Field{name: name, value: []string{value}, line: name + ": " + value + "\r\n"}
}

// Reserved reports whether net/http reads or writes this header itself. Such a header must be set in the header map:
// if it bypassed the map, it could be sent twice.
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

// Reserved reports whether the field must be set in the header map: see the function Reserved.
func (f *Field) Reserved() bool { return f.line == "" }

// Header returns the field as an entry of an http.Header.
func (f *Field) Header() (name string, values []string) { return f.name, f.value }

// Clean replaces line breaks and NULs in a header value by spaces.
func Clean(value string) string { return oneLine.Replace(value) }

var oneLine = strings.NewReplacer("\r", " ", "\n", " ", "\x00", " ")
