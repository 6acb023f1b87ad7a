// Package content reads the editors' files and turns them into catalog values.
//
// Decoding is strict: an unknown key, a wrong type or a value off its scale is a Fault with the file, the line
// and the column, and a message that says what to write instead. One run reports every fault of every file.
// docs/content-format.md tells editors what this package enforces.
//
// The package also writes files for editors to complete: a new tool or comparison, the operator's pages, and
// the entry of a retired tool. Load then reports what is left to fill in. It edits existing files in two
// cases only: to set the day on which a source was checked, and to rename an item.
//
// Begin with Load. The package publishes nothing and compares nothing with what was published. It reads only
// the content directory, follows no link out of it, and opens no connection.
//
// Read the files in this order; each uses only those before it.
//
//   - fault.go, digest.go, anchor.go, suggest.go: faults, and small helpers for them
//   - visible.go: which characters of a text a reader can see
//   - grammar.go: the Markdown parser and its bounds
//   - node.go, document.go, merge.go, slip.go, object.go, depth.go, yaml.go, frontmatter.go: a file as a tree of values
//   - measure.go, period.go, price.go: values with a syntax of their own
//   - markdown.go, link.go, outline.go, review.go: the text of a review, and where its links lead
//   - localized.go: texts in two languages
//   - facts.go, nextprice.go: sources, announced ends and announced prices
//   - list.go, packages.go, formerly.go, synonyms.go: a tool's packages, the former slugs of an item, and
//     what else people call it
//   - tool.go, comparison.go, retired.go, categories.go, service.go: one kind of file each
//   - ownpage.go, incidents.go, svg.go, logopng.go, theme.go: the operator's own files
//   - item.go: any file that holds an item
//   - onefile.go: a single file, current or old, decoded by itself
//   - english.go: the text of an item in English
//   - loader.go, files.go, history.go, crosscheck.go, twins.go, successors.go, samepackages.go, sameslugs.go, deadlinks.go, pages.go, load.go: a whole directory, today or earlier
//   - draft.go, newpages.go, retire.go: files for editors to complete
//   - checked.go: sets the day of a check in an existing file
//   - renametext.go, rename.go: gives an item another slug, in every file that names it
package content
