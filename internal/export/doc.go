// Package export makes the files in which the whole catalog can be downloaded: one per table and format, from
// a snapshot and nothing else, so that every node makes the same bytes.
//
// Begin with Tables, which says what the files hold, and with Write, which writes one. A Keeper makes files
// in the background and keeps them. The package answers no request.
//
// Read the files in this order:
//
//   - table.go, tables.go: tables, their columns and their rows
//   - file.go: the files, and their names
//   - csv.go, write.go: rows as text
//   - datapackage.go: the description of all files for programs
//   - made.go, keeper.go: a file that was made, and who keeps it
package export
