package content

import "github.com/palmares-hq/palmares/internal/catalog"

// decode decodes the file of entry e by its folder.
func (d *document) decode(e entry, source string) item {
	var it item
	switch e.folder {
	case toolFolder:
		if it.tool = d.tool(e.slug); it.tool != nil {
			it.tool.Source = source
		}
	case comparisonFolder:
		if it.comparison = d.comparison(e.slug); it.comparison != nil {
			it.comparison.Source = source
		}
	case retiredFolder:
		if it.retired = d.retired(e.slug); it.retired != nil {
			it.retired.Source = source
		}
	}
	return it
}

// known holds the published items by slug.
type known struct {
	tools       map[string]*catalog.Tool
	comparisons map[string]*catalog.Comparison
	retired     map[string]*catalog.Retired
}

func index(c *catalog.Contents) known {
	if c == nil {
		return known{}
	}
	k := known{
		tools:       make(map[string]*catalog.Tool, len(c.Tools)),
		comparisons: make(map[string]*catalog.Comparison, len(c.Comparisons)),
		retired:     make(map[string]*catalog.Retired, len(c.Retired)),
	}
	for _, t := range c.Tools {
		k.tools[t.Slug] = t
	}
	for _, x := range c.Comparisons {
		k.comparisons[x.Slug] = x
	}
	for _, r := range c.Retired {
		k.retired[r.Slug] = r
	}
	return k
}

// find gives the published item that entry e decodes to, if its bytes are the same.
func (k known) find(e entry, source string) (item, bool) {
	switch e.folder {
	case toolFolder:
		if t := k.tools[e.slug]; t != nil && t.Source == source {
			return item{tool: t}, true
		}
	case comparisonFolder:
		if c := k.comparisons[e.slug]; c != nil && c.Source == source {
			return item{comparison: c}, true
		}
	case retiredFolder:
		if r := k.retired[e.slug]; r != nil && r.Source == source {
			return item{retired: r}, true
		}
	}
	return item{}, false
}
