package catalog

import (
	"crypto/sha256"
	"encoding/base64"
	"strconv"
	"unicode/utf8"
)

// An object writes one JSON object, field by field, in the order of the calls. Items are encoded
// once per change and served many times, and the order of fields is fixed by the contract;
// encoding/json would cost more.
type object []byte

func newObject() object { return append(make(object, 0, 512), '{') }

func (o *object) key(name string) {
	if len(*o) > 1 {
		*o = append(*o, ',')
	}
	*o = append(*o, '"')
	*o = append(*o, name...)
	*o = append(*o, '"', ':')
}

func (o *object) string(name, value string) {
	o.key(name)
	*o = appendString(*o, value)
}

// nullable writes null for the empty string.
func (o *object) nullable(name, value string) {
	if value == "" {
		o.raw(name, []byte("null"))
		return
	}
	o.string(name, value)
}

func (o *object) int(name string, value int) {
	o.key(name)
	*o = strconv.AppendInt(*o, int64(value), 10)
}

func (o *object) bool(name string, value bool) {
	o.key(name)
	*o = strconv.AppendBool(*o, value)
}

func (o *object) measure(name string, value Measure) {
	o.key(name)
	*o = value.appendJSON(*o)
}

func (o *object) hundredths(name string, value int16) {
	o.key(name)
	*o = appendHundredths(*o, int(value))
}

func (o *object) raw(name string, value []byte) {
	o.key(name)
	*o = append(*o, value...)
}

// member is raw for a name that has to be escaped.
func (o *object) member(name string, value []byte) {
	if len(*o) > 1 {
		*o = append(*o, ',')
	}
	*o = append(append(appendString(*o, name), ':'), value...)
}

func (o *object) close() []byte {
	*o = append(*o, '}')
	return append(make([]byte, 0, len(*o)), *o...) // no spare capacity: it is kept for long
}

const hexDigits = "0123456789abcdef"

// appendString appends s as a JSON string and escapes only what JSON demands: answers are
// application/json, never part of an HTML page.
func appendString(b []byte, s string) []byte {
	b = append(b, '"')
	start := 0
	for i := 0; i < len(s); {
		c := s[i]
		if c >= utf8.RuneSelf {
			r, size := utf8.DecodeRuneInString(s[i:])
			if r == utf8.RuneError && size == 1 {
				b = append(b, s[start:i]...)
				b = append(b, "\ufffd"...)
				start = i + 1
			}
			i += size
			continue
		}
		if c >= ' ' && c != '"' && c != '\\' {
			i++
			continue
		}
		b = append(b, s[start:i]...)
		switch c {
		case '"', '\\':
			b = append(b, '\\', c)
		case '\n':
			b = append(b, '\\', 'n')
		case '\t':
			b = append(b, '\\', 't')
		default:
			b = append(b, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&15])
		}
		i++
		start = i
	}
	b = append(b, s[start:]...)
	return append(b, '"')
}

// appendArray appends the parts as a JSON array.
func appendArray[T any](b []byte, parts []T, write func([]byte, T) []byte) []byte {
	b = append(b, '[')
	for i, p := range parts {
		if i > 0 {
			b = append(b, ',')
		}
		b = write(b, p)
	}
	return append(b, ']')
}

// AppendString appends s as a JSON string, escaped as in all items.
func AppendString(b []byte, s string) []byte { return appendString(b, s) }

// A Document is a JSON body, ready to send, with a digest of its bytes.
type Document struct {
	Body []byte
	tag  tag
}

type tag [16]byte

// NewDocument returns the document of a JSON body, which must not change afterwards.
func NewDocument(body []byte) Document {
	return Document{Body: body, tag: shorten(sha256.Sum256(body))}
}

func shorten(sum [sha256.Size]byte) (t tag) {
	copy(t[:], sum[:])
	return t
}

// Tag identifies the document's bytes: equal tags mean equal bodies, on every node and across
// editions. Entity tags are made of it.
func (d Document) Tag() string { return base64.RawURLEncoding.EncodeToString(d.tag[:]) }
