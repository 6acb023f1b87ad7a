// Package publish turns checked content into the next edition: it finds what changes, refuses what looks like
// an accident, and prints the plan.
//
// Begin with Run. The package decides whether to publish. catalog.Diff finds the changes, and the Store writes
// them. The package reads no environment variables.
//
// Read the files in this order:
//
//   - checkout.go: where the files come from, and which of them change
//   - options.go: how to publish
//   - outdated.go: English texts that lag behind the French, and new values whose source was not checked again
//   - rows.go: the contents of a plan
//   - plan.go: the plan as text
//   - markdown.go: the plan as Markdown
//   - correct.go: correcting a published mistake
//   - since.go: prices that changed before the publication
//   - state.go: one version of a file
//   - past.go: earlier editions and the files they changed
//   - history.go: comparing files with the commits of a checkout
//   - back.go: fields that return to earlier values
//   - stale.go: files that undo what somebody else has published
//   - guard.go: changes that look like an accident
//   - publish.go: from a directory to the next edition
//   - compare.go: what would change from one directory to another
package publish
