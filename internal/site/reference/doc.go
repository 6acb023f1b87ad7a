// Package reference reads the contract of the API for the pages about it: what each operation is for,
// what it takes, what it answers, and programs that call it. The texts are those of openapi.yaml and,
// in French, of the file beside it; Markdown, as they stand there.
//
// Read the files in this order:
//
//   - french.go: the contract in French
//   - schema.go: the fields of an answer, in tables
//   - operation.go: an operation and all that there is to say of it
//   - program.go: programs that call an operation
//   - library.go: all operations, in both languages
package reference
