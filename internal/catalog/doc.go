// Package catalog is the heart of Palmarès: what a catalog is made of (tools,
// comparisons, retired tools, categories), how one published state differs from
// the next, and the immutable Snapshot that answers every read.
//
// The package is pure. It opens no file, no socket and no database, and reads no
// clock: everything it needs is an argument.
package catalog
