// Package search is an in-memory index over short texts in French: names, one line about each, a
// domain, a group. It finds documents by all words of a query, whatever their case, accents and
// number, with the last word as a prefix; if the words as typed find nothing, it tries names that
// are one or two typos away.
//
// Begin with Index.Search. An Index is immutable: Apply makes the next one, which shares everything
// unchanged with it. What a query finds, and in which order, depends on the documents alone, never
// on how the index was built.
//
// The package knows nothing of tools and lists. Its caller orders documents that match equally well.
//
// Each file uses only those before it:
//
//   - fold.go: words, in the form in which they are compared
//   - distance.go: the number of typos between two words
//   - set.go, block.go, dictionary.go: which documents have a word
//   - index.go: adding and removing documents
//   - query.go, score.go: which documents match, and how well
//   - matches.go: pages of matches, and names to suggest when nothing matches
package search
