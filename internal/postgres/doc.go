// Package postgres holds all the SQL: the schema and its migrations, the
// publication of an edition, what a node reads of it, and the feed on which a
// node hears of the next one. One file per noun.
package postgres
