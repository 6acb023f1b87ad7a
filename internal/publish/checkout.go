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
	// Newest is the first of the commits given that is one of them; "" for none.
	Newest(ctx context.Context, commits []string) (string, error)
	// Shallow reports whether the earlier ones were not fetched.
	Shallow(ctx context.Context) bool
	// File is a file as one of them has it; without a commit, as the one that is checked out.
	File(ctx context.Context, commit, path string) (data []byte, there bool, err error)
	// Versions visits the file as the last of them that changed it have it, the newest first and back to
	// one of them that is left out, until visit returns false.
	Versions(ctx context.Context, since, path string, visit func(data []byte, there bool) bool) error
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
		fileChanges(toolsFolder, c.Tools, toolDigests),
		fileChanges(comparisonsFolder, c.Comparisons, comparisonDigests),
		fileChanges(retiredFolder, c.Retired, retiredDigests),
		fileChanges(pagesFolder, c.Files, func(f *catalog.OperatorFile) catalog.Digests { return catalog.Digests{French: f.Hash} }),
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
		rewritten(toolsFolder, c.Sources.Tools, current.Tools, func(t *catalog.Tool) string { return t.Slug }, toolDigests),
		rewritten(comparisonsFolder, c.Sources.Comparisons, current.Comparisons, func(x *catalog.Comparison) string { return x.Slug }, comparisonDigests),
		rewritten(retiredFolder, c.Sources.Retired, current.Retired, func(x *catalog.Retired) string { return x.Slug }, retiredDigests),
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

// The digests of the files of items.
func toolDigests(t *catalog.Tool) catalog.Digests {
	return catalog.Digests{French: t.Source, English: t.English.Source}
}

func comparisonDigests(x *catalog.Comparison) catalog.Digests {
	return catalog.Digests{French: x.Source, English: x.English.Source}
}

func retiredDigests(x *catalog.Retired) catalog.Digests {
	return catalog.Digests{French: x.Source, English: x.English.Source}
}

// fileChanges lists the files of changed items. An item may change without its file: a comparison
// shows the score of its tools.
func fileChanges[T comparable](folder string, changes []catalog.Change[T], digests func(T) catalog.Digests) []catalog.FileChange {
	var files []catalog.FileChange
	for _, ch := range changes {
		var before, after catalog.Digests
		if !ch.Added() {
			before = digests(ch.Old)
		}
		if !ch.Removed() {
			after = digests(ch.New)
		}
		files = append(files, filesOf(folder, ch.Slug, before, after)...)
	}
	return files
}

// filesOf lists the files of an item that are not as they were.
func filesOf(folder, slug string, before, after catalog.Digests) []catalog.FileChange {
	var files []catalog.FileChange
	if before.French != after.French {
		files = append(files, catalog.FileChange{Path: pathOf(folder, slug), Before: before.French, After: after.French})
	}
	if before.English != after.English {
		files = append(files, catalog.FileChange{Path: englishPathOf(folder, slug), Before: before.English, After: after.English})
	}
	return files
}

func rewritten[T any](
	folder string, rewritten map[string]catalog.Digests, items []T, slug func(T) string, digests func(T) catalog.Digests,
) []catalog.FileChange {
	if len(rewritten) == 0 {
		return nil
	}
	var files []catalog.FileChange
	for _, item := range items {
		if after, is := rewritten[slug(item)]; is {
			files = append(files, filesOf(folder, slug(item), digests(item), after)...)
		}
	}
	return files
}

func pathOf(folder, slug string) string {
	if folder == pagesFolder {
		return path.Join(folder, slug)
	}
	return folder + slug + catalog.FrenchPage
}

// englishPathOf is where the English text of an item is.
func englishPathOf(folder, slug string) string { return folder + slug + catalog.EnglishPage }
