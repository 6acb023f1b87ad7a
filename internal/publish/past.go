package publish

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/content"
)

// A StaleFile would take back what an edition published, without knowing of it.
type StaleFile struct {
	File    string
	Fields  []string              // that go back; none where it is the whole file
	Edition catalog.EditionRecord // the last one that changed it
}

func (f StaleFile) String() string {
	s := f.File
	if len(f.Fields) > 0 {
		s += "  " + strings.Join(f.Fields, ", ")
	}
	s += "  " + changedBy(f.Edition)
	return s
}

func changedBy(e catalog.EditionRecord) string {
	s := fmt.Sprintf("changed by edition %d of %s", e.Number, e.Date())
	if e.Commit != "" {
		s += fmt.Sprintf(", commit %.12s", e.Commit)
	}
	if e.Author != "" {
		s += " by " + e.Author
	}
	return s
}

// staleness is what is found of files that somebody else may have changed since.
type staleness struct {
	files    []StaleFile
	shallow  bool            // the clone is, and has no commit that was published
	warnings []content.Fault // of fields that both sides have changed
}

// A past is what a publication is held against.
type past struct {
	catalog.Past
	current, next *catalog.Contents
	files         map[string]catalog.FilePast
	renamed       map[string]string // the path that a file had, by the one that it has
}

// former is the path under which a file was published.
func (p past) former(file string) string { return cmp.Or(p.renamed[file], file) }

// renamedFiles are the paths of items that get another slug, by the new ones. What an item says is held against what it
// said under the old one.
func renamedFiles(c catalog.Changes) map[string]string {
	files := make(map[string]string)
	add := func(folder string, renamed map[string]string) {
		for old, slug := range renamed {
			files[pathOf(folder, slug)], files[englishPathOf(folder, slug)] = pathOf(folder, old), englishPathOf(folder, old)
		}
	}
	add(toolsFolder, c.RenamedTools())
	add(retiredFolder, c.RenamedTools())
	add(comparisonsFolder, c.RenamedComparisons())
	return files
}
