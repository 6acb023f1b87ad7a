package postgres

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/palmares-hq/palmares/internal/catalog"
)

// maxFileChanges is how many changes of a file are kept. There is no warning of a publication that takes
// a file back to a state before all of them.
const maxFileChanges = 20

// writeFileChanges stores what a publication does to files. A nil edition is for files that have other
// bytes and say the same.
func (w editionWriter) writeFileChanges(edition *int64, changes []catalog.FileChange) error {
	if len(changes) == 0 {
		return nil
	}
	paths := make([]string, len(changes))
	for i, c := range changes {
		paths[i] = c.Path
	}
	_, err := w.tx.CopyFrom(w.ctx, pgx.Identifier{"file_changes"}, []string{"path", "edition", "before", "after", "modified"},
		pgx.CopyFromSlice(len(changes), func(i int) ([]any, error) {
			c := changes[i]
			return []any{c.Path, edition, c.Before, c.After, c.Modified}, nil
		}))
	if err != nil {
		return fmt.Errorf("keeping the digests of files: %w", err)
	}
	_, err = w.tx.Exec(w.ctx, `
		DELETE FROM file_changes WHERE id IN (
		    SELECT id FROM (SELECT id, row_number() OVER (PARTITION BY path ORDER BY id DESC) AS age
		                    FROM file_changes WHERE path = ANY($1)) AS kept
		    WHERE age > $2)`, paths, maxFileChanges)
	if err != nil {
		return fmt.Errorf("dropping old digests of files: %w", err)
	}
	return nil
}

// Files implements catalog.Past.
func (p past) Files(ctx context.Context, paths []string) (map[string]catalog.FilePast, error) {
	rows, err := p.q.Query(ctx, `
		SELECT f.path, f.before, f.after, f.modified, f.edition IS NOT NULL,
		       coalesce(n.number, 0), coalesce(n.id::text, ''), coalesce(n.published_at, 'epoch'),
		       coalesce(n.commit, ''), coalesce(n.author, ''), coalesce(n.modified, false)
		FROM file_changes f LEFT JOIN editions n ON n.number = f.edition
		WHERE f.path = ANY($1) ORDER BY f.path, f.id`, paths)
	if err != nil {
		return nil, fmt.Errorf("reading what editions did to files: %w", explain(err))
	}
	files := make(map[string]catalog.FilePast)
	var c catalog.FileChange
	var e catalog.EditionRecord
	var changed bool
	into := []any{
		&c.Path, &c.Before, &c.After, &c.Modified, &changed,
		&e.Number, &e.ID, &e.PublishedAt, &e.Commit, &e.Author, &e.Modified,
	}
	_, err = pgx.ForEachRow(rows, into, func() error {
		f := files[c.Path]
		f.Before = append(f.Before, c.Before)
		if changed {
			f.Last, f.Edition = c, e
			f.Edition.PublishedAt = e.PublishedAt.UTC()
		}
		files[c.Path] = f
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("reading what editions did to files: %w", explain(err))
	}
	return files, nil
}

// Commits implements catalog.Past.
func (p past) Commits(ctx context.Context) ([]string, error) {
	commits, err := collect(ctx, p.q, pgx.RowTo[string],
		`SELECT commit FROM editions WHERE commit <> '' GROUP BY commit ORDER BY max(number) DESC`)
	if err != nil {
		return nil, fmt.Errorf("reading the commits of editions: %w", explain(err))
	}
	return commits, nil
}

// Editions lists the last editions, the newest first; all of them when limit is 0.
func (c *Catalog) Editions(ctx context.Context, limit int) ([]catalog.EditionRecord, error) {
	var most *int
	if limit > 0 {
		most = &limit
	}
	list, err := collect(ctx, c.pool, func(row pgx.CollectableRow) (e catalog.EditionRecord, err error) {
		var tools, comparisons, retired, pages *int
		err = row.Scan(&e.Number, &e.ID, &e.PublishedAt, &e.Commit, &e.Author, &e.Modified, &tools, &comparisons, &retired, &pages, &e.Events)
		e.PublishedAt = e.PublishedAt.UTC()
		if tools != nil && comparisons != nil && retired != nil && pages != nil {
			e.Changed = &catalog.Changed{Tools: *tools, Comparisons: *comparisons, Retired: *retired, Pages: *pages}
		}
		return e, err
	}, `
		SELECT n.number, n.id::text, n.published_at, coalesce(n.commit, ''), coalesce(n.author, ''), coalesce(n.modified, false),
		       n.tools, n.comparisons, n.retired, n.pages, n.last_seq - coalesce(b.last_seq, 0)
		FROM editions n LEFT JOIN editions b ON b.number = n.number - 1
		ORDER BY n.number DESC LIMIT $1`, most)
	if err != nil {
		return nil, fmt.Errorf("listing the editions: %w", explain(err))
	}
	return list, nil
}
