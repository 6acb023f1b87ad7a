// Package docs makes the pages for users of the API: the guides and the reference of all operations, both also as
// Markdown, the downloads, and the page about agents.
//
// Begin with Guides and Reference: their methods return the pages. The texts of the guides are in docs/guides, those of
// operations in the API's contract; packages guide and reference read them. This package calls the API only through
// functions that its caller provides, and shows no API key except that of a preview.
//
// Read the files in this order:
//
//   - guides.go: what samples are made of, the guides, and where to find them
//   - body.go: what the page of an operation shows
//   - reference_texts.go, reference.go: the operations
//   - answer.go, form.go: a real answer with programs, and a form that makes the call
//   - source.go: the reference as Markdown
//   - data.go: the files that can be downloaded
//   - agents_texts.go, dialogue.go, agents.go: what agents can ask, and a dialogue with one
//   - docs.go: the texts and templates
package docs
