package sampletest

import (
	"regexp"
	"strings"
)

// ellipsis stands for output that differs from run to run: for part of a line or, alone on a line, for any
// number of lines.
const ellipsis = "…"

// matches reports whether the printed output is the one that the page shows, up to ellipses.
func matches(printed, shown string) bool {
	var b strings.Builder
	b.WriteString(`\A`)
	for line := range strings.Lines(lines(shown)) {
		if line == ellipsis+"\n" {
			b.WriteString(`(?:.*\n)*`)
			continue
		}
		b.WriteString(strings.ReplaceAll(regexp.QuoteMeta(line), ellipsis, `.*`))
	}
	b.WriteString(`\z`)
	return regexp.MustCompile(b.String()).MatchString(lines(printed))
}

// lines normalises the ends of lines: every line, including the last, ends with one line feed. HTTP headers
// have carriage returns.
func lines(s string) string {
	return strings.TrimRight(strings.ReplaceAll(s, "\r", ""), "\n") + "\n"
}
