// Package checkout finds the commit of a git repository that files are published from, and fetches the files of a
// remote repository. It runs the program git in such a way that nothing the repository configures is run: no hook, no
// filter, no helper.
//
// Begin with Open for a directory that somebody has checked out, which it never changes, and with OpenMirror for a
// remote repository. The package decides nothing: package publish does.
//
// Read the files in this order:
//
//   - git.go: runs the program git
//   - checkout.go: a directory of a checkout, and its commits
//   - remote.go: the address of a remote repository and the credentials for it
//   - objects.go: reads objects of a repository, up to a size
//   - export.go: writes the files of a commit from its objects
//   - lock.go: lets one publisher work at a time
//   - mirror.go: keeps a copy of a branch of a remote repository
package checkout
