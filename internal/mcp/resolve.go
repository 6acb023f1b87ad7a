package mcp

import (
	"fmt"
	"slices"
	"strings"

	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/web"
)

const (
	longest = 300 // characters of an argument that names something

	maxCategories = 40  // categories that a description or an answer lists
	maxListed     = 700 // bytes of slugs in the descriptions
)

// resolve returns the slug of the tool, living or retired, that an argument names exactly: by its slug, present or
// former, its name, its domain or a package. An error tells the model which tools it may mean. The argument is recorded
// for the answer.
func (c *call) resolve(input string) (string, error) {
	by, slug, meant := c.Resolve(input)
	if slug == "" {
		return "", c.unclear(input, meant)
	}
	if by == catalog.BySlug {
		c.noteRename(input)
	}
	c.resolved = append(c.resolved, Resolved{plain(input), slug, by})
	return slug, nil
}

// noteRename records for origin that a slug is a former one.
func (c *call) noteRename(slug string) {
	slug = strings.TrimSpace(slug)
	now, ok := c.RenamedTool(slug)
	if r := (Rename{slug, now}); ok && !slices.Contains(c.renamed, r) {
		c.renamed = append(c.renamed, r)
	}
}

// unclear returns the error for an argument that names no tool, or several. It names tools by slugs alone, because it is
// a text of ours: no text of the catalog is in it.
func (c *call) unclear(input string, several []string) error {
	if len(several) > 0 {
		return fmt.Errorf("several tools are %s: call again with the slug of one, such as %s", web.Quote(input), c.slugs(several))
	}
	const find = "search_tools finds tools by words"
	near := c.NearestTo(input)
	if len(near) == 0 {
		return fmt.Errorf("no tool has the slug, name, domain or package %s: %s", web.Quote(input), find)
	}
	return fmt.Errorf("no tool has the slug, name, domain or package %s: call again with a slug if you mean one of the nearest, %s; %s",
		web.Quote(input), c.slugs(near), find)
}

// slugs lists the first tools of a list, each with its category or the word retired.
func (c *call) slugs(list []string) string {
	var said []string
	for _, slug := range list[:min(len(list), catalog.MaxNearest)] {
		what := "retired"
		if t, ok := c.Tool(slug); ok {
			what = t.Category
		}
		said = append(said, slug+" ("+what+")")
	}
	return strings.Join(said, ", ")
}

// categories returns the slugs of the categories that an argument names, joined by commas as the API takes them. It is
// one category, by slug or label, or several joined by commas.
func (c *call) categories(text string) (string, error) {
	if text == "" {
		return "", nil
	}
	if slug, ok := c.IdentifyCategory(text); ok {
		return slug, nil
	}
	var slugs []string
	for part := range strings.SplitSeq(text, ",") {
		slug, ok := c.IdentifyCategory(part)
		if !ok {
			return "", fmt.Errorf("category: no category is %s; the categories are %s", web.Quote(part), strings.Join(categorySlugs(c.Snapshot), ", "))
		}
		slugs = append(slugs, slug)
	}
	return strings.Join(slugs, ","), nil
}

// categorySlugs returns the slugs of the categories, in the order of the catalog. They have only letters, digits and
// hyphens, so they are safe in texts of ours.
func categorySlugs(s *catalog.Snapshot) []string {
	var slugs []string
	for _, c := range s.Categories() {
		if catalog.ValidSlug(c.Slug) {
			slugs = append(slugs, c.Slug)
		}
	}
	return slugs
}
