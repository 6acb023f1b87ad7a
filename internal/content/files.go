package content

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"

	"github.com/palmares-hq/palmares/internal/catalog"
)

// ignored reports whether a file is not content: hidden, an editor's backup, or README.md, a note to the
// editors.
func ignored(name string) bool {
	return name[0] == '.' || strings.HasSuffix(name, "~") || name == "README.md"
}

// list returns the entries of a folder as of the requested day, sorted by name, each with its English file. A
// folder that does not exist is empty.
func (l *loader) list(folder string) []entry {
	entries := l.listIn("", folder)
	if l.past == nil {
		return l.pairEnglish(entries)
	}
	entries = slices.DeleteFunc(entries, func(e entry) bool { _, named := l.past[e.today()]; return named })
	for _, e := range l.past {
		if e.folder == folder && !e.gone {
			entries = append(entries, e)
		}
	}
	slices.SortFunc(entries, func(a, b entry) int { return strings.Compare(a.name, b.name) })
	return l.pairEnglish(entries)
}

// pairEnglish returns the French entries, each with its English file attached.
//
// On an older day, a translation must match the French file of that day. A translation that history/ does not
// name belongs to today's French file. If history/ names the French file, the translation did not exist yet.
func (l *loader) pairEnglish(entries []entry) []entry {
	items := make([]entry, 0, len(entries))
	var translations []entry
	for _, e := range entries {
		if e.translates {
			translations = append(translations, e)
		} else {
			items = append(items, e)
		}
	}
	at := make(map[string]int, len(translations))
	if len(translations) > 0 {
		for i, e := range items {
			at[e.slug] = i
		}
	}
	for _, e := range translations {
		i, found := at[e.slug]
		_, named := l.past[e.french()]
		switch {
		case named && e.from == "":
		case found:
			items[i].english = &e
		case l.past == nil:
			l.fault(e.path(), "there is no %s%s to translate: write the French file too, or remove this one", e.slug, itemExtension)
		}
	}
	return items
}

// listIn returns the entries of a folder, of today or of an older state.
func (l *loader) listIn(from, folder string) []entry {
	at := path.Join(from, folder)
	found, err := l.readDir(from, folder)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		l.fault(at, "the folder cannot be read inside the content directory: put the folder itself here, and let it be read (%v)", cause(err))
		return nil
	}
	entries := make([]entry, 0, len(found))
	for _, f := range found {
		if ignored(f.Name()) {
			continue
		}
		e := entry{from: from, folder: folder, name: f.Name(), link: f.Type()&fs.ModeSymlink != 0}
		if l.acceptable(&e, f) {
			if from != "" {
				info, err := f.Info()
				e.gone = err == nil && info.Size() == 0
			}
			entries = append(entries, e)
		}
	}
	return entries
}

// readDir lists one folder, of today or of an older state. Listing through os.Root asks for the size and times
// of every file, which is slow for the many files of today, whose names and types are enough. They are
// therefore listed by the folder's path, after checking that the path leads to the same folder that os.Root
// opened.
func (l *loader) readDir(from, folder string) ([]fs.DirEntry, error) {
	if from != "" {
		return fs.ReadDir(l.root.FS(), path.Join(from, folder))
	}
	sub, err := l.root.OpenRoot(folder)
	if err != nil {
		return nil, err
	}
	l.folders[folder] = sub
	found, err := os.ReadDir(sub.Name())
	listed, _ := os.Stat(sub.Name())
	opened, _ := sub.Stat(".")
	if err != nil || !os.SameFile(listed, opened) {
		return fs.ReadDir(sub.FS(), ".")
	}
	return found, nil
}

// acceptable sets the slug of an entry and reports whether it is to be decoded. It reports a fault for a file
// that does not belong in the folder, and for a name that is not a slug: the latter is decoded all the same.
func (l *loader) acceptable(e *entry, f fs.DirEntry) bool {
	stem, isItem := strings.CutSuffix(e.name, itemExtension)
	if english, ok := strings.CutSuffix(e.name, englishExtension); ok {
		stem, e.translates = english, true
	}
	switch {
	case f.IsDir():
		l.fault(e.path(), "folders inside %s/ are not read: move the files up and remove the folder", e.folder)
		return false
	case !e.link && !f.Type().IsRegular():
		l.fault(e.path(), "not a regular file: remove it")
		return false
	case !isItem:
		base, extension, _ := strings.Cut(e.name, ".")
		if slices.Contains([]string{"markdown", "mdown", "mkd", "MD", "Md", "yml", "yaml", "mdx"}, extension) {
			l.fault(e.path(), "the extension must be %s: rename the file to %s%s", itemExtension, base, itemExtension)
		} else {
			l.fault(e.path(), "stray file: %s/ holds <slug>%s and <slug>%s files only; move or remove it", e.folder, itemExtension, englishExtension)
		}
		return false
	case !catalog.ValidSlug(stem):
		l.fault(e.path(), "file name %q is not a slug: use lower-case words joined by hyphens, %d characters at most%s",
			stem, catalog.MaxSlug, slugExample(stem))
	}
	e.slug = stem
	return true
}

// checkTop reports what lies at the top of the directory and is not read: it warns of folders and of files that
// look like items, and refuses catalog.yml and categories.yml.
func (l *loader) checkTop() error {
	found, err := fs.ReadDir(l.root.FS(), ".")
	if err != nil {
		return fmt.Errorf("list directory: %w", err)
	}
	folders := []string{toolFolder, comparisonFolder, retiredFolder, historyFolder, pagesFolder}
	for _, f := range found {
		name := f.Name()
		switch {
		case ignored(name) || slices.Contains(folders, name):
		case name == "catalog.yml" || name == "categories.yml":
			l.fault(name, "the extension must be .yaml: rename the file to %s.yaml", strings.TrimSuffix(name, ".yml"))
		case f.IsDir():
			l.warn(name, "this folder is not read: %s", didYouMean(name, folders,
				"put its files into "+strings.Join(folders, ", ")+", or move it out of the content directory"))
		case catalog.ValidSlug(strings.TrimSuffix(name, itemExtension)) && strings.HasSuffix(name, itemExtension): // CONTRIBUTING.md is no item
			l.warn(name, "this file is not read: items are in %s, %s and %s; move it there, or out of the content directory",
				toolFolder, comparisonFolder, retiredFolder)
		}
	}
	return nil
}

// read returns the bytes of an entry, in buf if they fit. When the file cannot be read, the second result is a
// message for the editor. It reads at most a little over maxFile, which is enough for clean to refuse the file.
func (l *loader) read(e entry, buf []byte) ([]byte, string) {
	f, err := l.openEntry(e)
	if err != nil {
		if e.link {
			return buf[:0], fmt.Sprintf("the symbolic link does not lead to a file inside the content directory: put the file itself here (%v)", cause(err))
		}
		if errors.Is(err, fs.ErrNotExist) {
			return buf[:0], "the file is missing: create it; docs/content-format.md has an example"
		}
		return buf[:0], fmt.Sprintf("the file cannot be read: check its permissions (%v)", cause(err))
	}
	defer func() { _ = f.Close() }() // opened for reading: nothing to lose
	buf = buf[:0]
	for len(buf) <= maxFile {
		if len(buf) == cap(buf) {
			buf = slices.Grow(buf, max(8<<10, cap(buf)))
		}
		n, err := f.Read(buf[len(buf):cap(buf)])
		buf = buf[:len(buf)+n]
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return buf[:0], fmt.Sprintf("the file cannot be read: %v", cause(err))
		}
	}
	if l.onRead != nil {
		l.onRead(e.path(), buf)
	}
	return buf, ""
}

// openEntry opens the file of an entry through os.Root, which follows no link out of the directory.
func (l *loader) openEntry(e entry) (*os.File, error) {
	folder, ok := l.folders[e.folder]
	if ok && !e.link && e.from == "" {
		return folder.Open(e.name)
	}
	info, err := l.root.Stat(e.path())
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, errors.New("not a regular file")
	}
	return l.root.Open(e.path())
}

// cause returns err without the operation and the path, which the fault already has.
func cause(err error) error {
	if pathError, ok := errors.AsType[*fs.PathError](err); ok {
		return pathError.Err
	}
	return err
}
