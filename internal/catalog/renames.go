package catalog

import "slices"

// renames holds the slugs that a publication changes in one namespace.
type renames struct {
	from map[string]string // the slug before, by the slug after
	to   map[string]string // the slug after, by the slug before
}

// renamesOf finds the renamed items. An item under a new slug is a renamed one if its former slugs
// include that of an item which is gone, or if the new slug is a former one of an item which is
// gone. A former slug belongs to one item alone.
func renamesOf(current, next []Bearer) renames {
	r := renames{make(map[string]string), make(map[string]string)}
	if len(current) == 0 {
		return r
	}
	there, stays, heirs := make(map[string]bool, len(current)), make(map[string]bool, len(next)), make(map[string]string)
	for _, b := range current {
		there[b.Slug] = true
	}
	for _, b := range next {
		stays[b.Slug] = true
	}
	for _, b := range current {
		for _, old := range b.Formerly {
			heirs[old] = b.Slug
		}
	}
	gone := func(slug string) bool { return there[slug] && !stays[slug] && r.to[slug] == "" }
	for _, b := range next {
		if there[b.Slug] {
			continue
		}
		old := heirs[b.Slug]
		for _, slug := range slices.Backward(b.Formerly) {
			if gone(slug) {
				old = slug
				break
			}
		}
		if gone(old) {
			r.from[b.Slug], r.to[old] = old, b.Slug
		}
	}
	return r
}

// toolBearers returns the tools, living and retired, which share one namespace.
func toolBearers(c *Contents) []Bearer {
	list := make([]Bearer, 0, len(c.Tools)+len(c.Retired))
	for _, t := range c.Tools {
		list = append(list, Bearer{t.Slug, t.Formerly})
	}
	for _, r := range c.Retired {
		list = append(list, Bearer{r.Slug, r.Formerly})
	}
	return list
}

func comparisonBearers(comparisons []*Comparison) []Bearer {
	list := make([]Bearer, len(comparisons))
	for i, x := range comparisons {
		list[i] = Bearer{x.Slug, x.Formerly}
	}
	return list
}
