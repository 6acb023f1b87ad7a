package publish

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/content"
)

// A StaleFile goes back to what it was before an edition changed it.
type StaleFile struct {
	File    string
	Edition catalog.EditionRecord // the last one that changed it
}

func (f StaleFile) String() string {
	s := fmt.Sprintf("%s  changed by edition %d of %s", f.File, f.Edition.Number, f.Edition.Date())
	if f.Edition.Commit != "" {
		s += fmt.Sprintf(", commit %.12s", f.Edition.Commit)
	}
	if f.Edition.Author != "" {
		s += " by " + f.Edition.Author
	}
	return s
}

// stale finds the files that a checkout takes back without knowing: it has them as they were before
// their last change, and has neither the commit of that edition nor, in its history, the file as that
// edition has it.
func stale(ctx context.Context, c catalog.Changes, files map[string]catalog.FilePast, o Options) []StaleFile {
	if o.AllowStale || o.At != "" { // older states are what --at asks for
		return nil
	}
	contains := make(map[string]bool) // by commit
	var found []StaleFile
	for _, f := range c.FileChanges {
		past, known := files[f.Path]
		if !known || past.Edition.Number == 0 || corrects(o, f.Path) || !goesBack(f, past, o.Checkout != nil) {
			continue
		}
		if o.Checkout != nil && !asks(contains, past.Edition.Commit) {
			contains[past.Edition.Commit] = o.Checkout.Contains(ctx, past.Edition.Commit)
		}
		meant := contains[past.Edition.Commit] && !past.Last.Modified
		// A file that has been so before proves nothing by being in the history.
		fresh := past.Last.After != "" && !slices.Contains(past.Before, past.Last.After)
		if !meant && o.Checkout != nil && fresh && len(found) < listed {
			meant = o.Checkout.Had(ctx, f.Path, func(data []byte) bool { return digestOf(f.Path, data) == past.Last.After })
		}
		if !meant {
			found = append(found, StaleFile{f.Path, past.Edition})
		}
	}
	return found
}

func asks(contains map[string]bool, commit string) bool {
	_, asked := contains[commit]
	return asked || commit == ""
}

// goesBack reports whether a file becomes again what it was before its last change. That it was not
// there yet counts for pages alone, and only where git can tell what is meant: a tool or a comparison
// cannot vanish anyway.
func goesBack(f catalog.FileChange, past catalog.FilePast, git bool) bool {
	if f.After == "" {
		return git && strings.HasPrefix(f.Path, pagesFolder) && past.Edition.Commit != "" && past.Last.Before == ""
	}
	return f.After != past.Last.After && slices.Contains(past.Before, f.After)
}

// corrects reports whether a file is that of a tool whose slip is taken back.
func corrects(o Options, file string) bool {
	return slices.ContainsFunc(o.Correct, func(slug string) bool { return pathOf(toolsFolder, slug) == file })
}

// digestOf is the digest that is kept of a file.
func digestOf(file string, data []byte) string {
	if name, ok := strings.CutPrefix(file, pagesFolder); ok && file != incidentsFile {
		return catalog.NewOperatorFile(name, string(data)).Hash
	}
	return content.Digest(data)
}
