// Package text decides which characters of other people's texts reach somebody's eyes: on a terminal, in a log, in a mail
// or on a page. Names of tools, authors of commits, answers of receivers and reports of readers may hold characters that
// move a cursor, begin a line, turn the direction of writing around or that nobody sees.
//
// What is shown goes through Line or Lines, which leave such characters out, or through Marked, which shows that there
// were some. What is taken in is refused unless IsLine.
package text

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Line returns s on one line, without what nobody sees.
func Line(s string) string { return strings.Map(seen, s) }

// Lines is Line for a text of several lines, whose ends stay as line feeds.
func Lines(s string) string {
	return strings.Map(func(r rune) rune {
		if r == '\n' {
			return r
		}
		return seen(r)
	}, strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(s))
}

// Marked returns s on one line, with U+FFFD for each character that is Hidden: whoever looks for the cause of something
// should see that it was there.
func Marked(s string) string { return strings.Map(Mark, s) }

// Mark returns what stands for a character in Marked.
func Mark(r rune) rune {
	switch {
	case Hidden(r):
		return utf8.RuneError
	case unicode.IsSpace(r):
		return ' '
	}
	return r
}

// IsLine reports whether s is one line of UTF-8 in which nothing is Hidden.
func IsLine(s string) bool { return utf8.ValidString(s) && !strings.ContainsFunc(s, Hidden) }

// Hidden reports whether r has no shape and may change how others are shown: control characters, ends of lines, marks of
// direction, characters that Unicode does not know. Joiners do not count: Persian words and many emoji need them.
func Hidden(r rune) bool {
	const nonJoiner, joiner = '\u200c', '\u200d'
	return r != nonJoiner && r != joiner && !unicode.IsGraphic(r)
}

// seen returns a space for white space, and -1 for what nobody sees, joiners and selectors of variants included.
func seen(r rune) rune {
	switch {
	case unicode.IsSpace(r):
		return ' '
	case !unicode.IsPrint(r), unicode.In(r, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector):
		return -1
	}
	return r
}
