// Package catalog defines what a catalog holds (tools, comparisons, retired tools, categories), how
// to compare one published state with the next, and the immutable Snapshot of an edition, which
// answers every read.
//
// The package is pure. It opens no file, no socket and no database, and reads no clock: everything
// it needs is an argument.
//
// Begin with Snapshot, which serves every read, and Diff, which computes every change. Each file
// uses only those before it:
//
//   - measure.go: numbers and days
//   - operator.go: the operator's words, licence and files
//   - compression.go, translation.go: the Markdown of reviews, and texts in English
//   - catalog.go, price.go, embeddings.go: the items, as values
//   - log.go, logged.go: the change log, and what its entries say
//   - history.go, record.go: what was true of a tool and when, and how log entries add to it
//   - json.go, encode.go, page.go, stats.go: the items as JSON, and pages of them
//   - index.go, snapshot.go, renamed.go: the Snapshot and its items, by present and former slugs
//   - search.go: the search index of each list
//   - query.go, ranking.go, pricemap.go, reviews.go, slugs.go: lists, ranks, alternatives, tools by price and score, reviews, and
//     all slugs
//   - identify.go, identifiers.go: the tools that a text names; all packages and domains
//   - facts.go: the sources of values, and which of them are due for a check
//   - asof.go: histories of the Snapshot, and the tools of a day
//   - findings.go, compare.go: what users of a tool should know; tools side by side
//   - bill.go: what tools cost together, month by month
//   - apply.go, changelog.go: the next Snapshot from this one and a Delta; reading the change log
//   - past.go, renames.go, fields.go, diff.go, correction.go, outdated.go, event.go: what publishing
//     changes, corrects and makes outdated, and the events that report it
package catalog
