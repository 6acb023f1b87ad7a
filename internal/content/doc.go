// Package content reads the editors' files and makes catalog values of them.
//
// Decoding is strict: an unknown key, a wrong type or a value off its scale is a Fault with the
// file, the line and the column, and a message that says what to write instead. One run reports
// every fault of every file. docs/content-format.md tells editors what this package enforces.
//
// It also writes files for editors to complete: a new tool or comparison, the operator's pages, and
// the entry of a retired tool. Load says what is left to fill in. In files that are there it changes the
// day on which a source was checked, and the slug of an item that is renamed.
//
// Begin with Load. The package publishes nothing and compares with nothing that was published; it reads what
// is in the directory, follows no link out of it, and opens no connection.
//
// Read the files in this order; each uses only those before it.
//
//   - fault.go, digest.go, anchor.go, suggest.go: faults, and small helps for them
//   - visible.go: what can be seen of a text
//   - grammar.go: what is read as Markdown
//   - node.go, document.go, merge.go, slip.go, object.go, depth.go, yaml.go, frontmatter.go: a file as a tree of values
//   - measure.go, period.go, price.go: values with a form of their own
//   - markdown.go, link.go, outline.go, review.go: the text of a review, and where its links lead
//   - localized.go: texts in two languages
//   - facts.go: sources and announced ends
//   - list.go, packages.go, formerly.go: the packages of a tool, and the slugs that an item had before
//   - tool.go, comparison.go, retired.go, categories.go, service.go: one kind of file each
//   - ownpage.go, incidents.go, svg.go, logopng.go, theme.go: the operator's own files
//   - item.go: any file that holds an item
//   - onefile.go: one file of any time, by itself
//   - english.go: the text of an item in English
//   - loader.go, files.go, history.go, crosscheck.go, twins.go, successors.go, samepackages.go, sameslugs.go, deadlinks.go, pages.go, load.go: a whole directory, today or earlier
//   - draft.go, newpages.go, retire.go: files for editors to complete
//   - checked.go: the day of a check, in a file that is there
//   - renametext.go, rename.go: another slug for an item, in every file that names it
package content
