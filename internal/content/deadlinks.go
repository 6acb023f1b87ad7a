package content

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/palmares-hq/palmares/internal/address"
	"github.com/palmares-hq/palmares/internal/catalog"
)

// itemPages maps the names of the pages about one item to the folder of its file; "" for pages about a
// category.
var itemPages = map[string]string{
	address.Tool.Name: toolFolder, address.ToolSource.Name: toolFolder, address.Review.Name: toolFolder,
	address.ReviewSource.Name: toolFolder, address.Alternatives.Name: toolFolder, address.Report.Name: toolFolder,
	address.ToolCard.Name: toolFolder, address.Badge.Name: toolFolder,
	address.Comparison.Name: comparisonFolder, address.ComparisonSource.Name: comparisonFolder,
	address.Category.Name: "", address.FeedCategory.Name: "",
}

// deadLinks warns of links to pages of items that do not exist. It skips older days, whose pages nobody reads.
func (c *crossCheck) deadLinks() {
	if c.past != nil || len(c.links) == 0 {
		return
	}
	to := c.targets()
	for _, l := range c.links {
		if why := to.dead(l); why != "" {
			c.faults = append(c.faults, Fault{
				File: l.file, Line: l.pos.line, Column: l.pos.column, Warning: true,
				Message: fmt.Sprintf("the link %s leads nowhere: %s", cutValue(l.written), why),
			})
		}
	}
}

// targets are the items that links may lead to, in addition to the files of the crossCheck.
type targets struct {
	*crossCheck
	comparisons     map[string]*catalog.Comparison
	comparisonSlugs []string
	renamed         map[string]map[string]bool // former slugs by folder: their pages lead to the current ones
}

func (c *crossCheck) targets() targets {
	to := targets{crossCheck: c, comparisons: make(map[string]*catalog.Comparison), renamed: map[string]map[string]bool{toolFolder: {}, comparisonFolder: {}}}
	note := func(folder string, formerly []string) {
		for _, slug := range formerly {
			to.renamed[folder][slug] = true
		}
	}
	for _, t := range c.contents.Tools {
		note(toolFolder, t.Formerly)
	}
	for _, r := range c.contents.Retired {
		note(toolFolder, r.Formerly)
	}
	for _, x := range c.contents.Comparisons {
		note(comparisonFolder, x.Formerly)
		to.comparisons[x.Slug] = x
		to.comparisonSlugs = append(to.comparisonSlugs, x.Slug)
	}
	return to
}

// dead returns why a link leads nowhere and what to write instead; "" if it leads to a page, or to an address
// that something else on the same host may serve.
func (to targets) dead(l link) string {
	page, item, found := address.Find(l.path)
	folder, about := itemPages[page.Name]
	switch {
	case !found:
		return otherwise(l.path)
	case !about, to.renamed[folder][item]:
		return ""
	case folder == "":
		if to.categoriesKnown && !slices.Contains(to.categories, item) {
			return "there is no such category; " + didYouMean(item, to.categories, "write one of categories.yaml")
		}
	case folder == comparisonFolder:
		if x := to.comparisons[item]; x != nil && x.Draft {
			return "this comparison is a draft, which nobody sees; publish it, or remove the link"
		}
		if !to.exists(comparisonFolder, item) {
			return "there is no such comparison; " + to.similar(item, to.comparisonSlugs)
		}
	case !to.exists(toolFolder, item) && !to.exists(retiredFolder, item):
		return "there is no such tool; " + to.similar(item, to.toolSlugs)
	case page == address.Review && l.anchor != "":
		// A review known from the published contents may lack its sections.
		if t := to.tools[item]; t != nil && len(t.Review.Sections) > 0 {
			if why := noSection(l.anchor, sectionIDs(t.Review), nil); why != "" {
				return "that review has no such section; " + why
			}
		}
	}
	return ""
}

// similar returns advice: the slug that was probably meant, or what to do without one.
func (to targets) similar(slug string, slugs []string) string {
	const otherwise = "write the slug of one that is there, or remove the link"
	if to.suggestions++; to.suggestions > maxSuggestions {
		return otherwise
	}
	return didYouMean(slug, slugs, otherwise)
}

// sectionWords maps the first word of paths that look like an item's page to the page that was meant.
var sectionWords = map[string]address.Page{
	"outils": address.Tool, "tools": address.Tool, "outil": address.Tool, "tool": address.Tool,
	"cimetiere": address.Tool, "cemetery": address.Tool, // a retired tool keeps its tool page
	"avis": address.Review, "reviews": address.Review, "review": address.Review, "alternatives": address.Alternatives,
	"comparatifs": address.Comparison, "comparisons": address.Comparison, "comparatif": address.Comparison,
	"categories": address.Category, "categorie": address.Category, "category": address.Category,
}

// otherwise returns what to write instead of a path that belongs to no page but looks like an item's; "" for
// any other path, which something else on the same host may serve.
func otherwise(target string) string {
	language := address.LanguageOf(target)
	parts := strings.Split(strings.Trim(strings.TrimPrefix(target, "/en/"), "/"), "/")
	page, known := sectionWords[parts[0]]
	if !known || len(parts) != 2 {
		return ""
	}
	return "write " + page.At(language, strings.TrimSuffix(parts[1], path.Ext(parts[1])))
}
