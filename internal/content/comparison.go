package content

import "github.com/palmares-hq/palmares/internal/catalog"

type status string

const (
	draft     status = "draft"
	published status = "published"
)

var comparisonKeys = []key{
	{name: "title", example: "title: Lumen ou Cobalt"},
	{name: "tool_a", example: "tool_a: lumen"},
	{name: "tool_b", example: "tool_b: cobalt"},
	{name: "winner", example: "winner: lumen"},
	{name: "status", example: "status: draft"},
	formerlyKey.key,
}

// comparison decodes comparatifs/<slug>.md. It returns nil when the file has errors.
func (d *document) comparison(slug string) *catalog.Comparison {
	o, body, ok := d.item(comparisonKeys)
	if !ok {
		return nil
	}
	c := &catalog.Comparison{
		Slug:     slug,
		Formerly: o.formerly(slug),
		ToolA:    o.slug("tool_a"),
		ToolB:    o.slug("tool_b"),
		Winner:   o.slug("winner"),
		Draft:    enum(o, "status", []status{draft, published}) == draft,
		Note:     d.note("winner_note", body),
	}
	c.Title, c.English.Title = o.translated("title", titleLimit)
	if c.ToolA != "" && c.ToolA == c.ToolB {
		f, _ := o.get("tool_b")
		d.fault(f.value.pos, "tool_b is the same tool as tool_a, %q: name another one", c.ToolA)
	} else if c.ToolA != "" && c.ToolB != "" && c.Winner != "" && c.Winner != c.ToolA && c.Winner != c.ToolB {
		f, _ := o.get("winner")
		d.fault(f.value.pos, "winner %q is neither tool_a nor tool_b: write %s or %s", c.Winner, c.ToolA, c.ToolB)
	}
	if d.failed {
		return nil
	}
	return c
}
