package postgres

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/palmares-hq/palmares/internal/catalog"
)

// readFiles reads the operator's files that changed after the edition, with or without their text.
func readFiles(ctx context.Context, q querier, after int64, texts bool) ([]*catalog.OperatorFile, error) {
	files, err := collect(ctx, q, func(row pgx.CollectableRow) (*catalog.OperatorFile, error) {
		var f catalog.OperatorFile
		err := row.Scan(&f.Name, &f.Hash, &f.Text)
		return &f, err
	}, `
		SELECT slug, hash, CASE WHEN $2 THEN text ELSE '' END
		FROM pages WHERE edition > $1 ORDER BY slug`, after, texts)
	if err != nil {
		return nil, fmt.Errorf("reading the operator's files: %w", err)
	}
	return files, nil
}

// OwnTexts returns the texts of the pages that the operator has published, by the names of their files.
func (c *Catalog) OwnTexts(ctx context.Context) (map[string]string, error) {
	texts := make(map[string]string)
	_, err := collect(ctx, c.pool, func(row pgx.CollectableRow) (none struct{}, err error) {
		var name, text string
		err = row.Scan(&name, &text)
		texts[name] = text
		return none, err
	}, `SELECT slug, text FROM pages WHERE slug LIKE '%' || $1`, catalog.FrenchPage)
	if err != nil {
		return nil, fmt.Errorf("reading the operator's pages: %w", err)
	}
	return texts, nil
}

func (w editionWriter) writeFiles(changes []catalog.Change[*catalog.OperatorFile]) error {
	var rows [][]any
	for _, ch := range changes {
		if f := ch.New; f != nil {
			rows = append(rows, []any{f.Name, f.Hash, f.Text, w.edition})
		}
	}
	return w.copy("pages", []string{"slug", "hash", "text", "edition"}, rows)
}

func readIncidents(ctx context.Context, q querier) ([]catalog.Incident, error) {
	incidents, err := collect(ctx, q, func(row pgx.CollectableRow) (i catalog.Incident, err error) {
		var resolved *time.Time
		err = row.Scan(&i.At, &resolved, &i.Title.French, &i.Title.English, &i.Text.French, &i.Text.English)
		i.At = i.At.UTC()
		if resolved != nil {
			i.ResolvedAt = resolved.UTC()
		}
		return i, err
	}, `SELECT at, resolved_at, title_fr, title_en, text_fr, text_en FROM incidents ORDER BY position`)
	if err != nil {
		return nil, fmt.Errorf("reading the incidents: %w", err)
	}
	return incidents, nil
}

func (w editionWriter) writeIncidents(c catalog.Changes) error {
	if !c.IncidentsChanged {
		return nil
	}
	if _, err := w.tx.Exec(w.ctx, `DELETE FROM incidents`); err != nil {
		return fmt.Errorf("clearing the incidents: %w", err)
	}
	var rows [][]any
	for n, i := range c.Incidents {
		var resolved *time.Time
		if !i.ResolvedAt.IsZero() {
			resolved = &i.ResolvedAt
		}
		rows = append(rows, []any{
			int32(n), i.At, resolved, i.Title.French, i.Title.English, i.Text.French, i.Text.English,
		})
	}
	return w.copy("incidents",
		[]string{"position", "at", "resolved_at", "title_fr", "title_en", "text_fr", "text_en"}, rows)
}
