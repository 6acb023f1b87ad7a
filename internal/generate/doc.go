// Package generate writes synthetic but plausible catalogs of any size as content files, and changes
// them in place, so that every part of Palmarès can be tried at the sizes it must carry.
//
// Everything is drawn from a seed: the same options give the same bytes on any machine and with any
// number of processors. All tools are invented and every domain ends in .example.
//
// Begin with Write and Mutate. The package knows content files alone: it neither checks nor publishes them.
//
// Read the files in this order; each uses those before it, with few exceptions.
//
//   - options.go: what to write
//   - category.go, phrase.go: categories, and how sentences are made of words
//   - lexicon_review.go, lexicon_verdict.go, lexicon.go, lexicon_category.go: the words
//   - name.go, review.go: names and reviews
//   - plan.go, pairs.go: what a catalog will hold
//   - render.go, output.go: its files
//   - generate.go, mutate.go, mutate_file.go: writing them, and changing them in place
package generate
