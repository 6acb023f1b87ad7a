package content

import (
	"fmt"

	"github.com/palmares-hq/palmares/internal/catalog"
)

// endings checks the successors of living and retired tools, and warns of announced ends and prices whose day has passed.
func (c *crossCheck) endings() {
	if c.past != nil {
		c.withoutLater()
	}
	today := catalog.DateOf(c.now)
	for _, t := range c.contents.Tools {
		c.successor(toolFolder, t.Slug, t.Ending.Successor)
		if c.past == nil && t.Ending.Announced() && t.Ending.At < today {
			f := c.faultAt(toolFolder, t.Slug, "ends_at", fmt.Sprintf(
				"ends_at %s has passed: retire the tool with \"palmares retire\", or write the new day", t.Ending.At))
			f.Warning = true
			c.faults = append(c.faults, f)
		}
		if c.past == nil && t.Next.Announced() && t.Next.From <= today {
			f := c.faultAt(toolFolder, t.Slug, "price_next", fmt.Sprintf(
				"price_next was for %s: write it as the price if it is, or the new day, or remove it", t.Next.From))
			f.Warning = true
			c.faults = append(c.faults, f)
		}
	}
	for _, r := range c.contents.Retired {
		c.successor(retiredFolder, r.Slug, r.Successor)
	}
}

// withoutLater removes successors that did not exist yet on the older day from files of today. That is not a
// fault.
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

// successor checks the successor of a tool: it must be a living tool other than the tool itself, and its own
// successors must not lead back to it.
func (c *crossCheck) successor(folder, slug, successor string) {
	switch {
	case successor == "":
	case successor == slug:
		c.at(folder, slug, "successor", "successor %q is this tool itself: write another, or remove the line", successor)
	case c.exists(toolFolder, successor):
		if round := c.successorCycle(slug, successor); round != "" {
			c.at(folder, slug, "successor", "successor goes round in a circle: %s; remove one of these lines", round)
		}
	case c.exists(retiredFolder, successor):
		c.at(folder, slug, "successor", "successor %q is retired: write a living tool, or remove the line", successor)
	default:
		c.at(folder, slug, "successor", "successor %q is no tool: %s Write the slug of a file in tools/", successor, c.similarTool(successor))
	}
}

// successorCycle returns the chain of successors that leads from a tool back to itself; "" when there is no such circle.
func (c *crossCheck) successorCycle(slug, successor string) string {
	way, seen := slug, map[string]bool{slug: true}
	for next := successor; next != ""; {
		way += " → " + next
		if seen[next] {
			if next == slug {
				return way
			}
			return "" // a circle of other tools, reported at their files
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
