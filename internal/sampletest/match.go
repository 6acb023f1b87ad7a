package sampletest

import (
	"regexp"
	"strings"
)

// ellipsis stands for what differs from run to run: part of a line, or lines if it is alone on its
// own.
const ellipsis = "…"

// matches reports whether what was printed is what the page shows.
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

// lines ends every line in the same way, the last one too. Headers have a carriage return.
func lines(s string) string {
	return strings.TrimRight(strings.ReplaceAll(s, "\r", ""), "\n") + "\n"
}
