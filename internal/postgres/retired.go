package postgres

import (
	"context"
	"fmt"
	"slices"

	"github.com/palmares-hq/palmares/internal/catalog"
)

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
