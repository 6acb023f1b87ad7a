package content

import (
	"fmt"
	"strings"
)

// twins warns of duplicates: two living tools with the same name and domain, or two published comparisons of
// the same two tools, in either order.
func (c *crossCheck) twins() {
	tools := make(map[[2]string]string, len(c.contents.Tools))
	for _, t := range c.contents.Tools {
		c.twin(tools, [2]string{strings.ToLower(t.Name), t.Domain}, toolFolder, t.Slug, "name",
			func() string { return fmt.Sprintf("%q of %s", t.Name, t.Domain) })
	}
	pairs := make(map[[2]string]string, len(c.contents.Comparisons))
	for _, x := range c.contents.Comparisons {
		if x.Draft {
			continue
		}
		pair := [2]string{min(x.ToolA, x.ToolB), max(x.ToolA, x.ToolB)}
		c.twin(pairs, pair, comparisonFolder, x.Slug, "tool_a",
			func() string { return fmt.Sprintf("a comparison of %q and %q", x.ToolA, x.ToolB) })
	}
}

// twin warns at the item's key if another item has the same id, otherwise it records the id.
func (c *crossCheck) twin(first map[[2]string]string, id [2]string, folder, slug, key string, what func() string) {
	other, taken := first[id]
	if !taken {
		first[id] = slug
		return
	}
	f := c.faultAt(folder, slug, key, fmt.Sprintf("%s is already in %s: keep one, or tell them apart", what(), c.files[folder][other].path()))
	f.Warning = true
	c.faults = append(c.faults, f)
}
