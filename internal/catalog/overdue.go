package catalog

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"time"
)

// An ItemFact is the fact of one value of a tool, living or retired.
type ItemFact struct {
	Slug string
	Tier int // 0 for a retired tool
	FieldFact
}

// Facts are those of every value that there is, with or without a source, by slug and in the order of the API.
func (c *Contents) Facts() []ItemFact {
	var all []ItemFact
	add := func(slug string, tier int, facts []FieldFact) {
		for _, f := range facts {
			if f.Value != "" {
				all = append(all, ItemFact{slug, tier, f})
			}
		}
	}
	for _, t := range c.Tools {
		add(t.Slug, t.Tier, t.FactList())
	}
	for _, r := range c.Retired {
		add(r.Slug, 0, r.FactList())
	}
	slices.SortStableFunc(all, func(a, b ItemFact) int { return strings.Compare(a.Slug, b.Slug) })
	return all
}

// Age is how many days ago somebody last looked at the source. It is negative for a day to come.
func (f Fact) Age(today Date) int {
	return int(today.Time().Sub(f.Checked.Time()) / (24 * time.Hour))
}

// Overdue are the facts whose source was last looked at more than so many days ago: those of the highest tier
// first and of retired tools last, within a tier the oldest first.
func Overdue(facts []ItemFact, today Date, days int) []ItemFact {
	var overdue []ItemFact
	for _, f := range facts {
		if f.Known() && f.Age(today) > days {
			overdue = append(overdue, f)
		}
	}
	rank := func(f ItemFact) int {
		if f.Tier == 0 {
			return math.MaxInt
		}
		return f.Tier
	}
	fields := FactFields()
	slices.SortFunc(overdue, func(a, b ItemFact) int {
		return cmp.Or(
			cmp.Compare(rank(a), rank(b)),
			cmp.Compare(a.Checked, b.Checked),
			strings.Compare(a.Slug, b.Slug),
			cmp.Compare(slices.Index(fields, a.Field), slices.Index(fields, b.Field)),
		)
	})
	return overdue
}
