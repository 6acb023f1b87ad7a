// Package docs has the pages for those who call the API: the guides, the reference of all operations,
// both as Markdown too, the files to download, and what agents can ask.
//
// Begin with Guides and Reference: their methods are the pages. What guides say is in docs/guides, what
// operations do in the contract of the API; packages guide and reference read them. This package
// calls the API only as its caller lets it, and shows nobody's key but that of a preview.
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
