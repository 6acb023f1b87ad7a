package wire

import "strings"

// A Field is a header made beforehand. Responses that say the same share it.
type Field struct {
	name  string
	value []string
	line  string // as it is sent
}

// NewField makes a header. Line breaks become spaces: a value cannot add a header.
func NewField(name, value string) Field {
	value = Clean(value)
	return Field{name: name, value: []string{value}, line: name + ": " + value + "\r\n"}
}

// Header is the field as an entry of an http.Header.
func (f *Field) Header() (name string, values []string) { return f.name, f.value }

// Clean makes one line of a header value.
func Clean(value string) string { return oneLine.Replace(value) }

var oneLine = strings.NewReplacer("\r", " ", "\n", " ", "\x00", " ")
