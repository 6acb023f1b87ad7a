package api

import "strings"

// percentEncode writes s in printable ASCII: the bytes of everything else, and of the
// percent sign itself, are written %XX. Clients take header values for Latin-1, or
// refuse them, where they are not ASCII; every language can decode this.
func percentEncode(s string) string {
	const hex = "0123456789ABCDEF"
	var b strings.Builder
	for i := range len(s) {
		if c := s[i]; c < ' ' || c > '~' || c == '%' {
			b.WriteByte('%')
			b.WriteByte(hex[c>>4])
			b.WriteByte(hex[c&15])
		} else {
			b.WriteByte(c)
		}
	}
	return b.String()
}
