package catalog

import (
	"strconv"
	"unicode/utf8"
)

// An object writes one JSON object, field by field, in the order of the calls.
// Items are encoded once per change and served ever after, so the order of the
// fields and the bytes are ours to fix; encoding/json would do neither cheaply.
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

func (o *object) close() []byte {
	*o = append(*o, '}')
	return append(make([]byte, 0, len(*o)), *o...) // no spare capacity: it is kept for long
}

const hexDigits = "0123456789abcdef"

// appendString writes s as a JSON string, escaping only what JSON demands: the
// answers are application/json, never part of an HTML page.
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

// appendArray writes the parts as a JSON array.
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

// AppendString writes s as a JSON string, as all items have theirs.
func AppendString(b []byte, s string) []byte { return appendString(b, s) }
