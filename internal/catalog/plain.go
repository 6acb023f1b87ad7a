package catalog

import (
	"strings"
	"unicode"
)

// Plain returns a text of the catalog as a part of a sentence: on one line, and without what nobody sees but what
// changes how the words around it are shown or read, such as control characters, marks that turn the direction of
// writing around, and characters without a width.
func Plain(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case !unicode.IsPrint(r), unicode.In(r, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector):
			return -1
		}
		return r
	}, s)
}
