package content

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/palmares-hq/palmares/internal/address"
	"github.com/palmares-hq/palmares/internal/catalog"
)

// itemPages are the pages about one item, by the folder of its file; "" for a category.
var itemPages = map[string]string{
	address.Tool.Name: toolFolder, address.ToolSource.Name: toolFolder, address.Review.Name: toolFolder,
	address.ReviewSource.Name: toolFolder, address.Alternatives.Name: toolFolder, address.Report.Name: toolFolder,
	address.ToolCard.Name: toolFolder, address.Badge.Name: toolFolder,
	address.Comparison.Name: comparisonFolder, address.ComparisonSource.Name: comparisonFolder,
	address.Category.Name: "", address.FeedCategory.Name: "",
}

// deadLinks warns of links to pages of items that are not there. On an older day nobody reads them.
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

// targets are the items that links may lead to, beside the files.
type targets struct {
	*crossCheck
	comparisons     map[string]*catalog.Comparison
	comparisonSlugs []string
	renamed         map[string]map[string]bool // by folder, the slugs that items had before: their pages lead to those of today
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

// dead says why a link leads nowhere, and what to write instead; "" if it leads to a page, or to what others may serve at
// an address of their own.
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
		// What is published may be known without its sections.
		if t := to.tools[item]; t != nil && len(t.Review.Sections) > 0 {
			if why := noSection(l.anchor, sectionIDs(t.Review), nil); why != "" {
				return "that review has no such section; " + why
			}
		}
	}
	return ""
}

// similar proposes the slug that was probably meant.
func (to targets) similar(slug string, slugs []string) string {
	const otherwise = "write the slug of one that is there, or remove the link"
	if to.suggestions++; to.suggestions > maxSuggestions {
		return otherwise
	}
	return didYouMean(slug, slugs, otherwise)
}

// sectionWords are how the paths of pages about items begin, and what is written in their place.
var sectionWords = map[string]address.Page{
	"outils": address.Tool, "tools": address.Tool, "outil": address.Tool, "tool": address.Tool,
	"cimetiere": address.Tool, "cemetery": address.Tool, // retired tools have the page of a tool
	"avis": address.Review, "reviews": address.Review, "review": address.Review, "alternatives": address.Alternatives,
	"comparatifs": address.Comparison, "comparisons": address.Comparison, "comparatif": address.Comparison,
	"categories": address.Category, "categorie": address.Category, "category": address.Category,
}

// otherwise says what to write for a path that no page has but that looks like that of an item. Other paths may be of
// pages that somebody else serves under the same name.
func otherwise(target string) string {
	language := address.LanguageOf(target)
	parts := strings.Split(strings.Trim(strings.TrimPrefix(target, "/en/"), "/"), "/")
	page, known := sectionWords[parts[0]]
	if !known || len(parts) != 2 {
		return ""
	}
	return "write " + page.At(language, strings.TrimSuffix(parts[1], path.Ext(parts[1])))
}
