package site

import "strings"

const markdownType = "text/markdown; charset=utf-8"

// A linesWriter writes Markdown line by line.
type linesWriter struct {
	base string // of links
	text strings.Builder
}

func (w *linesWriter) line(parts ...string) {
	for _, p := range parts {
		w.text.WriteString(p)
	}
	w.text.WriteByte('\n')
}

// link writes an entry of a list: a link, and a note if there is one.
func (w *linesWriter) link(name, path, note string) {
	if note != "" {
		note = ": " + note
	}
	w.line("- [", name, "](", w.base, path, ")", note)
}
