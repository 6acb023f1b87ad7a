// Package catalog says what a catalog is made of (tools, comparisons, retired tools, categories),
// how one published state differs from the next, and how the immutable Snapshot of an edition
// answers every read.
//
// The package is pure. It opens no file, no socket and no database, and reads no clock: everything
// it needs is an argument.
//
// Begin with Snapshot, which every read comes from, and Diff, which every change comes from. Read the files
// in this order; each uses only those before it.
//
//   - measure.go, date.go: numbers and days
//   - operator.go: what the operator says of themselves, and their own files
//   - compression.go, markdown.go: reviews as they were written
//   - translation.go: texts in English
//   - fact.go: where values come from, and announced ends
//   - packages.go: package URLs
//   - license.go, catalog.go, price.go, period.go, chunk.go, embeddings.go: the items, as values
//   - cursor.go, log.go, logged.go: places in the change log, the log, how much of it a snapshot keeps, and
//     what its entries say
//   - json.go, encode.go, document.go, page.go, stats.go: the items as JSON, and pages of them
//   - collation.go, lookup.go, index.go: what a snapshot is built of
//   - snapshot.go: the Snapshot and its items
//   - search.go: the search index of each list
//   - query.go, ranking.go, reviews.go, slugs.go: lists, ranks, alternatives, reviews, and all items by slug
//   - identify.go, identifiers.go: which tools a text names: a slug, a package, a domain, a name; all packages and domains
//   - facts.go, overdue.go: the sources of an item, of the whole catalog, and the announced ends; sources to look at again
//   - plain.go, findings.go: texts within a sentence; what there is to say of a tool to somebody who uses it
//   - apply.go, changelog.go: the next Snapshot from this one and a Delta, and the change log
//   - correction.go, provenance.go, diff.go, outdated.go, correct.go, event.go: what publishing changes, makes outdated and
//     corrects, and the events that tell of it
//   - amendments.go: which entries of the log correct which
package catalog
