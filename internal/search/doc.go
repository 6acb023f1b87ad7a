// Package search is an index in memory over short texts in French: names, one line about each, a domain, a
// group. It finds by all words of a query, whatever their case, accents and number, with the last one as a
// prefix; where the words as typed find nothing, it takes names that are one or two slips away.
//
// Begin with Index.Search. An Index never changes: Apply makes the next one, which shares with it all that
// did not change. What a query finds, and in which order, depends on the documents alone, never on how the
// index was built: there are no weights that come of counting, and no numbers of documents in the order.
//
// The package knows nothing of tools and lists. Its caller says in which order documents stand that match
// equally well.
//
// Read the files in this order; each uses only those before it.
//
//   - fold.go, stem.go: words, as they are compared
//   - distance.go: how many slips lie between two words
//   - set.go, block.go, dictionary.go: which documents have a word
//   - index.go: documents in, documents out
//   - query.go, score.go: which documents match, and how well
//   - matches.go: a page of them, in an order
//   - near.go: names to offer when nothing matches
package search
