package publish

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/content"
)

// A history holds files against the commits that lead to the checkout.
type history struct {
	Checkout
	past
	contains map[string]bool // by commit
	base     string          // the commit of the newest edition that the checkout has; "" for none
}

// maxFound is how many files are looked for. A checkout that is a year old needs no more than one.
const maxFound = 100

func (h *history) stale(ctx context.Context, suspects []catalog.FileChange, commits []string) (staleness, error) {
	suspects = slices.DeleteFunc(suspects, func(f catalog.FileChange) bool { return h.knows(ctx, h.files[h.former(f.Path)]) })
	if len(suspects) == 0 {
		return staleness{}, nil
	}
	var err error
	if h.base, err = h.Newest(ctx, commits); err != nil {
		return staleness{}, err
	}
	found := staleness{shallow: h.base == "" && h.Shallow(ctx)}
	for _, f := range suspects {
		back, over, err := h.fields(ctx, f)
		if err != nil {
			return staleness{}, err
		}
		edition := h.files[h.former(f.Path)].Edition
		if len(back) > 0 {
			found.files = append(found.files, StaleFile{f.Path, fieldNames(back), edition})
		} else if len(over) > 0 {
			found.warnings = append(found.warnings, content.Fault{
				File: f.Path, Line: 1, Column: 1, Warning: true,
				Message: fmt.Sprintf("%s, and this checkout does not have that change: what you wrote of %s takes its place",
					changedBy(edition), orNone(strings.Join(fieldNames(over), ", "), "it")),
			})
		}
		if len(found.files) == maxFound {
			break
		}
	}
	return found, nil
}

// fieldNames are the names of fields; none where it is the whole file.
func fieldNames(fields []string) []string {
	return slices.DeleteFunc(fields, func(name string) bool { return name == whole })
}

// knows reports whether the checkout has the commit of the edition that changed a file last, and in it the
// file as that edition has it.
func (h *history) knows(ctx context.Context, file catalog.FilePast) bool {
	commit := file.Edition.Commit
	if _, asked := h.contains[commit]; !asked && commit != "" {
		h.contains[commit] = h.Contains(ctx, commit)
	}
	return h.contains[commit] && !file.Last.Modified
}

// fields names those of a file that go back, and those that are edited here over an edition that the
// checkout does not know of.
func (h *history) fields(ctx context.Context, f catalog.FileChange) (back, over []string, err error) {
	was := h.former(f.Path)
	published := stateIn(h.current, was, cmp.Or(f.Before, h.files[was].Last.After))
	local := stateIn(h.next, f.Path, f.After)
	if !hasFields(f.Path) && f.After != "" && !h.Modified(f.Path) {
		// The digest may be that of other line ends.
		if data, there, err := h.File(ctx, "", f.Path); err == nil && there {
			local.digest = digestOf(f.Path, data)
		}
	}
	base, digest, known, err := h.baseOf(ctx, f.Path)
	if was != f.Path && err == nil && !base.there() {
		base, digest, known, err = h.baseOf(ctx, was)
	}
	if err != nil {
		return nil, nil, err
	}
	since, later, err := h.since(ctx, digest, f.Path, was)
	if err != nil {
		return nil, nil, err
	}
	if later != nil {
		base, known = *later, true
	}
	for _, name := range published.differs(local) {
		if slices.ContainsFunc(since, func(s state) bool { return s.same(published, name) }) {
			continue
		}
		switch edited := known && !base.same(local, name); {
		case !edited:
			back = append(back, name)
		case !base.same(published, name):
			over = append(over, name)
		}
	}
	return back, over, nil
}

// since lists the states of a file that the checkout's own commits have, those after the base, the newest first. Commits
// before the base had many values, and prove nothing.
//
// later is the last of those states that was published, byte by byte, and after the one with the digest, which the base has; nil for
// none. It is a newer base, of which no edition has the commit: what was published from a branch that became one commit, or under
// another path. The list ends with it.
func (h *history) since(ctx context.Context, digest string, paths ...string) (list []state, later *state, err error) {
	past := h.files[paths[len(paths)-1]]
	published := append(slices.Clone(past.Before), past.Last.After)
	newest, length := slices.Index(published, digest), 0
	for _, path := range slices.Compact(paths) {
		err := h.Versions(ctx, h.base, path, func(data []byte, there bool) bool {
			s, sound := stateOf(path, data, there)
			if !sound {
				return true
			}
			list = append(list, s)
			// A state that was published twice is as old as the first time.
			if nth := slices.Index(published, digestOf(path, data)); there && nth > newest {
				newest, length = nth, len(list)
			}
			return newest < len(published)-1
		})
		if err != nil {
			return nil, nil, err
		}
	}
	if length == 0 {
		return list, nil, nil
	}
	return list[:length], &list[length-1], nil
}

// baseOf is the state of a file at the base, and its digest. It is not known without a base, and where the file as it was
// cannot be read any more.
func (h *history) baseOf(ctx context.Context, file string) (s state, digest string, known bool, err error) {
	if h.base == "" {
		return state{}, "", false, nil
	}
	data, there, err := h.File(ctx, h.base, file)
	if err != nil {
		return state{}, "", false, err
	}
	if there {
		digest = digestOf(file, data)
	}
	s, known = stateOf(file, data, there)
	return s, digest, known, nil
}
