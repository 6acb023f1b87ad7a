package content

import (
	"strings"
	"unicode"
)

// invisible reports whether r has neither shape nor width of its own: joiners, fillers, direction marks,
// variation selectors, tags. Two texts that differ only in such characters look the same.
func invisible(r rune) bool {
	return r > unicode.MaxASCII && unicode.In(r, unicode.Cf, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector) &&
		!unicode.Is(unicode.Prepended_Concatenation_Mark, r)
}

// hiddenIn returns the first invisible character of a one-line text that is not part of an emoji; false if
// there is none.
func hiddenIn(s string) (rune, bool) {
	if strings.IndexFunc(s, invisible) < 0 {
		return 0, false
	}
	text := []rune(s)
	near := func(i int) rune {
		if i < 0 || i >= len(text) {
			return 0
		}
		return text[i]
	}
	for i, r := range text {
		if !invisible(r) {
			continue
		}
		before := near(i - 1)
		switch r {
		case 0xfe0e, 0xfe0f: // variation selector of the symbol before it
			if before != 0 && !invisible(before) {
				continue
			}
		case 0x200d: // joins two symbols into one
			if (unicode.In(before, unicode.So, unicode.Sk) || before == 0xfe0f) && unicode.Is(unicode.So, near(i+1)) {
				continue
			}
		}
		return r, true
	}
	return 0, false
}

// visible reports whether s has at least one visible character.
func visible(s string) bool {
	const blank = '\u2800' // the Braille pattern without a dot
	for _, r := range s {
		if unicode.In(r, unicode.L, unicode.N, unicode.P, unicode.S) && r != blank && !invisible(r) {
			return true
		}
	}
	return false
}
