package postgres

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/palmares-hq/palmares/internal/catalog"
)

// readComparisons reads the comparisons that changed after the edition.
func readComparisons(ctx context.Context, q querier, after int64) ([]*catalog.Comparison, error) {
	comparisons, err := collect(ctx, q, func(row pgx.CollectableRow) (*catalog.Comparison, error) {
		var c catalog.Comparison
		err := row.Scan(&c.Slug, &c.Title, &c.ToolA, &c.ToolB, &c.Winner, &c.Note, &c.Source, &c.UpdatedAt)
		return &c, err
	}, `
		SELECT slug, title, tool_a, tool_b, winner, note, source, updated_at::text
		FROM comparisons WHERE edition > $1 ORDER BY slug`, after)
	if err != nil {
		return nil, fmt.Errorf("reading the comparisons: %w", err)
	}
	return comparisons, nil
}

func (w writer) writeComparisons(changes []catalog.Change[*catalog.Comparison]) error {
	var rows [][]any
	for _, ch := range changes {
		if c := ch.New; c != nil {
			rows = append(rows, []any{c.Slug, c.Title, c.ToolA, c.ToolB, c.Winner, c.Note, c.Source, date(c.UpdatedAt), w.edition})
		}
	}
	return w.copy("comparisons", []string{"slug", "title", "tool_a", "tool_b", "winner", "note", "source", "updated_at", "edition"}, rows)
}
