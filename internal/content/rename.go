package content

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"

	"github.com/palmares-hq/palmares/internal/catalog"
)

// A Kind is a kind of item that can be renamed.
type Kind string

// The kinds. A tool may be living or retired.
const (
	ToolKind       Kind = "tool"
	ComparisonKind Kind = "comparatif"
)

// A Mended is a file that names a renamed item, or that moved with it.
type Mended struct {
	From, To   string // its path, before and after
	References int    // how many mentions of the item were replaced
}

// Renamed is the outcome of Rename.
type Renamed struct {
	Files []Mended
	// Named are comparisons of a renamed tool whose own slugs still contain the old slug (From), each with a
	// proposed new slug (To).
	Named []Mended
}

// Rename gives an item another slug. It moves the item's file, its English file and those of older days, adds
// the old slug to formerly, and replaces the slug in every file that names the item. It checks the directory
// before and after: if it has errors before, nothing is changed; if it has errors after, everything is
// restored.
func Rename(ctx context.Context, dir string, kind Kind, from, to string) (Renamed, error) {
	l, err := openToWrite(dir)
	if err != nil {
		return Renamed{}, err
	}
	defer l.close()
	contents, err := sound(ctx, dir)
	if err != nil {
		return Renamed{}, fmt.Errorf("nothing was renamed, because the directory has faults: mend them first\n%w", err)
	}
	folder, err := l.renamable(kind, from, to, contents)
	if err != nil {
		return Renamed{}, err
	}
	shared := toolFolder
	if kind == ComparisonKind {
		shared = comparisonFolder
	}
	files, err := l.rewritten(l.renaming(shared, from, to, contents.Service.Site), folder)
	if err != nil {
		return Renamed{}, err
	}
	if err := l.write(files); err != nil {
		return Renamed{}, err
	}
	if _, err := sound(ctx, dir); err != nil {
		return Renamed{}, errors.Join(fmt.Errorf("nothing was renamed, because the directory would have faults:\n%w", err), l.restore(files))
	}
	var out Renamed
	for _, f := range files {
		out.Files = append(out.Files, f.Mended)
	}
	if kind == ToolKind {
		out.Named = named(contents, from, to)
	}
	return out, nil
}

// sound loads a directory, including its older days, and returns an error if it has faults other than warnings.
func sound(ctx context.Context, dir string) (*catalog.Contents, error) {
	result, err := Load(ctx, dir, Options{})
	if err != nil {
		return nil, err
	}
	if err := asError(result.Faults); err != nil {
		return nil, err
	}
	older, err := CheckHistory(ctx, dir, Options{Known: result.Contents})
	if err != nil {
		return nil, err
	}
	return result.Contents, asError(older)
}

// renamable returns the folder of an item, or an error that says why it cannot be renamed.
func (l *loader) renamable(kind Kind, from, to string, contents *catalog.Contents) (folder string, err error) {
	folders := []string{toolFolder, retiredFolder}
	switch kind {
	case ToolKind:
		folder, err = l.folderOf(from)
	case ComparisonKind:
		folders = []string{comparisonFolder}
		folder, err = comparisonFolder, l.requireComparison(from, contents)
	default:
		return "", fmt.Errorf("%q cannot be renamed: write %s or %s", kind, ToolKind, ComparisonKind)
	}
	switch {
	case err != nil:
		return "", err
	case !catalog.ValidSlug(to):
		return "", notASlug(to)
	case from == to:
		return "", fmt.Errorf("%s is its slug already: nothing was renamed", to)
	}
	for _, f := range folders {
		if l.has(f, to) {
			return "", fmt.Errorf("%s is there already: nothing was renamed", itemPath(f, to))
		}
	}
	if owner := formerOwner(kind, to, contents); owner != "" && owner != from {
		return "", fmt.Errorf("%s is a slug that %s had before, which formerly says: an old slug is nobody else's; choose another", to, owner)
	}
	return folder, nil
}

// requireComparison returns an error unless slug is a comparison.
func (l *loader) requireComparison(slug string, contents *catalog.Contents) error {
	switch {
	case !catalog.ValidSlug(slug):
		return notASlug(slug)
	case l.has(comparisonFolder, slug):
		return nil
	}
	slugs := make([]string, len(contents.Comparisons))
	for i, x := range contents.Comparisons {
		slugs[i] = x.Slug
	}
	return fmt.Errorf("unknown comparison %q: %s Write the slug of a file in %s/", slug, didYouMean(slug, slugs, noSuchTool), comparisonFolder)
}

// formerOwner returns the slug of the item that had a slug before; "" for none.
func formerOwner(kind Kind, slug string, contents *catalog.Contents) string {
	if kind == ComparisonKind {
		for _, x := range contents.Comparisons {
			if slices.Contains(x.Formerly, slug) {
				return x.Slug
			}
		}
		return ""
	}
	for _, t := range contents.Tools {
		if slices.Contains(t.Formerly, slug) {
			return t.Slug
		}
	}
	for _, r := range contents.Retired {
		if slices.Contains(r.Formerly, slug) {
			return r.Slug
		}
	}
	return ""
}

// A rewriting is a file to be written, with what it takes to undo that.
type rewriting struct {
	Mended
	before, after []byte
	mode          os.FileMode
	done          bool
}

// rewritten returns the files that a renaming changes or moves. folder is where the item's file is today.
func (l *loader) rewritten(r renaming, folder string) ([]*rewriting, error) {
	entries, err := l.everything()
	if err != nil {
		return nil, err
	}
	var files []*rewriting
	var own []byte // content of the item's file today, before the renaming
	for _, e := range entries {
		moves := e.slug == r.from && (e.folder == r.folder || r.folder == toolFolder && e.folder == retiredFolder)
		data, complaint := l.read(e, nil)
		if complaint != "" {
			return nil, asError([]Fault{{File: e.path(), Line: 1, Column: 1, Message: complaint}})
		}
		f := &rewriting{Mended: Mended{From: e.path(), To: e.path()}, before: data}
		f.after, f.References = r.replaceSlug(e, data)
		if moves {
			f.To = path.Join(e.from, e.folder, r.to+strings.TrimPrefix(e.name, r.from))
			today := e.from == "" && e.folder == folder && !e.translates
			if today {
				own = data
			}
			// An older version equal to today's file stays equal: the renaming makes no change between the two.
			if today || e.folder == folder && !e.translates && own != nil && bytes.Equal(data, own) {
				if f.after = r.addFormerSlug(e, f.after); f.after == nil {
					return nil, fmt.Errorf("%s: formerly cannot be written: write \"formerly: [%s]\" into it by hand, then try again", e.path(), r.from)
				}
			}
		}
		if f.From == f.To && bytes.Equal(f.before, f.after) {
			continue
		}
		if err := l.writable(f); err != nil {
			return nil, err
		}
		files = append(files, f)
	}
	return files, nil
}

// everything returns the files that may name an item: today's first, then those of older days and the
// operator's pages.
func (l *loader) everything() ([]entry, error) {
	var entries []entry
	for _, folder := range []string{toolFolder, comparisonFolder, retiredFolder} {
		entries = append(entries, l.listIn("", folder)...)
	}
	states, err := l.states()
	if err != nil {
		return nil, err
	}
	for _, s := range states {
		changed, err := l.changed(s)
		if err != nil {
			return nil, err
		}
		entries = append(entries, slices.DeleteFunc(changed, func(e entry) bool { return e.folder == "" })...)
	}
	for _, page := range catalog.OperatorPages() {
		for _, language := range []string{catalog.FrenchPage, catalog.EnglishPage} {
			e := entry{folder: pagesFolder, name: page + language, link: true}
			if _, err := l.root.Lstat(e.path()); err == nil {
				entries = append(entries, e)
			}
		}
	}
	return entries, nil
}

// writable sets the file's mode, or returns an error if it is not a regular file or its new path is taken.
func (l *loader) writable(f *rewriting) error {
	info, err := l.root.Lstat(f.From)
	if err != nil {
		return fmt.Errorf("reading %s: %w", f.From, cause(err))
	}
	if !info.Mode().IsRegular() {
		return fmt.Errorf("%s is not a file but a link or a folder: put the file itself there", f.From)
	}
	f.mode = info.Mode().Perm()
	if _, err := l.root.Lstat(f.To); f.From != f.To && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s is there already: nothing was renamed", f.To)
	}
	return nil
}

// write writes all files, or restores all of them and returns an error.
func (l *loader) write(files []*rewriting) error {
	for _, f := range files {
		f.done = true
		err := l.replace(f.To, f.after, f.mode)
		if err == nil && f.From != f.To {
			if err = l.root.Remove(f.From); err != nil {
				err = fmt.Errorf("removing %s: %w", f.From, cause(err))
			}
		}
		if err != nil {
			return errors.Join(fmt.Errorf("nothing was renamed: %w", err), l.restore(files))
		}
	}
	return nil
}

// restore undoes what write did.
func (l *loader) restore(files []*rewriting) error {
	var errs []error
	for _, f := range slices.Backward(files) {
		if !f.done {
			continue
		}
		errs = append(errs, l.replace(f.From, f.before, f.mode))
		if f.From != f.To {
			if err := l.root.Remove(f.To); err != nil && !errors.Is(err, fs.ErrNotExist) {
				errs = append(errs, fmt.Errorf("removing %s: %w", f.To, cause(err)))
			}
		}
	}
	return errors.Join(errs...)
}

// named returns the comparisons of a tool whose slugs contain the tool's old slug, each with the slug that it
// would have with the new one.
func named(contents *catalog.Contents, from, to string) (list []Mended) {
	for _, x := range contents.Comparisons {
		if x.ToolA != from && x.ToolB != from {
			continue
		}
		if slug := strings.Replace("-"+x.Slug+"-", "-"+from+"-", "-"+to+"-", 1); slug != "-"+x.Slug+"-" {
			list = append(list, Mended{From: x.Slug, To: strings.Trim(slug, "-")})
		}
	}
	return list
}
