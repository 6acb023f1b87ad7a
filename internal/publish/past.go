package publish

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/content"
)

// A StaleFile is a file that would undo what an edition published, without knowing of it.
type StaleFile struct {
	File    string
	Fields  []string              // fields that return to earlier values; none for the whole file
	Edition catalog.EditionRecord // the last edition that changed the file
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

// staleness is the result of looking for stale files.
type staleness struct {
	files    []StaleFile
	shallow  bool            // the clone is shallow and has no published commit
	warnings []content.Fault // for fields that both sides have changed
}

// A past holds what a publication is compared with.
type past struct {
	catalog.Past
	current, next *catalog.Contents
	files         map[string]catalog.FilePast
	renamed       map[string]string // former paths of renamed items' files, by their new paths
}

// former returns the path under which a file was published.
func (p past) former(file string) string { return cmp.Or(p.renamed[file], file) }

// renamedFiles maps the new paths of renamed items' files to the old ones, under which their earlier versions
// were published.
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
