package postgres

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/changes"
)

var _ changes.Log = (*Catalog)(nil)

var errNoEdition = errors.New("the database has no edition at all")

// logTables are the tables that the change log is read from.
func logTables() []string { return []string{"editions", "current_edition", "events"} }

// EndsAfter implements changes.Log. It returns an error if the database is being restored or has no edition.
func (c *Catalog) EndsAfter(ctx context.Context, seq int64) (ends []catalog.Cursor, err error) {
	err = pgx.BeginTxFunc(ctx, c.pool, readOnly, func(tx pgx.Tx) error {
		if _, _, err := wholeLog(ctx, tx); err != nil {
			return err
		}
		ends, err = collect(ctx, tx, func(row pgx.CollectableRow) (catalog.Cursor, error) {
			var last int64
			var id string
			err := row.Scan(&last, &id)
			return catalog.NewCursor(last, id), err
		}, `SELECT DISTINCT ON (last_seq) last_seq, id::text FROM editions WHERE last_seq > $1 ORDER BY last_seq, number LIMIT $2`,
			seq, changes.MaxEnds)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("looking for the end of the change log: %w", explain(err))
	}
	return ends, nil
}

// wholeLog returns the bounds of the log, as logBounds does. It returns an error if the log is being restored, or if
// nothing was ever published.
func wholeLog(ctx context.Context, q querier) (start int64, end catalog.Cursor, err error) {
	var half bool
	if err := q.QueryRow(ctx, `SELECT `+restoring, logTables()).Scan(&half); err != nil {
		return 0, end, err
	}
	if half {
		return 0, end, errCatalogRestoring
	}
	e, err := latestEdition(ctx, q)
	if err == nil && e.Number == 0 {
		err = errNoEdition
	}
	if err != nil {
		return 0, end, err
	}
	return logBounds(ctx, q)
}

// ReadChanges implements changes.Log.
func (c *Catalog) ReadChanges(ctx context.Context, q changes.Query) (b changes.Batch, err error) {
	err = pgx.BeginTxFunc(ctx, c.pool, readOnly, func(tx pgx.Tx) error {
		b, err = readChanges(ctx, tx, q)
		return err
	})
	if err != nil {
		return changes.Batch{}, fmt.Errorf("reading changes: %w", explain(err))
	}
	return b, nil
}

func readChanges(ctx context.Context, q querier, ask changes.Query) (b changes.Batch, err error) {
	start, end, err := wholeLog(ctx, q)
	if err != nil {
		return b, err
	}
	if ask, err = beginning(ctx, q, ask, &b, start, end); err != nil {
		return b, err
	}
	after, last, order := ask.Since.Seq, end.Seq, "ASC"
	if ask.Until > 0 {
		last = min(last, max(ask.Until, after))
	}
	switch {
	case ask.Newest:
		after, order = last-changes.MaxScanned, "DESC"
	case !ask.Filter.Empty() && last-after >= changes.MaxScanned:
		last, b.More = after+changes.MaxScanned, true
	}
	b.ScannedTo = end
	if last < end.Seq {
		b.More = !ask.Newest
		if b.ScannedTo, err = cursorAt(ctx, q, last); err != nil {
			return b, err
		}
	}
	f := ask.Filter
	rows, err := q.Query(ctx, selectLogEntries+`
		WHERE v.seq > $1 AND v.seq <= $2 AND (cardinality($3::text[]) = 0 OR v.type = ANY($3))
		AND (v.type = $4 OR ((cardinality($5::text[]) = 0 OR v.slug = ANY($5)) AND (cardinality($6::text[]) = 0 OR v.categories && $6)))
		ORDER BY v.seq `+order+` LIMIT $7`,
		after, last, texts(f.Types), string(catalog.CatalogUpdated), texts(f.Slugs), texts(f.Categories), ask.Limit)
	if err != nil {
		return b, err
	}
	defer rows.Close()
	size := 0
	for rows.Next() {
		if size > changes.MaxBytes { // the page is full: read no further
			if !ask.Newest {
				b.ScannedTo, b.More = b.Entries[len(b.Entries)-1].Cursor(), true
			}
			break
		}
		e, err := scanLogEntry(rows)
		if err != nil {
			return b, err
		}
		size += len(e.Object) + len(e.Previous)
		b.Entries = append(b.Entries, e)
	}
	if ask.Newest {
		slices.Reverse(b.Entries)
	}
	rows.Close()
	return b, rows.Err()
}

// beginning returns the query with the cursor to read from: the one that it has, which is checked, or
// that of the day that it names, which the batch says.
func beginning(
	ctx context.Context, q querier, ask changes.Query, b *changes.Batch, start int64, end catalog.Cursor,
) (changes.Query, error) {
	var err error
	switch {
	case !ask.From.IsZero():
		b.Since, b.Begins, err = cursorBefore(ctx, q, ask.From, start)
		ask.Since = b.Since
	case !ask.Newest:
		err = checkCursor(ctx, q, ask.Since, start, end)
	}
	return ask, err
}

// texts converts a list to strings. The result is never nil, which would be NULL.
func texts[T ~string](list []T) []string {
	out := make([]string, len(list))
	for i, s := range list {
		out[i] = string(s)
	}
	return out
}

// checkCursor returns changes.ErrGone for a cursor after which the log lacks entries, and for one that is
// not of this log because a backup was restored since. It can check a cursor just before the first entry
// that the log has, too: that is known by its edition.
func checkCursor(ctx context.Context, q querier, c catalog.Cursor, start int64, end catalog.Cursor) error {
	if c.Seq < start-1 || c.Seq > end.Seq {
		return changes.ErrGone
	}
	if c.Edition == "" {
		return nil
	}
	known, err := cursorAt(ctx, q, c.Seq)
	if err == nil && known != c {
		err = changes.ErrGone
	}
	return err
}

// cursorBefore returns the cursor right before the first entry at or after a time, in a log whose oldest entry is start,
// and when the log begins, if that is later.
func cursorBefore(ctx context.Context, q querier, t time.Time, start int64) (c catalog.Cursor, begins time.Time, err error) {
	var seq int64
	var first *time.Time
	err = q.QueryRow(ctx, `
		SELECT greatest($2::bigint - 1, coalesce((SELECT max(last_seq) FROM editions WHERE published_at < $1), 0)),
			(SELECT n.published_at FROM events v JOIN editions n ON n.number = v.edition WHERE v.seq = $2 AND n.published_at > $1)`,
		t, start).Scan(&seq, &first)
	if err != nil {
		return c, begins, err
	}
	if first != nil {
		begins = first.UTC()
	}
	c, err = cursorAt(ctx, q, seq)
	return c, begins, err
}

// cursorAt returns the cursor after an entry that the log has or had.
func cursorAt(ctx context.Context, q querier, seq int64) (catalog.Cursor, error) {
	var id string
	err := q.QueryRow(ctx, `SELECT coalesce(`+editionOfEntry(`$1`)+`, '')`, seq).Scan(&id)
	return catalog.NewCursor(seq, id), err
}
