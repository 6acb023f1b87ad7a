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

// A history compares files with the commits of the checkout.
type history struct {
	Checkout
	past
	contains map[string]bool // by commit
	base     string          // the commit of the newest edition that the checkout has; "" for none
}

// maxFound is how many stale files the search stops at. A single one is enough to refuse an old checkout.
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

// fieldNames removes the name that stands for the whole file. It changes the slice.
func fieldNames(fields []string) []string {
	return slices.DeleteFunc(fields, func(name string) bool { return name == whole })
}

// knows reports whether the checkout has the commit of the last edition that changed a file, and that commit
// has the file as the edition published it.
func (h *history) knows(ctx context.Context, file catalog.FilePast) bool {
	commit := file.Edition.Commit
	if _, asked := h.contains[commit]; !asked && commit != "" {
		h.contains[commit] = h.Contains(ctx, commit)
	}
	return h.contains[commit] && !file.Last.Modified
}

// fields compares the fields of a file. back are fields that differ from what is published without having been
// edited here. over are fields edited here on top of an edition that the checkout does not have.
func (h *history) fields(ctx context.Context, f catalog.FileChange) (back, over []string, err error) {
	was := h.former(f.Path)
	published := stateIn(h.current, was, cmp.Or(f.Before, h.files[was].Last.After))
	local := stateIn(h.next, f.Path, f.After)
	if !hasFields(f.Path) && f.After != "" && !h.Modified(f.Path) {
		// The digest may differ only because of the line ends: use the committed file's.
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

// since returns the states that a file has in the checkout's commits after the base, newest first. Commits
// before the base are left out: the file had many values over time, so they prove nothing.
//
// later is the newest of those states that was published byte for byte after the base's state, which has the
// given digest; nil if there is none. It serves as a newer base when no edition records its commit: it was
// published from a branch that was squashed, or under another path. The list ends with it.
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
			// A state that was published twice counts as its first publication.
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

// baseOf returns the state of a file at the base commit and its digest. known is false without a base, and when
// the old version of the file can no longer be decoded.
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
