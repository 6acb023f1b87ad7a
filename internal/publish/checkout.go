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

// Files observes the files of the content directory while they are read, and compares them with the checked-out
// commit.
type Files interface {
	// Read is called with every file that is read, by several goroutines at once.
	Read(path string, data []byte)
	// Provenance returns where the files come from. It is complete once all files are read.
	Provenance() catalog.Provenance
	// Modified reports whether a file differs from the checked-out commit.
	Modified(path string) bool
}

// Commits reads the history of the checked-out commit: itself and its ancestors.
type Commits interface {
	// Contains reports whether commit is the checked-out commit or one of its ancestors.
	Contains(ctx context.Context, commit string) bool
	// Newest returns the first of the given commits that Contains would accept; "" for none.
	Newest(ctx context.Context, commits []string) (string, error)
	// Shallow reports whether the clone lacks older commits.
	Shallow(ctx context.Context) bool
	// File returns a file as of a commit; as of the checked-out commit if commit is "".
	File(ctx context.Context, commit, path string) (data []byte, there bool, err error)
	// Versions visits the versions of a file in the commits that changed it, newest first, until visit returns
	// false. It leaves out the commit since and its ancestors.
	Versions(ctx context.Context, since, path string, visit func(data []byte, there bool) bool) error
}

// The top-level files, and the only file in pages/ that is not published verbatim.
const (
	catalogFile    = "catalog.yaml"
	categoriesFile = "categories.yaml"
	pagesFolder    = "pages/"
	incidentsFile  = pagesFolder + "incidents.yaml"
)

// A reading records facts about the files while they are loaded.
type reading struct {
	checkout Checkout // nil without git

	mu      sync.Mutex
	singles map[string]string // digests of the files whose digest no item stores
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

// changes adds the changed files and their provenance to c, and returns what earlier editions did to these
// files. For a file whose digest no item stores, the digest before the change is the last one that an edition
// recorded.
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

// fileChanges returns the changed files of changed items. There may be none: a comparison changes with the
// scores of its tools, without its own file.
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

// filesOf returns the files of an item that differ before and after: French, English or both.
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

// englishPathOf returns the path of an item's English file.
func englishPathOf(folder, slug string) string { return folder + slug + catalog.EnglishPage }
