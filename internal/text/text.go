// Package text decides which characters of other people's texts are shown on a terminal, in a log, in a mail or
// on a page. Names of tools, authors of commits, answers of receivers and reports of readers may hold
// characters that move a cursor, begin a line, reverse the direction of writing or are invisible.
//
// Pass text to be shown through Line or Lines, which drop such characters, or through Marked, which shows where
// they were. Refuse input unless IsLine.
package text

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Line returns s on one line, without invisible characters.
func Line(s string) string { return strings.Map(seen, s) }

// Lines is Line for a text of several lines: it keeps the line ends, as line feeds.
func Lines(s string) string {
	return strings.Map(func(r rune) rune {
		if r == '\n' {
			return r
		}
		return seen(r)
	}, strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(s))
}

// Marked returns s on one line, with U+FFFD for each Hidden character: somebody who looks for the cause of a
// problem should see that it was there.
func Marked(s string) string { return strings.Map(Mark, s) }

// Mark returns the character that replaces r in Marked.
func Mark(r rune) rune {
	switch {
	case Hidden(r):
		return utf8.RuneError
	case unicode.IsSpace(r):
		return ' '
	}
	return r
}

// IsLine reports whether s is valid UTF-8 on one line, without Hidden characters.
func IsLine(s string) bool { return utf8.ValidString(s) && !strings.ContainsFunc(s, Hidden) }

// Hidden reports whether r has no shape and may change how other characters are shown: control characters, line
// ends, direction marks, characters that Unicode does not define. Joiners do not count: Persian words and many
// emoji need them.
func Hidden(r rune) bool {
	const nonJoiner, joiner = '\u200c', '\u200d'
	return r != nonJoiner && r != joiner && !unicode.IsGraphic(r)
}

// seen maps white space to a space, and invisible characters, including joiners and variation selectors, to -1.
func seen(r rune) rune {
	switch {
	case unicode.IsSpace(r):
		return ' '
	case !unicode.IsPrint(r), unicode.In(r, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector):
		return -1
	}
	return r
}
