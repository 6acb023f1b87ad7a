package content

import "slices"

// oldSlugs checks that an item's former slug is no other item's slug or former slug. Living and retired tools
// share one set of slugs, comparisons have their own.
func (c *crossCheck) oldSlugs() {
	tools, comparisons := make(map[string]string), make(map[string]string) // the file that lists each former slug
	// On an older day, the files of that day come first, as in packages.
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

// ownSlugs records the file of an item as the owner of its former slugs and returns those that it keeps. A slug
// that another item has or had is a fault, unless the file is one of today seen on an older day: it then loses
// the slug. With today set, only files of today are handled, otherwise only files from history/; the slugs of
// the others are returned unchanged.
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
			return true // on that day the file did not exist yet, or nothing had been renamed
		case bearer != "":
			c.at(folder, slug, formerlyKey.name, "formerly has %q, which is the slug of %s: an old slug is nobody else's; remove it here, or give that file another name", old, bearer)
		default:
			c.at(folder, slug, formerlyKey.name, "formerly has %q, which %s has too: an old slug belongs to one item; remove it from one of them", old, other)
		}
		return false
	})
}

// bearer returns the path of the file that has a slug today, among the folders that share slugs with the given
// one; "" for none.
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
