// Package view is what all pages of the site share: what they are made from, and what comes of it.
//
// Begin with View: a page is a function from it, and from what else its parameters name, to a Document or
// a File. The package makes no page itself, answers no request and keeps nothing.
//
// Read the files in this order: document.go, lines.go, view.go, words_texts.go, words.go, plans.go.
package view
