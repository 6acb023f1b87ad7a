package content

import (
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// anchor returns the identifier of a heading: lower case, accents folded, everything else turned into single
// hyphens. "Prix & délais" becomes "prix-delais". It is empty when no letter a to z and no digit is left.
func anchor(heading string) string {
	var b strings.Builder
	hyphen := false
	for _, r := range norm.NFKD.String(strings.ToLower(heading)) {
		var letters string
		switch {
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9':
			letters = string(r)
		case unicode.Is(unicode.Mn, r):
			continue // an accent, split from its letter
		case r == 'œ':
			letters = "oe"
		case r == 'æ':
			letters = "ae"
		case r == 'ß':
			letters = "ss"
		case r == 'ø':
			letters = "o"
		default:
			hyphen = b.Len() > 0
			continue
		}
		if hyphen {
			b.WriteByte('-')
			hyphen = false
		}
		b.WriteString(letters)
	}
	return b.String()
}
