package publish

import (
	"fmt"

	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/content"
)

// outdated warns of English texts that do not change along with their French. Pages then mark them as outdated.
func outdated(c catalog.Changes) []content.Fault {
	var warnings []content.Fault
	for _, x := range c.Outdated() {
		f := content.Fault{Line: 1, Column: 1, Warning: true}
		folder := map[catalog.Kind]string{
			catalog.OfTool: toolsFolder, catalog.OfComparison: comparisonsFolder, catalog.OfRetired: retiredFolder,
		}[x.Kind]
		what := "this text"
		switch {
		case x.Kind == catalog.OfCategory:
			f.File, what = categoriesFile, fmt.Sprintf("its %s in English, of %q,", x.Key, x.Slug)
		case x.Key != "":
			f.File, what = pathOf(folder, x.Slug), fmt.Sprintf("its %s in English", x.Key)
		default:
			f.File = englishPathOf(folder, x.Slug)
		}
		f.Message = fmt.Sprintf("the French changes and %s does not: translate the change; until then pages say that it is of an earlier version", what)
		warnings = append(warnings, f)
	}
	return warnings
}

// unchecked warns of values that change while the day on which their source was checked stays the same.
func unchecked(c catalog.Changes) []content.Fault {
	var warnings []content.Fault
	for _, x := range c.Unchecked() {
		warnings = append(warnings, content.Fault{
			File: pathOf(toolsFolder, x.Slug), Line: 1, Column: 1, Warning: true,
			Message: fmt.Sprintf("%s changes, and its source is still that of %s: look at the source again and move checked, or correct the value", x.Field, x.Checked),
		})
	}
	return warnings
}
