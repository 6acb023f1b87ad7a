package catalog

import "slices"

// RenamedTool returns the present slug of the tool, living or retired, that had the given slug. ok
// is false if there is none, or if a tool has that slug now.
func (s *Snapshot) RenamedTool(slug string) (now string, ok bool) {
	if s.tools.get(slug) != nil || s.retired.get(slug) != nil {
		return "", false
	}
	return renamed(s.renamedTools, slug)
}

// RenamedComparison returns the present slug of the comparison that had the given slug. ok is false
// if there is none, or if a comparison has that slug now.
func (s *Snapshot) RenamedComparison(slug string) (now string, ok bool) {
	if s.comparisons.get(slug) != nil {
		return "", false
	}
	return renamed(s.renamedComparisons, slug)
}

// ToolSlug returns the present slug of a tool: the given one, unless it was renamed.
func (s *Snapshot) ToolSlug(slug string) string {
	if now, ok := s.RenamedTool(slug); ok {
		return now
	}
	return slug
}

// ComparisonSlug returns the present slug of a comparison: the given one, unless it was renamed.
func (s *Snapshot) ComparisonSlug(slug string) string {
	if now, ok := s.RenamedComparison(slug); ok {
		return now
	}
	return slug
}

// SlugsOf returns the given slug and all other present and former slugs of the tool (living or
// retired) and the comparison that have or had it.
func (s *Snapshot) SlugsOf(slug string) []string {
	list := []string{slug}
	add := func(slugs ...string) {
		for _, other := range slugs {
			if !slices.Contains(list, other) {
				list = append(list, other)
			}
		}
	}
	now := s.ToolSlug(slug)
	if t := s.tools.get(now); t != nil {
		add(append([]string{now}, t.Formerly...)...)
	} else if r := s.retired.get(now); r != nil {
		add(append([]string{now}, r.Formerly...)...)
	}
	now = s.ComparisonSlug(slug)
	if c := s.comparisons.get(now); c != nil {
		add(append([]string{now}, c.Formerly...)...)
	}
	return list
}

func renamed(names lookup[string, string], slug string) (string, bool) {
	if now := names.get(slug); now != nil {
		return *now, true
	}
	return "", false
}

// formerChanges are changes to a lookup of present slugs by former slug. A nil entry removes one.
type formerChanges map[string]*string

// drop removes the former slugs of an item that is gone or replaced. All drops come before any add,
// since one item may take over a slug that another leaves.
func (r formerChanges) drop(formerly []string) {
	for _, slug := range formerly {
		r[slug] = nil
	}
}

// add maps the former slugs of an item to its present one.
func (r formerChanges) add(slug string, formerly []string) {
	for _, old := range formerly {
		r[old] = &slug
	}
}

// applyRenames updates the former slugs of the tools that a delta changes.
func (s *Snapshot) applyRenames(old *Snapshot, goneTools, addedTools []listedTool, goneRetired, addedRetired []*retiredEntry) {
	changes := make(formerChanges)
	for _, t := range goneTools {
		changes.drop(t.Formerly)
	}
	for _, r := range goneRetired {
		changes.drop(r.Formerly)
	}
	for _, t := range addedTools {
		changes.add(t.Slug, t.Formerly)
	}
	for _, r := range addedRetired {
		changes.add(r.Slug, r.Formerly)
	}
	s.renamedTools = old.renamedTools.with(changes)
}

// applyRenamedComparisons updates the former slugs of the comparisons that a delta changes.
func (s *Snapshot) applyRenamedComparisons(old *Snapshot, gone, added []*comparisonEntry) {
	changes := make(formerChanges)
	for _, c := range gone {
		changes.drop(c.Formerly)
	}
	for _, c := range added {
		changes.add(c.Slug, c.Formerly)
	}
	s.renamedComparisons = old.renamedComparisons.with(changes)
}

// toolSlugsNow replaces former slugs of tools by present ones, in the same order and without
// duplicates. It returns the list itself if none is a former one.
func (s *Snapshot) toolSlugsNow(slugs []string) []string {
	if !slices.ContainsFunc(slugs, func(slug string) bool { return s.ToolSlug(slug) != slug }) {
		return slugs
	}
	var list []string
	for _, slug := range slugs {
		if now := s.ToolSlug(slug); !slices.Contains(list, now) {
			list = append(list, now)
		}
	}
	return list
}

// FirstSlug returns the first slug the tool ever had, which may be its present one again. Names
// that must never change, such as the id of a feed entry, use it.
func (t *Tool) FirstSlug() string { return firstSlug(t.Slug, t.Formerly) }

// FirstSlug returns the first slug the tool ever had; see Tool.FirstSlug.
func (r *Retired) FirstSlug() string { return firstSlug(r.Slug, r.Formerly) }

func firstSlug(slug string, formerly []string) string {
	if len(formerly) > 0 {
		return formerly[0]
	}
	return slug
}
