package content

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A position is a line and a column in a file, both from 1; columns count characters.
type position struct{ line, column int }

var fileStart = position{1, 1}

// A nodeKind is the kind of a YAML value.
type nodeKind uint8

const (
	nothing    nodeKind = iota // no value, or null
	plain                      // a scalar without quotes
	quoted                     // a scalar between quotes, or a block scalar
	sequence                   // a list
	mapping                    // keys and values
	unreadable                 // not allowed in content files: anchors, aliases, tags
)

// A comment is a YAML comment on the same line as a value.
type comment struct {
	text string
	pos  position
}

// A node is one value of a YAML document, with its place.
type node struct {
	kind   nodeKind
	pos    position
	text   string  // of a scalar
	rest   comment // the comment behind a scalar without quotes
	items  []node  // of a sequence
	fields []field // of a mapping, duplicates included
}

// A field is one key of a mapping with its value.
type field struct {
	key   string
	pos   position
	value node
}

// is names the kind of value that the node holds, for messages.
func (n node) is() string {
	switch n.kind {
	case nothing:
		return "nothing"
	case sequence:
		return "a list"
	case mapping:
		return "a group of keys"
	case unreadable:
		return "an anchor, an alias or a tag"
	case quoted:
		return "text"
	case plain:
		return plainType(n.text)
	}
	return "text"
}

var numberForm = regexp.MustCompile(`^(?:[-+]?(?:\.[0-9]+|[0-9][0-9_]*(?:\.[0-9_]*)?)(?:[eE][-+]?[0-9]+)?|0[xob][0-9a-fA-F_]+)$`)

// plainType names the type that YAML 1.2 gives to a scalar without quotes.
func plainType(s string) string {
	switch s {
	case "true", "True", "TRUE", "false", "False", "FALSE":
		return "true or false"
	case ".inf", "-.inf", "+.inf", ".Inf", "-.Inf", "+.Inf", ".nan", ".NaN", ".NAN":
		return "a number"
	case "", "~", "null", "Null", "NULL":
		return "nothing"
	}
	if strings.TrimLeft(s, "0123456789+-._abcdefoxABCDEF") == "" && numberForm.MatchString(s) {
		return "a number"
	}
	return "text"
}

// scanScalar reads a simple scalar of one line: plain without special characters, or quoted without escapes.
// For anything else, errors included, it returns false. s must not be empty.
func scanScalar(s string) (node, bool) {
	switch c := s[0]; c {
	case '"', '\'':
		end := strings.IndexByte(s[1:], c)
		if end < 0 || end+2 != len(s) || strings.ContainsAny(s, "\\\t") {
			return node{}, false
		}
		return node{kind: quoted, text: s[1 : end+1]}, true
	default:
		if r, _ := utf8.DecodeRuneInString(s); !unicode.IsLetter(r) && (c < '0' || c > '9') {
			return node{}, false
		}
		if strings.Contains(s, ": ") || strings.Contains(s, " #") || s[len(s)-1] == ':' || strings.Contains(s, "\t") {
			return node{}, false
		}
		if plainType(s) == "nothing" {
			return node{kind: nothing}, true
		}
		return node{kind: plain, text: s}, true
	}
}
