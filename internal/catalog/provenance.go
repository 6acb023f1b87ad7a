package catalog

import "context"

// Provenance says which state of the editors' files an edition was published from. It is zero where
// they are in no git checkout.
type Provenance struct {
	Commit   string
	Author   string // of the commit, by name
	Modified bool   // files were not as the commit has them
}

// A FileChange is a file before and after, by the digests of its bytes.
type FileChange struct {
	Path     string // in the content directory
	Before   string // "" when it was not there, or nobody knows
	After    string // "" when it is gone
	Modified bool   // it is not as the commit has it
}

// A FilePast is what editions did to a file.
type FilePast struct {
	Edition EditionRecord // the one that changed it last
	Last    FileChange    // by that edition
	Before  []string      // the digests that it had before, as far as they are kept
}

// An EditionRecord is what is kept about an edition.
type EditionRecord struct {
	Edition
	Provenance
	Changed *Changed // nil when the program that published it did not count
	Events  int64
}

// Changed counts the items that an edition changed.
type Changed struct{ Tools, Comparisons, Retired, Pages int }

// A Past tells a publication about the ones before it.
type Past interface {
	// LastMoves finds the last moves of tools, by slug.
	LastMoves(ctx context.Context, slugs []string) (map[string]LastMoves, error)

	// Files finds what editions did to files, by path. Those of which nothing is known are left out.
	Files(ctx context.Context, paths []string) (map[string]FilePast, error)
}
