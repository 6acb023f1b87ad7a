// Package checkout tells from which commit of a git repository files are published, and gets the files of a
// repository elsewhere. It asks the program git, and nothing it asks runs what the repository configures: no hook, no
// filter, no helper.
//
// Begin with Open for a directory that somebody has checked out, which it leaves as it is, and with OpenMirror for a
// repository elsewhere. The package decides nothing: package publish does.
//
// Read the files in this order:
//
//   - git.go: the program git
//   - checkout.go: a directory of a checkout, and its commits
//   - remote.go: where a repository is, and how it lets us in
//   - objects.go: objects of a repository, read within bounds
//   - export.go: the files of a commit, out of its objects
//   - lock.go: one publisher at a time
//   - mirror.go: a branch of a repository elsewhere
package checkout
