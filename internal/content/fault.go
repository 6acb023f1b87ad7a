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

// String returns the fault as file:line:column: message, which editors and terminals turn into a link.
func (f Fault) String() string {
	kind := ""
	if f.Warning {
		kind = "warning: "
	}
	return fmt.Sprintf("%s:%d:%d: %s%s", f.File, f.Line, f.Column, kind, f.Message)
}

// A Result is the outcome of loading a content directory.
type Result struct {
	Contents *catalog.Contents // every item that could be decoded; sound and complete when HasErrors is false
	Faults   []Fault           // errors and warnings, sorted by file, line and column
	Files    int               // files found
	Decoded  int               // files decoded; the others were already known
}

// HasErrors reports whether any fault is an error rather than a warning.
func (r Result) HasErrors() bool {
	return slices.ContainsFunc(r.Faults, func(f Fault) bool { return !f.Warning })
}

// Err returns nil when no fault is an error. Otherwise it returns an error that counts the errors and their
// files.
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

// sortFaults sorts by file, line and column. The sort is stable: faults at one place stay in the order in which
// they were found, which is the order of the keys in the documentation.
func sortFaults(faults []Fault) {
	slices.SortStableFunc(faults, func(a, b Fault) int {
		return cmp.Or(
			strings.Compare(a.File, b.File),
			cmp.Compare(a.Line, b.Line),
			cmp.Compare(a.Column, b.Column),
		)
	})
}

// cutValue shortens a value to the 60 characters that a message may quote.
func cutValue(s string) string {
	const most = 60
	if r := []rune(s); len(r) > most {
		return string(r[:most-1]) + "…"
	}
	return s
}
