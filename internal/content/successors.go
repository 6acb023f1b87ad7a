package content

import (
	"fmt"

	"github.com/palmares-hq/palmares/internal/catalog"
)

// endings checks what tools will be followed by, and warns of ends that have passed.
func (c *crossCheck) endings() {
	if c.past != nil {
		c.withoutLater()
	}
	today := catalog.DateOf(c.now)
	for _, t := range c.contents.Tools {
		c.successor(toolFolder, t.Slug, t.Ending.Successor)
		if c.past == nil && t.Ending.Announced() && t.Ending.At < today {
			f := c.there(toolFolder, t.Slug, "ends_at", fmt.Sprintf(
				"ends_at %s has passed: retire the tool with \"palmares retire\", or write the new day", t.Ending.At))
			f.Warning = true
			c.faults = append(c.faults, f)
		}
	}
	for _, r := range c.contents.Retired {
		c.successor(retiredFolder, r.Slug, r.Successor)
	}
}

// withoutLater leaves out the successors of files of today that an older day lacks. They are not there yet, and that
// is no fault.
func (c *crossCheck) withoutLater() {
	for i, t := range c.contents.Tools {
		if c.files[toolFolder][t.Slug].from == "" && !c.exists(toolFolder, t.Ending.Successor) {
			t := *t
			t.Ending.Successor = ""
			c.contents.Tools[i], c.tools[t.Slug] = &t, &t
		}
	}
	for i, r := range c.contents.Retired {
		if c.files[retiredFolder][r.Slug].from == "" && !c.exists(toolFolder, r.Successor) {
			r := *r
			r.Successor = ""
			c.contents.Retired[i] = &r
		}
	}
}

// successor checks the tool that is to be used instead of another: a living one, which is not to be replaced by the
// first again.
func (c *crossCheck) successor(folder, slug, successor string) {
	switch {
	case successor == "":
	case successor == slug:
		c.at(folder, slug, "successor", "successor %q is this tool itself: write another, or remove the line", successor)
	case c.exists(toolFolder, successor):
		if round := c.round(slug, successor); round != "" {
			c.at(folder, slug, "successor", "successor goes round in a circle: %s; remove one of these lines", round)
		}
	case c.exists(retiredFolder, successor):
		c.at(folder, slug, "successor", "successor %q is retired: write a living tool, or remove the line", successor)
	default:
		c.at(folder, slug, "successor", "successor %q is no tool: %s Write the slug of a file in tools/", successor, c.similarTool(successor))
	}
}

// round is the way from a tool over its successors back to it; "" when none leads there.
func (c *crossCheck) round(slug, successor string) string {
	way, seen := slug, map[string]bool{slug: true}
	for next := successor; next != ""; {
		way += " → " + next
		if seen[next] {
			if next == slug {
				return way
			}
			return "" // a circle of others, which their files are told of
		}
		seen[next] = true
		t := c.tools[next]
		if t == nil {
			return ""
		}
		next = t.Ending.Successor
	}
	return ""
}
