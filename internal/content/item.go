package content

import (
	"path"

	"github.com/palmares-hq/palmares/internal/catalog"
)

// An entry is one file to decode.
type entry struct {
	from   string // the folder of an older state, as in history/2024-02-29; "" for today's files
	folder string // "" for the two files at the top
	name   string
	slug   string
	link   bool // a symbolic link
	gone   bool // an empty file of an older state: the file went on that day

	translates bool   // it is <slug>.en.md
	english    *entry // <slug>.en.md beside it; nil without one
}

func (e entry) path() string { return path.Join(e.from, e.today()) }

// french returns the path of the French file that an English file translates.
func (e entry) french() string { return path.Join(e.folder, e.slug+itemExtension) }

// today returns the path of the file in today's tree, without the folder of an older state.
func (e entry) today() string { return path.Join(e.folder, e.name) }

// An item is a decoded entry: one pointer is set, or none when the file has errors.
type item struct {
	tool       *catalog.Tool
	comparison *catalog.Comparison
	retired    *catalog.Retired
}

// decode decodes the file of entry e by its folder and sets source on the result.
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

// find returns the published item of entry e if the digests of its files, French and English, are unchanged. A
// tool whose review was published without its Markdown does not count as found, so that it is decoded again.
func (k known) find(e entry, source catalog.Digests) (item, bool) {
	switch e.folder {
	case toolFolder:
		t := k.tools[e.slug]
		if t != nil && source == (catalog.Digests{French: t.Source, English: t.English.Source}) &&
			(!t.Review.Exists() || t.Review.Markdown.Hash != "") {
			return item{tool: t}, true
		}
	case comparisonFolder:
		if c := k.comparisons[e.slug]; c != nil && source == (catalog.Digests{French: c.Source, English: c.English.Source}) {
			return item{comparison: c}, true
		}
	case retiredFolder:
		if r := k.retired[e.slug]; r != nil && source == (catalog.Digests{French: r.Source, English: r.English.Source}) {
			return item{retired: r}, true
		}
	}
	return item{}, false
}
