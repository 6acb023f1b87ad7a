package postgres

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/palmares-hq/palmares/internal/catalog"
)

// selectLogEntries selects what scanLogEntry reads.
const selectLogEntries = `
	SELECT v.seq, v.edition, n.id::text, n.published_at, v.type, v.slug, v.categories, v.object, v.previous, coalesce(v.correction, 0),
		coalesce(v.renamed_from, ''), coalesce(v.renamed_to, '')
	FROM events v JOIN editions n ON n.number = v.edition `

func scanLogEntry(row pgx.CollectableRow) (*catalog.LogEntry, error) {
	var e catalog.LogEntry
	err := row.Scan(&e.Seq, &e.Edition, &e.EditionID, &e.At, &e.Type, &e.Slug, &e.Categories, &e.Object, &e.Previous, &e.Correction,
		&e.RenamedFrom, &e.RenamedTo)
	e.At = e.At.UTC()
	return &e, err
}

// logBatch is how many entries are read at once. A node keeps only the end of the log, which may be a
// small part, and has to read the entries to find out where that begins.
const logBatch = 2000

// readLog reads the entries after an edition that a snapshot of edition e keeps, oldest first. start
// is the oldest entry that the log still has, and end where it ends.
func readLog(
	ctx context.Context, q querier, after int64, e catalog.Edition,
) (entries []*catalog.LogEntry, start int64, end catalog.Cursor, err error) {
	if start, end, err = logBounds(ctx, q); err != nil {
		return nil, 0, end, err
	}
	limit := catalog.NewLogLimit(e)
	for next := int64(math.MaxInt64); ; {
		batch, err := collect(ctx, q, scanLogEntry, selectLogEntries+`
			WHERE v.seq < $1 AND v.seq > coalesce((SELECT last_seq FROM editions WHERE number = $2), 0)
			ORDER BY v.seq DESC LIMIT $3`, next, after, logBatch)
		if err != nil {
			return nil, 0, end, fmt.Errorf("reading the change log: %w", explain(err))
		}
		kept := 0
		for kept < len(batch) && limit.Keeps(batch[kept]) {
			kept++
		}
		entries = append(entries, batch[:kept]...)
		if kept < logBatch {
			slices.Reverse(entries)
			return entries, start, end, nil
		}
		next = batch[kept-1].Seq
	}
}

// editionOfEntry returns the SQL for the id of the edition that published entry n of the log: the first
// that ends there or later. It also finds that of a deleted entry, because editions are kept.
func editionOfEntry(n string) string {
	return `(SELECT id::text FROM editions WHERE last_seq >= ` + n + ` ORDER BY last_seq, number LIMIT 1)`
}

// logBounds returns the number of the oldest entry that the log still has, or of its next one if it has none, and the
// cursor at its end.
func logBounds(ctx context.Context, q querier) (start int64, end catalog.Cursor, err error) {
	var seq int64
	var edition string
	err = q.QueryRow(ctx, `
		SELECT e.seq, coalesce((SELECT min(seq) FROM events), e.seq + 1), coalesce(`+editionOfEntry(`e.seq`)+`, '')
		FROM `+endOfLog+` AS e (seq)`).Scan(&seq, &start, &edition)
	if err != nil {
		return 0, end, fmt.Errorf("finding the ends of the change log: %w", explain(err))
	}
	return start, catalog.NewCursor(seq, edition), nil
}
