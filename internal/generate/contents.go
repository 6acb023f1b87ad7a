package generate

import (
	"context"

	"github.com/palmares-hq/palmares/internal/catalog"
)

// Contents makes in memory what Write writes of each item but its long text: reviews, and the notes of
// comparisons and retired tools. It is for what is measured in memory.
func Contents(ctx context.Context, o Options) (*catalog.Contents, error) {
	plan, err := newPlan(o)
	if err != nil {
		return nil, err
	}
	c := &catalog.Contents{Tools: make([]*catalog.Tool, len(plan.tools))}
	for _, x := range categories {
		c.Categories = append(c.Categories, catalog.Category{Slug: x.slug, Label: x.label})
	}
	err = share(ctx, len(plan.tools), func(s *speaker, i int) error {
		t := plan.tools[i]
		item := t.Tool
		item.Tagline = tagline(s, plan.rng(toolText, i), t)
		c.Tools[i] = &item
		return nil
	})
	if err != nil {
		return nil, err
	}
	s := newSpeaker()
	for i, x := range plan.comparisons {
		winner, _ := x.ranked()
		c.Comparisons = append(c.Comparisons, &catalog.Comparison{
			Slug: x.slug(), Title: title(s, plan.rng(comparisonText, i), x), ToolA: x.a.Slug, ToolB: x.b.Slug,
			Winner: winner.Slug, Draft: x.draft,
		})
	}
	for _, x := range plan.retired {
		item := x.Retired
		c.Retired = append(c.Retired, &item)
	}
	c.Sort()
	return c, nil
}
