// Package sampletest runs the samples of documentation as a reader would: it takes the Markdown that
// a node serves, saves what is to be saved, runs the rest in its order, and compares what is printed
// with what the page shows. Only tests import it.
//
// Read match.go (what a page shows), typescript.go (what runs TypeScript), compile.go (programs that are compiled
// together), then session.go.
package sampletest
