package content

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/palmares-hq/palmares/internal/catalog"
)

// A Fault is something wrong in a content file.
type Fault struct {
	File    string // relative to the content directory, with forward slashes
	Line    int    // from 1
	Column  int    // from 1, in characters
	Message string // what is wrong and what to write instead
	Warning bool   // worth a look, but no obstacle to publication
}

// String is the form that editors and terminals turn into a link.
func (f Fault) String() string {
	kind := ""
	if f.Warning {
		kind = "warning: "
	}
	return fmt.Sprintf("%s:%d:%d: %s%s", f.File, f.Line, f.Column, kind, f.Message)
}

// A Result is what Load made of a content directory.
type Result struct {
	Contents *catalog.Contents // every item that could be decoded; sound and complete when HasErrors is false
	Faults   []Fault           // errors and warnings, sorted by file, line and column
	Files    int               // files found
	Decoded  int               // files decoded; the others were already known
}

// HasErrors reports whether any fault is more than a warning.
func (r Result) HasErrors() bool {
	return slices.ContainsFunc(r.Faults, func(f Fault) bool { return !f.Warning })
}

// Err is nil when there is no error among the faults, else it counts them.
func (r Result) Err() error {
	errs, files := 0, map[string]struct{}{}
	for _, f := range r.Faults {
		if !f.Warning {
			errs++
			files[f.File] = struct{}{}
		}
	}
	if errs == 0 {
		return nil
	}
	return fmt.Errorf("content is not valid: %d %s in %d %s",
		errs, plural(errs, "error"), len(files), plural(len(files), "file"))
}

func plural(n int, noun string) string {
	if n == 1 {
		return noun
	}
	return noun + "s"
}

// sortFaults keeps the order in which the faults of one place were found, which is
// the order of the keys in the documentation.
func sortFaults(faults []Fault) {
	slices.SortStableFunc(faults, func(a, b Fault) int {
		return cmp.Or(
			strings.Compare(a.File, b.File),
			cmp.Compare(a.Line, b.Line),
			cmp.Compare(a.Column, b.Column),
		)
	})
}

// cutValue is as much of a value as a message quotes.
func cutValue(s string) string {
	const most = 60
	if r := []rune(s); len(r) > most {
		return string(r[:most-1]) + "…"
	}
	return s
}
