package content

import "github.com/palmares-hq/palmares/internal/catalog"

var formerlyKey = listKey{
	key:  key{name: "formerly", example: "formerly: [ancien-slug]", optional: true, list: true},
	most: 10, keep: "the newest", are: "slugs",
	advice: `write a list of the slugs that it had before, such as "formerly: [ancien-slug]"`,
}

const ownSlug = "formerly has %q, which is the slug of this file: list only those that it had before"

// formerly reads an item's former slugs, oldest first. An item that took its first slug back still lists it, as
// the first of several: feeds build their entry IDs from the first slug.
func (o object) formerly(slug string) []string {
	seen := 0
	list := o.list(formerlyKey, func(item node) string {
		seen++
		switch old := item.text; {
		case !catalog.ValidSlug(old):
			o.fault(item.pos, "formerly has %q, which is not a slug: write lower-case words joined by hyphens, %d characters at most%s",
				cutValue(old), catalog.MaxSlug, slugExample(old))
		case old == slug && seen > 1:
			o.fault(item.pos, ownSlug, old)
		default:
			return old
		}
		return ""
	})
	if len(list) == 1 && list[0] == slug {
		f, _ := o.get(formerlyKey.name)
		o.fault(f.value.items[0].pos, ownSlug, slug)
		return nil
	}
	return list
}
