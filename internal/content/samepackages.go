package content

import "slices"

// packages checks that no two items have the same package: it would name two tools.
func (c *crossCheck) packages() {
	owners := make(map[string]string) // the path of each package's file
	// On an older day, its own files come first: a file of today that shares a package with one of them has got it since.
	for _, today := range []bool{false, true} {
		for i, t := range c.contents.Tools {
			if rest := c.owned(owners, toolFolder, t.Slug, t.Packages, today); len(rest) < len(t.Packages) {
				t := *t
				t.Packages, t.Source = rest, "" // it is not what the file says, and is read again for the next day
				c.contents.Tools[i], c.tools[t.Slug] = &t, &t
			}
		}
		for i, r := range c.contents.Retired {
			if rest := c.owned(owners, retiredFolder, r.Slug, r.Packages, today); len(rest) < len(r.Packages) {
				r := *r
				r.Packages, r.Source = rest, ""
				c.contents.Retired[i] = &r
			}
		}
	}
}

// owned notes whose the packages of a file are, if it is one of today as wanted, and gives those that it keeps.
func (c *crossCheck) owned(owners map[string]string, folder, slug string, packages []string, today bool) []string {
	e := c.files[folder][slug]
	if (e.from == "") != today {
		return packages
	}
	return slices.DeleteFunc(slices.Clone(packages), func(p string) bool {
		other, taken := owners[p]
		switch {
		case !taken:
			owners[p] = e.path()
			return false
		case c.past != nil && today:
			return true
		}
		c.at(folder, slug, packagesKey.name, "packages has %s, which %s has too: a package belongs to one tool; remove it from one of them", p, other)
		return false
	})
}
