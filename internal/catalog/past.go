package catalog

import "context"

// Provenance identifies the state of the editors' files that an edition was published from. It is
// zero if they are not in a git checkout.
type Provenance struct {
	Commit   string
	Author   string // of the commit, by name
	Modified bool   // files differed from the commit
}

// A FileChange is a file before and after, by the digests of its bytes.
type FileChange struct {
	Path     string // in the content directory
	Before   string // "" if it was absent or unknown
	After    string // "" when it is gone
	Modified bool   // differs from the commit
}

// A FilePast records what editions did to a file.
type FilePast struct {
	Edition EditionRecord // the one that changed it last
	Last    FileChange    // by that edition
	Before  []string      // its earlier digests, as far as they are stored
}

// An EditionRecord is the stored record of an edition.
type EditionRecord struct {
	Edition
	Provenance
	Changed *Changed // nil if an older program published it, which did not count them
	Events  int64
}

// Changed counts the items that an edition changed.
type Changed struct{ Tools, Comparisons, Retired, Pages int }

// A Bearer is an item's slug and its former slugs.
type Bearer struct {
	Slug     string
	Formerly []string
}

// A Past answers a publication's questions about earlier ones.
type Past interface {
	// LastMoves returns the last moves of tools, by present slug. Log entries from before a rename
	// have a former slug.
	LastMoves(ctx context.Context, tools []Bearer) (map[string]LastMoves, error)

	// LastValues returns the value that each field of the tools had before its last change, as the
	// API writes it, by present slug and by field. Corrections do not count as changes.
	LastValues(ctx context.Context, tools []Bearer) (map[string]map[string]string, error)

	// Histories returns what earlier publications said of tools, by present slug.
	Histories(ctx context.Context, tools []Bearer) (map[string]History, error)

	// Files returns what editions did to files, by path. It omits files that no edition is known to
	// have changed.
	Files(ctx context.Context, paths []string) (map[string]FilePast, error)

	// Commits lists the commits that editions were published from, the newest edition first.
	Commits(ctx context.Context) ([]string, error)
}

// LastMoves is what a correction of a tool takes back: the last change of its price and the last
// change of its score.
type LastMoves struct {
	Price *PriceMove // nil if unknown
	Score *ScoreMove // nil if unknown
}

// A PriceMove records how a tool came to its price.
type PriceMove struct {
	Row    *PriceChange // the last one of its history; nil if this is the tool's first price
	Seq    int64        // its entry of the log: price.changed, or tool.created
	Update int64        // the tool.updated published with it, or the same tool.created
}

// A ScoreMove records how a tool came to its score.
type ScoreMove struct {
	Seq         int64            // the entry of the log: tool.updated or tool.created
	Comparisons map[string]int64 // the comparatif.updated of that edition, by slug
}
