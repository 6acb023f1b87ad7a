package postgres

import (
	"context"
	"fmt"

	"github.com/palmares-hq/palmares/internal/catalog"
)

// comparisonColumns are the columns of comparisons. Drafts are not published, so they have none.
var comparisonColumns = columns[catalog.Comparison]{
	{name: "slug", value: func(c *catalog.Comparison) any { return &c.Slug }},
	{name: "formerly", value: func(c *catalog.Comparison) any { return &c.Formerly }},
	{name: "title", value: func(c *catalog.Comparison) any { return &c.Title }},
	{name: "tool_a", value: func(c *catalog.Comparison) any { return &c.ToolA }},
	{name: "tool_b", value: func(c *catalog.Comparison) any { return &c.ToolB }},
	{name: "winner", value: func(c *catalog.Comparison) any { return &c.Winner }},
	{name: "note", value: func(c *catalog.Comparison) any { return &c.Note }},
	{name: "title_en", value: func(c *catalog.Comparison) any { return &c.English.Title.Text }},
	{name: "title_en_of", value: func(c *catalog.Comparison) any { return &c.English.Title.Of }},
	{name: "note_en", value: func(c *catalog.Comparison) any { return &c.English.Note.Text }},
	{name: "note_en_of", value: func(c *catalog.Comparison) any { return &c.English.Note.Of }},
	{name: "source", value: func(c *catalog.Comparison) any { return &c.Source }},
	{name: "source_en", value: func(c *catalog.Comparison) any { return &c.English.Source }},
	{
		name: "updated_at", value: func(c *catalog.Comparison) any { return (*day)(&c.UpdatedAt) },
		read: "updated_at::text",
	},
}

// readComparisons reads the comparisons that changed after the edition.
func readComparisons(ctx context.Context, q querier, after int64) ([]*catalog.Comparison, error) {
	comparisons, err := readItems(ctx, q, "comparisons", comparisonColumns, after)
	if err != nil {
		return nil, fmt.Errorf("reading the comparisons: %w", err)
	}
	return comparisons, nil
}

func (w editionWriter) writeComparisons(changes []catalog.Change[*catalog.Comparison]) error {
	return writeItems(w, "comparisons", comparisonColumns, written(changes))
}
