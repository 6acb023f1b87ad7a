// Package search is an in-memory index over short texts in French and English: names, synonyms, one
// line about each, a domain, a group. It finds documents by all words of a query, whatever their case,
// accents and number, with the last word as a prefix; if these find nothing, it reads the words that no
// document has with typos; if that finds nothing, it leaves words out.
//
// Begin with Index.Search. An Index is immutable: Apply makes the next one, which shares everything
// unchanged with it. What a query finds, and in which order, depends on the documents alone, never
// on how the index was built.
//
// The package knows nothing of tools and lists. Its caller orders documents that match equally well.
//
// Each file uses only those before it:
//
//   - words.go: words that say nothing
//   - fold.go: words, in the form in which they are compared
//   - distance.go: the number of typos between two words
//   - set.go, block.go, dictionary.go: which documents have a word
//   - index.go: adding and removing documents
//   - query.go, score.go: which documents match, and how well
//   - relax.go: which documents match best when none has all words
//   - matches.go: pages of matches, and names to suggest when nothing matches
//   - shown.go: what a query has in a text, and the synonym by which it found a document
package search
