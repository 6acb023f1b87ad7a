package content

import "github.com/palmares-hq/palmares/internal/catalog"

var retiredKeys = []key{
	{name: "name", example: "name: Lumen"},
	{name: "domain", example: "domain: lumen.example", optional: true},
	packagesKey.key,
	{name: "category", example: "category: code"},
	{name: "reason", example: "reason: mort"},
	{name: "retired_at", example: "retired_at: 2025-06-30"},
	{name: "sources", example: "sources: {retired_at: {url: https://lumen.example/fin, checked: 2025-07-01}}", optional: true},
	{name: "successor", example: "successor: cobalt", optional: true},
	formerlyKey.key,
}

// retired decodes cimetiere/<slug>.md. It returns nil when the file has errors.
func (d *document) retired(slug string) *catalog.Retired {
	o, body, ok := d.item(retiredKeys)
	if !ok {
		return nil
	}
	r := &catalog.Retired{
		Slug:      slug,
		Name:      o.text("name", nameLimit),
		Domain:    o.domain("domain"),
		Packages:  o.packages(),
		Formerly:  o.formerly(slug),
		Category:  o.slug("category"),
		Reason:    enum(o, "reason", catalog.Reasons()),
		RetiredAt: o.date("retired_at"),
		Successor: o.slug("successor"),
		Facts:     catalog.RetiredFacts{RetiredAt: o.sources(retiredSourceKeys).fact("retired_at")},
		Note:      d.note("note", body),
	}
	if d.failed {
		return nil
	}
	if d.latest != "" && r.RetiredAt > d.latest {
		f, _ := o.get("retired_at")
		d.warn(f.value.pos, "retired_at %s is in the future: the tool is shown as retired as soon as this is published", r.RetiredAt)
	}
	return r
}
