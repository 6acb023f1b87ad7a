// Package publish turns checked content into the next edition: it tells what
// changes, refuses what looks like an accident, and prints the plan.
//
// Begin with Run. The package decides whether to publish; what changed is for catalog.Diff to say, and the
// rows are for its Store to write. It reads no environment.
//
// Read the files in this order:
//
//   - checkout.go: where the files come from, and which of them change
//   - options.go: how to publish
//   - outdated.go: English texts that the French has left behind, and values whose source was not looked at again
//   - rows.go: what a plan says of the changes
//   - plan.go: printing it
//   - markdown.go: the same as Markdown
//   - correct.go: taking back what was a slip
//   - state.go: what a file says at one time
//   - past.go: what a publication is held against
//   - history.go: files held against the commits of a checkout
//   - back.go: the fields that go back to what they were
//   - stale.go: files that somebody else has changed since
//   - guard.go: what looks like an accident
//   - publish.go: from a directory to the next edition
//   - compare.go: what would change from one directory to another
package publish
