// Package content reads the editors' files and makes catalog values of them.
//
// Decoding is strict: an unknown key, a wrong type or a value off its scale is a
// Fault with the file, the line and the column, and a message that says what to
// write instead. One run tells every fault of every file. docs/content-format.md
// is the editors' side of what this package enforces.
//
// It also writes files for editors to complete: a new tool or comparison, and the
// entry of a retired tool. Load says what is left to fill in.
package content
