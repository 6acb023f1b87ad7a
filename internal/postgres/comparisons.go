package postgres

import (
	"context"
	"fmt"
	"slices"

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

// retiredColumns are the columns of retired tools.
var retiredColumns = slices.Concat(columns[catalog.Retired]{
	{name: "slug", value: func(r *catalog.Retired) any { return &r.Slug }},
	{name: "name", value: func(r *catalog.Retired) any { return &r.Name }},
	{name: "domain", value: func(r *catalog.Retired) any { return &r.Domain }},
	{name: "packages", value: func(r *catalog.Retired) any { return &r.Packages }},
	{name: "formerly", value: func(r *catalog.Retired) any { return &r.Formerly }},
	{name: "category", value: func(r *catalog.Retired) any { return &r.Category }},
	{name: "reason", value: func(r *catalog.Retired) any { return (*string)(&r.Reason) }},
	{
		name: "retired_at", value: func(r *catalog.Retired) any { return (*day)(&r.RetiredAt) },
		read: "retired_at::text",
	},
	{name: "note", value: func(r *catalog.Retired) any { return &r.Note }},
	{name: "note_en", value: func(r *catalog.Retired) any { return &r.English.Note.Text }},
	{name: "note_en_of", value: func(r *catalog.Retired) any { return &r.English.Note.Of }},
	{name: "source", value: func(r *catalog.Retired) any { return &r.Source }},
	{name: "source_en", value: func(r *catalog.Retired) any { return &r.English.Source }},
	{name: "successor", value: func(r *catalog.Retired) any { return &r.Successor }},
},
	factColumns(catalog.RetiredAtFact, func(r *catalog.Retired) *catalog.Fact { return &r.Facts.RetiredAt }),
)

// readRetired reads the retired tools that changed after the edition.
func readRetired(ctx context.Context, q querier, after int64) ([]*catalog.Retired, error) {
	retired, err := readItems(ctx, q, "retired", retiredColumns, after)
	if err != nil {
		return nil, fmt.Errorf("reading the retired tools: %w", err)
	}
	return retired, nil
}

func (w editionWriter) writeRetired(changes []catalog.Change[*catalog.Retired]) error {
	return writeItems(w, "retired", retiredColumns, written(changes))
}
