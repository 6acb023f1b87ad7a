package content

import "slices"

// packages checks that no two items have the same package: a package must identify one tool.
func (c *crossCheck) packages() {
	owners := make(map[string]string) // the path of the file that has each package
	// On an older day, the files of that day come first: a file of today that shares a package with one of them
	// got it later.
	for _, today := range []bool{false, true} {
		for i, t := range c.contents.Tools {
			if rest := c.owned(owners, toolFolder, t.Slug, t.Packages, today); len(rest) < len(t.Packages) {
				t := *t
				t.Packages, t.Source = rest, "" // not what the file says: decoded again for the next day
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

// owned records the file of an item as the owner of its packages and returns the packages that it keeps. A
// package that another file owns is a fault, unless the file is one of today seen on an older day: it then
// loses the package. With today set, only files of today are handled, otherwise only files from history/; the
// packages of the others are returned unchanged.
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
