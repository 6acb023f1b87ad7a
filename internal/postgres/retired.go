package postgres

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/palmares-hq/palmares/internal/catalog"
)

// readRetired reads the retired tools that changed after the edition.
func readRetired(ctx context.Context, q querier, after int64) ([]*catalog.Retired, error) {
	retired, err := collect(ctx, q, func(row pgx.CollectableRow) (*catalog.Retired, error) {
		var r catalog.Retired
		err := row.Scan(&r.Slug, &r.Name, &r.Category, &r.Reason, &r.RetiredAt, &r.Note, &r.Source)
		return &r, err
	}, `
		SELECT slug, name, category, reason, retired_at::text, note, source
		FROM retired WHERE edition > $1 ORDER BY slug`, after)
	if err != nil {
		return nil, fmt.Errorf("reading the retired tools: %w", err)
	}
	return retired, nil
}

func (w writer) writeRetired(changes []catalog.Change[*catalog.Retired]) error {
	var rows [][]any
	for _, ch := range changes {
		if r := ch.New; r != nil {
			rows = append(rows, []any{r.Slug, r.Name, r.Category, string(r.Reason), date(r.RetiredAt), r.Note, r.Source, w.edition})
		}
	}
	return w.copy("retired", []string{"slug", "name", "category", "reason", "retired_at", "note", "source", "edition"}, rows)
}
