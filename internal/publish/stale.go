package publish

import (
	"context"
	"slices"

	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/content"
)

// stale returns the files that would undo what was published without knowing of it, and marks their fields in
// the changes. With AllowStale they are marked but not returned, and an error in the search becomes a warning.
func stale(ctx context.Context, c *catalog.Changes, p past, o Options) (staleness, error) {
	if o.At != "" { // publishing an older state is the purpose
		return staleness{}, nil
	}
	found, err := findStale(ctx, *c, p, o)
	if err != nil && o.AllowStale {
		found.warnings, err = []content.Fault{{
			File: c.FileChanges[0].Path, Line: 1, Column: 1, Warning: true, Message: "fields that go back are not marked: " + err.Error(),
		}}, nil
	}
	if err != nil {
		return staleness{}, err
	}
	if err := markBack(ctx, c, found.files, p, o); err != nil {
		return staleness{}, err
	}
	if o.AllowStale {
		found.files = nil
	}
	return found, nil
}

// findStale returns the stale files.
//
// In a checkout, fields are compared. The checkout knows what an edition published if it has the edition's
// commit and the file was committed. Otherwise it may still have the published value from a squashed, rebased
// or cherry-picked commit. Its base is the file at the newest edition whose commit it has, or a later commit of
// its own with a state that an edition published. A field that equals the base has not been edited here; if it
// differs from the published value, somebody else has changed it.
//
// When no edition records a commit, the digests of the files decide.
func findStale(ctx context.Context, c catalog.Changes, p past, o Options) (staleness, error) {
	p.renamed = renamedFiles(c)
	suspects := slices.DeleteFunc(slices.Clone(c.FileChanges), func(f catalog.FileChange) bool {
		return p.files[p.former(f.Path)].Edition.Number == 0 || corrects(o, f.Path)
	})
	if len(suspects) == 0 {
		return staleness{}, nil
	}
	if o.Checkout != nil {
		commits, err := p.Commits(ctx)
		if err != nil {
			return staleness{}, err
		}
		if len(commits) > 0 {
			h := history{Checkout: o.Checkout, past: p, contains: make(map[string]bool)}
			return h.stale(ctx, suspects, commits)
		}
	}
	var found staleness
	for _, f := range suspects {
		if past := p.files[f.Path]; f.After != "" && f.After != past.Last.After && slices.Contains(past.Before, f.After) {
			found.files = append(found.files, StaleFile{File: f.Path, Edition: past.Edition})
		}
	}
	return found, nil
}

// corrects reports whether the options correct the tool of a file.
func corrects(o Options, file string) bool {
	return slices.ContainsFunc(o.Correct, func(slug string) bool { return pathOf(toolsFolder, slug) == file })
}
