// Package changes reads the change log for those who keep a copy of the catalog: page by page, after a cursor,
// filtered. A node answers from what its snapshot has of the log, and asks the database for the rest.
//
// Only the database can say that a cursor is not of its history, or too old. A node that is behind, or still
// serves what was there before a restore, knows less than the client; and while the database is away nobody
// may be told to start again.
//
// Read the files in this order; each uses only those before it.
//
//   - query.go: what is asked for
//   - page.go: what is answered
//   - turn.go: one question for all who ask at a time
//   - reader.go: where the answer comes from
package changes
