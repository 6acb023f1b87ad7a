// Package guide makes pages of the guides for those who call the API: HTML with anchors and coloured
// code, and Markdown for programs that read. What differs between installations is filled in: the
// texts are ours, the values that go into them are not trusted.
//
// Read the files in this order:
//
//   - fill.go: what differs between installations
//   - code.go: colours of code
//   - sample.go: the fenced blocks of a guide
//   - guide.go: the guides, and how they lead to each other
//   - markdown.go, html.go: a guide as Markdown and as HTML
package guide
