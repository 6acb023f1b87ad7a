package mcp

import (
	"bytes"
	"encoding/json"
)

// maxID is how many bytes of an id are repeated in an error. Clients count, or make up some 40 characters.
const maxID = 128

// A scanned message is what the beginning of a message tells before it is decoded: enough to say what it may cost.
type scanned struct {
	method []byte          // as it stands between its quotes; nil if there is none yet
	id     json.RawMessage // null if there is none yet
}

// scan looks for the method and the id of a message in its beginning, without decoding it and without allocating.
// It takes the first of each: the decoder, which may take another one, is held to it afterwards. What is no JSON has neither.
func scan(b []byte) scanned {
	found := scanned{id: null}
	rest, ok := after(b, '{')
	for ok {
		var key, value []byte
		if key, rest, ok = scanString(rest); !ok {
			break
		}
		if rest, ok = after(rest, ':'); !ok {
			break
		}
		if value, rest, ok = scanValue(rest); !ok {
			break
		}
		switch value = bytes.TrimSpace(value); string(key) {
		case "method":
			if text := unquoted(value); found.method == nil && text != nil {
				found.method = text
			}
		case "id":
			if isID(value) && string(found.id) == "null" {
				found.id = value
			}
		}
		rest, ok = after(rest, ',')
	}
	return found
}

// after returns what follows a byte, which must come next but for spaces.
func after(b []byte, next byte) (rest []byte, ok bool) {
	if b = skipSpaces(b); len(b) == 0 || b[0] != next {
		return nil, false
	}
	return b[1:], true
}

func skipSpaces(b []byte) []byte {
	for len(b) > 0 && (b[0] == ' ' || b[0] == '\t' || b[0] == '\n' || b[0] == '\r') {
		b = b[1:]
	}
	return b
}

// scanString reads a string and returns what is between its quotes.
func scanString(b []byte) (text, rest []byte, ok bool) {
	if b, ok = after(b, '"'); !ok {
		return nil, nil, false
	}
	for at := 0; ; {
		quote := bytes.IndexByte(b[at:], '"')
		if quote < 0 {
			return nil, nil, false
		}
		at += quote
		escapes := 0
		for escapes < at && b[at-1-escapes] == '\\' {
			escapes++
		}
		if escapes%2 == 0 {
			return b[:at], b[at+1:], true
		}
		at++
	}
}

// scanValue reads any value up to its end, and reports whether that is there.
func scanValue(b []byte) (value, rest []byte, whole bool) {
	b = skipSpaces(b)
	depth := 0
	for at := 0; at < len(b); {
		switch b[at] {
		case '"':
			_, left, ok := scanString(b[at:])
			if !ok {
				return nil, nil, false
			}
			if at = len(b) - len(left); depth == 0 {
				return b[:at], b[at:], true
			}
			continue
		case '{', '[':
			depth++
		case '}', ']':
			if depth == 0 { // the end of what the value is in
				return b[:at], b[at:], true
			}
			if depth--; depth == 0 {
				return b[:at+1], b[at+1:], true
			}
		case ',':
			if depth == 0 {
				return b[:at], b[at:], true
			}
		}
		at++
	}
	return nil, nil, false
}

// unquoted returns what is between the quotes of a string; nil of anything else.
func unquoted(value []byte) []byte {
	if len(value) < 2 || value[0] != '"' || value[len(value)-1] != '"' {
		return nil
	}
	return value[1 : len(value)-1]
}

// isID reports whether a value can be repeated as an id.
func isID(value []byte) bool {
	return len(value) > 0 && len(value) <= maxID && (value[0] == '"' || value[0] == '-' || value[0] >= '0' && value[0] <= '9') && json.Valid(value)
}

// name returns the method as text. Few escape anything in it; some write \/ for every slash.
func (s scanned) name() string {
	if bytes.IndexByte(s.method, '\\') < 0 {
		for _, m := range offered {
			if string(s.method) == m {
				return m // without a copy
			}
		}
		return string(s.method)
	}
	var text string
	if len(s.method) > maxID || json.Unmarshal([]byte(`"`+string(s.method)+`"`), &text) != nil {
		return ""
	}
	return text
}
