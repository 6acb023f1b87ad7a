package content

import "github.com/palmares-hq/palmares/internal/catalog"

var categoryKeys = []key{
	{name: "slug", example: "slug: code"},
	{name: "label", example: "label: Code"},
	{name: "synonyms", example: "synonyms: {" + synonymsExample + "}", optional: true, group: true},
}

const categoriesAdvice = `write a list, each entry "- slug: code" and below it "  label: Code"`

// categories decodes categories.yaml, in the editors' order.
func (d *document) categories() []catalog.Category {
	if !d.clean() || !d.within(maxPage) {
		return nil
	}
	root, ok := d.parseYAML(string(d.data), 1)
	if !ok {
		return nil
	}
	if root.kind == nothing || root.kind == sequence && len(root.items) == 0 {
		d.fault(fileStart, "there is no category: %s", categoriesAdvice)
		return nil
	}
	if root.kind != sequence {
		d.fault(root.pos, "the file must be a list, not %s: %s", root.is(), categoriesAdvice)
		return nil
	}
	var all []catalog.Category
	lines := map[string]int{}
	for _, item := range root.items {
		o := d.object(item, item.pos, "a category", categoryKeys)
		c := catalog.Category{Slug: o.slug("slug")}
		c.Label, c.English = o.translated("label", nameLimit)
		c.Synonyms = o.synonyms("synonyms")
		if f, ok := o.get("slug"); ok && c.Slug != "" {
			if line, taken := lines[c.Slug]; taken {
				d.fault(f.value.pos, "duplicate category %q: it is already on line %d; keep one", c.Slug, line)
			} else {
				lines[c.Slug] = f.value.pos.line
			}
		}
		all = append(all, c)
	}
	return all
}
