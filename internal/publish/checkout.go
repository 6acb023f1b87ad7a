package publish

import (
	"context"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/content"
)

// A Checkout is the git checkout that holds the content directory.
type Checkout interface {
	Files
	Commits
}

// Files are those of the content directory, beside the commit that is checked out.
type Files interface {
	// Read takes notice of a file that is read. Several goroutines call it at once.
	Read(path string, data []byte)
	// Provenance is known once all files are read.
	Provenance() catalog.Provenance
	// Modified reports whether a file is not as the commit has it.
	Modified(path string) bool
}

// Commits are those that lead to the commit that is checked out.
type Commits interface {
	// Contains reports whether a commit is one of them.
	Contains(ctx context.Context, commit string) bool
	// Had reports whether one of them has the file with a content that is as wanted.
	Had(ctx context.Context, path string, wanted func(data []byte) bool) bool
}

// The files at the top, and the only one in pages/ that is not published as it is.
const (
	catalogFile    = "catalog.yaml"
	categoriesFile = "categories.yaml"
	pagesFolder    = "pages/"
	incidentsFile  = pagesFolder + "incidents.yaml"
)

// A reading takes notice of the files while they are read.
type reading struct {
	checkout Checkout // nil without git

	mu      sync.Mutex
	singles map[string]string // digests of the files of which no item keeps one
}

func (r *reading) read(file string, data []byte) {
	if r.checkout != nil {
		r.checkout.Read(file, data)
	}
	today := file
	if older, ok := strings.CutPrefix(file, "history/"); ok { // a day's
		_, today, _ = strings.Cut(older, "/")
	}
	if slices.Contains([]string{catalogFile, categoriesFile, incidentsFile}, today) {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.singles[today] = content.Digest(data)
	}
}

// changes adds to the changes what they do to files, and where the files come from. A digest from
// before that no item keeps is the last one that was noted.
func (r *reading) changes(ctx context.Context, past catalog.Past, c *catalog.Changes, current *catalog.Contents) (map[string]catalog.FilePast, error) {
	if r.checkout != nil {
		c.Provenance = r.checkout.Provenance()
	}
	c.FileChanges = slices.Concat(
		fileChanges(toolsFolder, c.Tools, func(t *catalog.Tool) string { return t.Source }),
		fileChanges(comparisonsFolder, c.Comparisons, func(x *catalog.Comparison) string { return x.Source }),
		fileChanges(retiredFolder, c.Retired, func(x *catalog.Retired) string { return x.Source }),
		fileChanges(pagesFolder, c.Files, func(f *catalog.OperatorFile) string { return f.Hash }),
	)
	for file, changed := range map[string]bool{
		catalogFile: c.ServiceChanged, categoriesFile: c.CategoriesChanged, incidentsFile: c.IncidentsChanged,
	} {
		if changed {
			c.FileChanges = append(c.FileChanges, catalog.FileChange{Path: file, After: r.singles[file]})
		}
	}
	slices.SortFunc(c.FileChanges, func(a, b catalog.FileChange) int { return strings.Compare(a.Path, b.Path) })
	c.Rewritten = slices.Concat(
		rewritten(toolsFolder, c.Sources.Tools, current.Tools, func(t *catalog.Tool) (string, string) { return t.Slug, t.Source }),
		rewritten(comparisonsFolder, c.Sources.Comparisons, current.Comparisons, func(x *catalog.Comparison) (string, string) { return x.Slug, x.Source }),
		rewritten(retiredFolder, c.Sources.Retired, current.Retired, func(x *catalog.Retired) (string, string) { return x.Slug, x.Source }),
	)
	paths := make([]string, len(c.FileChanges))
	for i, f := range c.FileChanges {
		paths[i] = f.Path
	}
	files, err := past.Files(ctx, paths)
	if err != nil {
		return nil, err
	}
	for i := range c.FileChanges {
		f := &c.FileChanges[i]
		if f.Before == "" && !strings.Contains(f.Path, "/") || f.Path == incidentsFile {
			f.Before = files[f.Path].Last.After
		}
		f.Modified = r.checkout != nil && r.checkout.Modified(f.Path)
	}
	return files, nil
}

const (
	toolsFolder       = "tools/"
	comparisonsFolder = "comparatifs/"
	retiredFolder     = "cimetiere/"
)

// fileChanges lists the files of changed items. An item may change without its file: a comparison
// shows the score of its tools.
func fileChanges[T comparable](folder string, changes []catalog.Change[T], digest func(T) string) []catalog.FileChange {
	var files []catalog.FileChange
	for _, ch := range changes {
		f := catalog.FileChange{Path: pathOf(folder, ch.Slug)}
		if !ch.Added() {
			f.Before = digest(ch.Old)
		}
		if !ch.Removed() {
			f.After = digest(ch.New)
		}
		if f.Before != f.After {
			files = append(files, f)
		}
	}
	return files
}

func rewritten[T any](folder string, digests map[string]string, items []T, known func(T) (slug, digest string)) []catalog.FileChange {
	if len(digests) == 0 {
		return nil
	}
	var files []catalog.FileChange
	for _, item := range items {
		slug, before := known(item)
		if after, is := digests[slug]; is {
			files = append(files, catalog.FileChange{Path: pathOf(folder, slug), Before: before, After: after})
		}
	}
	return files
}

func pathOf(folder, slug string) string {
	if folder == pagesFolder {
		return path.Join(folder, slug)
	}
	return folder + slug + ".md"
}
