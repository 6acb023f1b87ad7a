package content

import (
	"context"
	"fmt"
	"slices"

	"github.com/palmares-hq/palmares/internal/catalog"
)

// maxSuggestions bounds the searches for a similar slug: each goes through every
// tool, and a catalog with thousands of unknown slugs has another kind of problem.
const maxSuggestions = 100

// A crossCheck checks the files against each other. Items keep no positions, so the few faulty files are read
// again to find where to point.
type crossCheck struct {
	*loader
	contents        *catalog.Contents
	categoriesKnown bool                         // categories.yaml has no errors
	categories      []string                     // slugs, in the editors' order
	files           map[string]map[string]*entry // every item's file by folder and slug, with or without errors
	tools           map[string]*catalog.Tool
	toolSlugs       []string
	suggestions     int
}

func newCrossCheck(l *loader, contents *catalog.Contents, entries []entry, categoriesKnown bool) *crossCheck {
	c := &crossCheck{
		loader:          l,
		contents:        contents,
		categoriesKnown: categoriesKnown,
		files:           make(map[string]map[string]*entry),
		tools:           make(map[string]*catalog.Tool, len(contents.Tools)),
	}
	for _, category := range contents.Categories {
		c.categories = append(c.categories, category.Slug)
	}
	for i := range entries {
		e := &entries[i]
		if c.files[e.folder] == nil {
			c.files[e.folder] = make(map[string]*entry)
		}
		c.files[e.folder][e.slug] = e
		if e.folder == toolFolder {
			c.toolSlugs = append(c.toolSlugs, e.slug)
		}
	}
	for _, t := range contents.Tools {
		c.tools[t.Slug] = t
	}
	return c
}

func (c *crossCheck) run(ctx context.Context) error {
	for _, t := range c.contents.Tools {
		c.category(toolFolder, t.Slug, t.Category)
	}
	for _, r := range c.contents.Retired {
		c.category(retiredFolder, r.Slug, r.Category)
	}
	for _, slug := range c.toolSlugs {
		if c.exists(retiredFolder, slug) {
			c.fault(c.files[retiredFolder][slug].path(),
				"%q is in tools/ too: a retired tool leaves tools/; remove tools/%s.md, or this file if the tool lives", slug, slug)
		}
	}
	c.endings()
	if c.past != nil {
		c.contents.Comparisons = slices.DeleteFunc(c.contents.Comparisons, c.early)
	}
	for i, x := range c.contents.Comparisons {
		if i%1024 == 0 && ctx.Err() != nil {
			return fmt.Errorf("load content: %w", context.Cause(ctx))
		}
		c.comparison(x)
	}
	c.twins()
	return nil
}

func (c *crossCheck) exists(folder, slug string) bool {
	_, ok := c.files[folder][slug]
	return ok
}

func (c *crossCheck) category(folder, slug, category string) {
	if !c.categoriesKnown || slices.Contains(c.categories, category) {
		return
	}
	c.at(folder, slug, "category", "unknown category %q: %s Add it to categories.yaml, or write one of its slugs",
		category, didYouMean(category, c.categories, "it is not in the list."))
}

// early reports whether a comparison of today cannot have existed on the older day, because one of its tools,
// or the tool's score, did not. The caller then leaves it out; that is not a fault.
func (c *crossCheck) early(x *catalog.Comparison) bool {
	if c.files[comparisonFolder][x.Slug].from != "" {
		return false
	}
	for _, slug := range []string{x.ToolA, x.ToolB} {
		there := c.exists(toolFolder, slug) || x.Draft && c.exists(retiredFolder, slug)
		if t := c.tools[slug]; !there || !x.Draft && t != nil && !t.Score.Known {
			return true
		}
	}
	return false
}

// comparison checks the tools of x. A draft may name retired tools and tools without a score.
func (c *crossCheck) comparison(x *catalog.Comparison) {
	for _, side := range []struct{ key, slug string }{{"tool_a", x.ToolA}, {"tool_b", x.ToolB}} {
		lives, retired := c.exists(toolFolder, side.slug), c.exists(retiredFolder, side.slug)
		switch t := c.tools[side.slug]; {
		case !lives && !retired:
			c.at(comparisonFolder, x.Slug, side.key, "unknown tool %q: %s Write the slug of a file in tools/", side.slug, c.similarTool(side.slug))
		case x.Draft:
		case !lives:
			c.at(comparisonFolder, x.Slug, side.key, "%s", retiredTool(side.slug))
		case t != nil && !t.Score.Known:
			c.at(comparisonFolder, x.Slug, side.key,
				"tool %q has no score: a published comparison needs two scored tools; add a score to tools/%s.md, or write status: draft", side.slug, side.slug)
		}
	}
}

func retiredTool(slug string) string {
	return fmt.Sprintf("tool %q is retired: a published comparison needs two living tools; write status: draft, or remove the file", slug)
}

const noSuchTool = "there is no such file."

func (c *crossCheck) similarTool(slug string) string {
	if c.suggestions++; c.suggestions > maxSuggestions {
		return noSuchTool
	}
	return didYouMean(slug, c.toolSlugs, noSuchTool)
}

// at reports a fault at the value of a front matter key.
func (c *crossCheck) at(folder, slug, name, format string, args ...any) {
	c.faults = append(c.faults, c.faultAt(folder, slug, name, fmt.Sprintf(format, args...)))
}

// faultAt returns a fault at the value of a front matter key.
func (c *crossCheck) faultAt(folder, slug, name, message string) Fault {
	// Treat it as a link: openEntry then takes the careful path, whose cost does not matter here.
	e := *c.files[folder][slug]
	e.link = true
	pos := c.valuePosition(e, name)
	return Fault{File: e.path(), Line: pos.line, Column: pos.column, Message: message}
}

// valuePosition reads the file again to find the value of a key.
func (c *crossCheck) valuePosition(e entry, name string) position {
	data, complaint := c.read(e, nil)
	d := c.open(e.path(), data)
	if complaint != "" || !d.clean() {
		return fileStart // changed since it was decoded
	}
	yaml, _, ok := d.splitFrontMatter()
	if !ok {
		return fileStart
	}
	root, _ := d.parseFrontMatter(yaml)
	for _, f := range root.fields {
		if f.key == name {
			return f.value.pos
		}
	}
	return fileStart
}
