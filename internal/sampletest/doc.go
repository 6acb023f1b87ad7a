// Package sampletest runs the code samples of the documentation as a reader would: it takes the Markdown
// that a node serves, saves the samples that are files, runs the others in order, and compares their
// output with the output that the page shows. Only tests import it.
//
// Read match.go (comparing outputs), typescript.go (running TypeScript), modules.go (getting the Go client),
// compile.go (compiling programs together), then session.go.
package sampletest
