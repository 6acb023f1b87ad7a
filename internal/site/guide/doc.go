// Package guide renders the guides for users of the API as HTML, with anchors and highlighted code, and as Markdown for
// programs. It fills in what differs between installations. The texts are part of the program; the values filled in are
// not trusted.
//
// Read the files in this order:
//
//   - fill.go: what differs between installations
//   - code.go: colours of code
//   - sample.go: the fenced blocks of a guide
//   - guide.go: the guides, and how they lead to each other
//   - markdown.go, html.go: a guide as Markdown and as HTML
package guide
