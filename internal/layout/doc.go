// Package layout is what all pages share, whoever makes them: the frame with its masthead and its
// colophon, the texts in both languages, the files that pages load, the headers, and the way from a
// template to the bytes that are sent. A package that has pages brings its own templates and texts.
//
// Begin with NewRenderer and Frame. The package has no page of its own but that of an error, reads no
// request, and knows no account.
//
// Read the files in this order:
//
//   - text.go, frame_texts.go, french.go: the sentences, in both languages, and where a page is in both
//   - header.go, page.go, static.go: what is sent, and the files that pages load
//   - operator.go: what the frame shows of the operator
//   - code.go: boxes of code, and buttons that copy
//   - frame.go, error.go: what the templates of this package show
//   - render.go: from a template to HTML
package layout
