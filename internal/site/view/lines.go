package view

import "strings"

// Lines writes text line by line: Markdown, mostly.
type Lines struct {
	Base string // of links
	text strings.Builder
}

// Line writes a line of its parts.
func (w *Lines) Line(parts ...string) {
	for _, p := range parts {
		w.text.WriteString(p)
	}
	w.text.WriteByte('\n')
}

// Link writes an entry of a list: a link, and a note if there is one.
func (w *Lines) Link(name, path, note string) {
	if note != "" {
		note = ": " + note
	}
	w.Line("- [", name, "](", w.Base, path, ")", note)
}

// Write writes text that has its own line breaks.
func (w *Lines) Write(text string) { w.text.WriteString(text) }

// File is what was written.
func (w *Lines) File(contentType string) *File {
	return &File{Type: contentType, Body: []byte(w.text.String())}
}
