package postgres

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/palmares-hq/palmares/internal/catalog"
)

// An editionWriter writes the rows of one edition.
type editionWriter struct {
	ctx     context.Context //nolint:containedctx // lives for one transaction
	tx      pgx.Tx
	edition int64
	sent    func() // called for each row that is sent; nil without a progress bar
}

func (w editionWriter) copy(table string, columns []string, rows [][]any) error {
	if len(rows) == 0 {
		return nil
	}
	source := pgx.CopyFromSlice(len(rows), func(i int) ([]any, error) {
		if w.sent != nil {
			w.sent()
		}
		return rows[i], nil
	})
	if _, err := w.tx.CopyFrom(w.ctx, pgx.Identifier{table}, columns, source); err != nil {
		return fmt.Errorf("writing %s: %w", table, err)
	}
	return nil
}

// deleteRows deletes the rows of removed items and leaves tombstones for them. It also
// deletes the rows of changed items, which are inserted anew, but not those of tools: they
// are updated, to keep the text of their review.
func deleteRows[T comparable](w editionWriter, kind, table string, changes []catalog.Change[T]) error {
	var removed, written []string
	for _, ch := range changes {
		if ch.Removed() {
			removed = append(removed, ch.Slug)
		} else {
			written = append(written, ch.Slug)
		}
	}
	deleted := removed
	if kind != "tool" {
		deleted = append(deleted, written...)
	}
	if _, err := w.tx.Exec(w.ctx, `DELETE FROM `+table+` WHERE slug = ANY($1)`, deleted); err != nil {
		return fmt.Errorf("removing from %s: %w", table, err)
	}
	if _, err := w.tx.Exec(w.ctx, `DELETE FROM tombstones WHERE kind = $1 AND slug = ANY($2)`, kind, written); err != nil {
		return fmt.Errorf("lifting tombstones: %w", err)
	}
	_, err := w.tx.Exec(w.ctx, `
		INSERT INTO tombstones (kind, slug, edition) SELECT $1, unnest($2::text[]), $3
		ON CONFLICT (kind, slug) DO UPDATE SET edition = excluded.edition`, kind, removed, w.edition)
	if err != nil {
		return fmt.Errorf("setting tombstones: %w", err)
	}
	return nil
}
