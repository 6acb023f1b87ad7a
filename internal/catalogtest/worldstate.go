package catalogtest

import (
	"maps"
	"slices"

	"github.com/palmares-hq/palmares/internal/catalog"
)

// Contents returns what the editors' files say, drafts included.
func (w *World) Contents() *catalog.Contents {
	c := &catalog.Contents{
		Service: w.service, Categories: w.categories,
		Tools:       slices.Collect(maps.Values(w.tools)),
		Comparisons: slices.Collect(maps.Values(w.comparisons)),
		Retired:     slices.Collect(maps.Values(w.retired)),
		Files:       slices.Collect(maps.Values(w.files)),
		Incidents:   w.incidents,
	}
	c.Sort()
	return c
}

// Published is Contents without the drafts.
func (w *World) Published() *catalog.Contents {
	c := w.Contents()
	c.Comparisons = slices.DeleteFunc(c.Comparisons, func(x *catalog.Comparison) bool { return x.Draft })
	return c
}

// DecideEmbeddings puts tools into the embeddings set and takes others out, as a publication does.
func (w *World) DecideEmbeddings() {
	embedded := map[string]bool{}
	for _, t := range catalog.EmbeddingsSet(w.Contents().Tools) {
		embedded[t.Slug] = true
	}
	for slug, old := range w.tools {
		if old.Embedded != embedded[slug] {
			t := *old
			t.Embedded = !old.Embedded
			w.putTool(&t)
		}
	}
}

// Delta returns the delta from the edition before to e: everything touched since the last Delta or
// Forget, in no particular order. Then it calls Forget.
func (w *World) Delta(e catalog.Edition) catalog.Delta {
	d := catalog.Delta{
		From: e.Number - 1, Edition: e, Service: w.service, Categories: w.categories, Incidents: w.incidents,
	}
	d.Tools, d.GoneTools = sortOut(w.touchedTools, w.tools)
	d.Comparisons, d.GoneComparisons = sortOut(w.touchedComparisons, w.comparisons)
	d.Retired, d.GoneRetired = sortOut(w.touchedRetired, w.retired)
	d.Files, d.GoneFiles = sortOut(w.touchedFiles, w.files)
	d.Comparisons = slices.DeleteFunc(d.Comparisons, func(x *catalog.Comparison) bool {
		if x.Draft {
			d.GoneComparisons = append(d.GoneComparisons, x.Slug)
		}
		return x.Draft
	})
	w.Forget()
	return d
}

func sortOut[T any](touched map[string]bool, m map[string]T) (items []T, gone []string) {
	for slug := range touched {
		if x, ok := m[slug]; ok {
			items = append(items, x)
		} else {
			gone = append(gone, slug)
		}
	}
	return items, gone
}

// Reuse replaces each item of files that was not touched by the same item of current, as loading
// does with files that have not changed. Then it calls Forget.
func (w *World) Reuse(files, current *catalog.Contents) {
	reuse(files.Tools, current.Tools, w.touchedTools, func(t *catalog.Tool) string { return t.Slug })
	reuse(files.Comparisons, current.Comparisons, w.touchedComparisons, func(c *catalog.Comparison) string { return c.Slug })
	reuse(files.Retired, current.Retired, w.touchedRetired, func(r *catalog.Retired) string { return r.Slug })
	w.Forget()
}

func reuse[T any](files, current []*T, touched map[string]bool, slug func(*T) string) {
	known := map[string]*T{}
	for _, x := range current {
		known[slug(x)] = x
	}
	for i, x := range files {
		if old := known[slug(x)]; old != nil && !touched[slug(x)] {
			files[i] = old
		}
	}
}
