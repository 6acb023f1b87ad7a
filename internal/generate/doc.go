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
//   - phrases.go, text.go: what is said, in French and in English, and reviews
//   - front.go, plan.go: front matters, and all that a catalog holds
//   - generate.go, mutate.go: writing its files, and changing them in place
package generate
