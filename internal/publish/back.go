package publish

import (
	"context"
	"slices"

	"github.com/palmares-hq/palmares/internal/catalog"
)

// markBack marks the fields that return to earlier values: those of stale files and, outside of git, where only
// whole files are compared, those of tools that return to the values before their last change.
func markBack(ctx context.Context, c *catalog.Changes, found []StaleFile, p past, o Options) error {
	files := make(map[string]StaleFile, len(found))
	for _, f := range found {
		files[f.File] = f
	}
	markStale(toolsFolder, c.Tools, files)
	markStale(comparisonsFolder, c.Comparisons, files)
	markStale(retiredFolder, c.Retired, files)
	if o.Checkout != nil {
		return nil
	}
	var changing []catalog.Bearer
	for _, ch := range c.Tools {
		if _, corrected := c.Corrections[ch.Slug]; !corrected && len(ch.Fields) > 0 && !ch.Removed() {
			changing = append(changing, catalog.Bearer{Slug: ch.Slug, Formerly: ch.New.Formerly})
		}
	}
	if len(changing) == 0 {
		return nil
	}
	was, err := p.LastValues(ctx, changing)
	if err != nil {
		return err
	}
	for i, ch := range c.Tools {
		for _, f := range ch.Fields {
			if old, changed := was[ch.Slug][f.Name]; changed && old == f.New && !slices.Contains(ch.Back, f.Name) {
				c.Tools[i].Back = append(c.Tools[i].Back, f.Name)
			}
		}
	}
	return nil
}

// markStale marks the fields of items whose files are stale.
func markStale[T comparable](folder string, changes []catalog.Change[T], files map[string]StaleFile) {
	for i, ch := range changes {
		file, stale := files[pathOf(folder, ch.Slug)]
		for _, f := range ch.Fields {
			if stale && (len(file.Fields) == 0 || slices.Contains(file.Fields, f.Name)) { // whole file, or this field
				changes[i].Back = append(changes[i].Back, f.Name)
			}
		}
	}
}
