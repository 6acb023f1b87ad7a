package content

import "slices"

// oldSlugs checks that a slug that an item had before is nobody else's. Living and retired tools share theirs.
func (c *crossCheck) oldSlugs() {
	tools, comparisons := make(map[string]string), make(map[string]string) // the path of the file that had each slug
	// On an older day, its own files come first, as of packages.
	for _, today := range []bool{false, true} {
		for i, t := range c.contents.Tools {
			if rest := c.ownSlugs(tools, toolFolder, t.Slug, t.Formerly, today); len(rest) < len(t.Formerly) {
				t := *t
				t.Formerly, t.Source = rest, ""
				c.contents.Tools[i], c.tools[t.Slug] = &t, &t
			}
		}
		for i, r := range c.contents.Retired {
			if rest := c.ownSlugs(tools, retiredFolder, r.Slug, r.Formerly, today); len(rest) < len(r.Formerly) {
				r := *r
				r.Formerly, r.Source = rest, ""
				c.contents.Retired[i] = &r
			}
		}
		for i, x := range c.contents.Comparisons {
			if rest := c.ownSlugs(comparisons, comparisonFolder, x.Slug, x.Formerly, today); len(rest) < len(x.Formerly) {
				x := *x
				x.Formerly, x.Source = rest, ""
				c.contents.Comparisons[i] = &x
			}
		}
	}
}

// ownSlugs notes whose the former slugs of a file are, if it is one of today as wanted, and gives those that it keeps.
func (c *crossCheck) ownSlugs(owners map[string]string, folder, slug string, formerly []string, today bool) []string {
	e := c.files[folder][slug]
	if (e.from == "") != today {
		return formerly
	}
	return slices.DeleteFunc(slices.Clone(formerly), func(old string) bool {
		if old == slug {
			return false
		}
		bearer, other := c.bearer(folder, old), owners[old]
		switch {
		case bearer == "" && other == "":
			owners[old] = e.path()
			return false
		case c.past != nil && today:
			return true // on that day it was not there yet, or nobody had been renamed
		case bearer != "":
			c.at(folder, slug, formerlyKey.name, "formerly has %q, which is the slug of %s: an old slug is nobody else's; remove it here, or give that file another name", old, bearer)
		default:
			c.at(folder, slug, formerlyKey.name, "formerly has %q, which %s has too: an old slug belongs to one item; remove it from one of them", old, other)
		}
		return false
	})
}

// bearer is the path of the file that has a slug now, among those that share slugs with a folder; "" for none.
func (c *crossCheck) bearer(folder, slug string) string {
	folders := []string{toolFolder, retiredFolder}
	if folder == comparisonFolder {
		folders = []string{comparisonFolder}
	}
	for _, f := range folders {
		if e := c.files[f][slug]; e != nil {
			return e.path()
		}
	}
	return ""
}
