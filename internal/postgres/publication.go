package postgres

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/webhook"
)

// publicationLock is the advisory lock that makes publications wait for one
// another, so that editions and event numbers are in commit order.
const publicationLock = 0x70616c6d // "palm"

// editionChannel is where a commit is announced.
const editionChannel = "palmares_edition"

// Current reads the published state of the catalog without price histories and,
// but for the embeddings set, without the texts of reviews: no comparison of
// states needs them.
func (db *DB) Current(ctx context.Context) (*catalog.Contents, catalog.Edition, error) {
	var c *catalog.Contents
	var e catalog.Edition
	err := pgx.BeginTxFunc(ctx, db.pool, pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly}, func(tx pgx.Tx) (err error) {
		c, e, err = current(ctx, tx)
		return err
	})
	if err != nil {
		return nil, catalog.Edition{}, fmt.Errorf("reading the published catalog: %w", err)
	}
	return c, e, nil
}

func current(ctx context.Context, q querier) (*catalog.Contents, catalog.Edition, error) {
	e, err := latestEdition(ctx, q)
	if err != nil {
		return nil, e, err
	}
	c := &catalog.Contents{}
	if c.Service, err = readService(ctx, q); err != nil {
		return nil, e, err
	}
	if c.Categories, err = readCategories(ctx, q); err != nil {
		return nil, e, err
	}
	if c.Tools, err = readTools(ctx, q, 0); err != nil {
		return nil, e, err
	}
	if c.Comparisons, err = readComparisons(ctx, q, 0); err != nil {
		return nil, e, err
	}
	if c.Retired, err = readRetired(ctx, q, 0); err != nil {
		return nil, e, err
	}
	return c, e, nil
}

// Publish lets decide say what changes over the published state and commits it as
// the next edition, in one transaction with its price history, its events and the job
// that tells endpoints of them.
// Other publications wait meanwhile. When nothing changes nothing is written and
// the edition is the one there was.
func (db *DB) Publish(
	ctx context.Context, now func() time.Time,
	decide func(ctx context.Context, current *catalog.Contents, edition catalog.Edition) (catalog.Changes, error),
) (catalog.Edition, error) {
	var edition catalog.Edition
	written := 0
	// Read committed, whatever the server's default: under a stricter level the
	// state read would be the one from before the wait for the lock.
	err := pgx.BeginTxFunc(ctx, db.pool, pgx.TxOptions{IsoLevel: pgx.ReadCommitted}, func(tx pgx.Tx) error {
		// Reading a large content directory is no idleness to be cut off for.
		if _, err := tx.Exec(ctx, `SET LOCAL idle_in_transaction_session_timeout = 0`); err != nil {
			return fmt.Errorf("preparing the transaction: %w", err)
		}
		if _, err := tx.Exec(ctx, `SELECT pg_advisory_xact_lock($1)`, publicationLock); err != nil {
			return fmt.Errorf("waiting for other publications: %w", err)
		}
		published, e, err := current(ctx, tx)
		if err != nil {
			return err
		}
		changes, err := decide(ctx, published, e)
		if err != nil {
			return err
		}
		edition = e
		if err := writeSources(ctx, tx, changes.Sources); err != nil {
			return err
		}
		if changes.Empty() && e.Number > 0 {
			return nil
		}
		written = len(changes.Tools) + len(changes.Comparisons) + len(changes.Retired)
		at := now().UTC().Truncate(time.Microsecond) // what a timestamptz keeps
		edition, err = write(ctx, tx, catalog.Edition{Number: e.Number + 1, PublishedAt: at}, changes, db.writing)
		return err
	})
	if err != nil {
		return catalog.Edition{}, fmt.Errorf("publishing: %w", err)
	}
	if written > analyzeFrom {
		// Until PostgreSQL knows how the rows are spread it scans tables where an index
		// would do. It finds out by itself, but a minute late; failing here harms nothing.
		db.pool.Exec(ctx, `ANALYZE tools, comparisons, retired, tombstones, price_history`) //nolint:errcheck,gosec // as said
	}
	return edition, nil
}

// analyzeFrom is how many rows a publication writes before statistics are off.
const analyzeFrom = 1000

// writeSources keeps the digests of files that were rewritten without saying
// anything new, so that they need not be decoded at every publication. It is not
// news: no edition, no event.
func writeSources(ctx context.Context, tx pgx.Tx, s catalog.Sources) error {
	for table, digests := range map[string]map[string]string{"tools": s.Tools, "comparisons": s.Comparisons, "retired": s.Retired} {
		if len(digests) == 0 {
			continue
		}
		_, err := tx.Exec(ctx, `
			UPDATE `+table+` AS t SET source = n.source
			FROM unnest($1::text[], $2::text[]) AS n (slug, source) WHERE t.slug = n.slug`,
			slices.Collect(maps.Keys(digests)), slices.Collect(maps.Values(digests)))
		if err != nil {
			return fmt.Errorf("keeping the digests of %s: %w", table, err)
		}
	}
	return nil
}

// A writer writes one edition.
type writer struct {
	ctx     context.Context //nolint:containedctx // lives for one transaction
	tx      pgx.Tx
	edition int64
	sent    func() // one more row; may be nil
}

func write(
	ctx context.Context, tx pgx.Tx, e catalog.Edition, c catalog.Changes, progress func(done, total int),
) (catalog.Edition, error) {
	w := writer{ctx: ctx, tx: tx, edition: e.Number}
	events := c.Events()
	if progress != nil {
		done, total := 0, rowsOf(c)+len(events)
		w.sent = func() { done++; progress(min(done, total), total) }
	}
	var first int64
	err := tx.QueryRow(ctx, `
		INSERT INTO editions (number, published_at, last_seq)
		VALUES ($1::bigint, $2, $3::bigint + coalesce((SELECT last_seq FROM editions WHERE number = $1::bigint - 1), 0))
		RETURNING id::text, last_seq - $3::bigint + 1`, e.Number, e.PublishedAt, int64(len(events))).Scan(&e.ID, &first)
	if err != nil {
		return e, fmt.Errorf("writing the edition: %w", err)
	}
	steps := []func() error{
		func() error { return w.writeService(c) },
		func() error { return bury(w, "tool", "tools", c.Tools) },
		func() error { return bury(w, "comparison", "comparisons", c.Comparisons) },
		func() error { return bury(w, "retired", "retired", c.Retired) },
		func() error { return w.writeTools(c.Tools) },
		func() error { return w.writePrices(c.Tools) },
		func() error { return w.writeComparisons(c.Comparisons) },
		func() error { return w.writeRetired(c.Retired) },
		func() error { return w.writeEvents(first, events) },
		func() error { return w.fanOut(events) },
		w.announce,
	}
	for _, step := range steps {
		if err := step(); err != nil {
			return e, err
		}
	}
	return e, nil
}

// rowsOf is how many rows an edition writes of items; prices and categories are few.
func rowsOf(c catalog.Changes) int {
	return kept(c.Tools) + kept(c.Comparisons) + kept(c.Retired)
}

func kept[T comparable](changes []catalog.Change[T]) int {
	n := 0
	for _, ch := range changes {
		if !ch.Removed() {
			n++
		}
	}
	return n
}

func (w writer) writeService(c catalog.Changes) error {
	s := c.Service
	_, err := w.tx.Exec(w.ctx, `
		INSERT INTO service (name, url, tool_url, review_url, alternatives_url, comparison_url)
		VALUES ($1, $2, $3, $4, $5, $6)
		ON CONFLICT (only_row) DO UPDATE SET
		    name = excluded.name, url = excluded.url, tool_url = excluded.tool_url, review_url = excluded.review_url,
		    alternatives_url = excluded.alternatives_url, comparison_url = excluded.comparison_url`,
		s.Name, s.URL, s.Site.Tool, s.Site.Review, s.Site.Alternatives, s.Site.Comparison)
	if err != nil {
		return fmt.Errorf("writing the service: %w", err)
	}
	if !c.CategoriesChanged {
		return nil
	}
	if _, err := w.tx.Exec(w.ctx, `DELETE FROM categories`); err != nil {
		return fmt.Errorf("clearing the categories: %w", err)
	}
	var rows [][]any
	for i, cat := range c.Categories {
		rows = append(rows, []any{cat.Slug, cat.Label, int32(i)})
	}
	return w.copy("categories", []string{"slug", "label", "position"}, rows)
}

// bury makes room for the changed rows and sets or lifts the tombstones. Tools
// that stay keep their row, for the text of their review.
func bury[T comparable](w writer, kind, table string, changes []catalog.Change[T]) error {
	var removed, kept []string
	for _, ch := range changes {
		if ch.Removed() {
			removed = append(removed, ch.Slug)
		} else {
			kept = append(kept, ch.Slug)
		}
	}
	outdated := removed
	if kind != "tool" {
		outdated = append(outdated, kept...)
	}
	if _, err := w.tx.Exec(w.ctx, `DELETE FROM `+table+` WHERE slug = ANY($1)`, outdated); err != nil {
		return fmt.Errorf("removing from %s: %w", table, err)
	}
	if _, err := w.tx.Exec(w.ctx, `DELETE FROM tombstones WHERE kind = $1 AND slug = ANY($2)`, kind, kept); err != nil {
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

func (w writer) writeEvents(first int64, events []catalog.Event) error {
	_, err := w.tx.CopyFrom(w.ctx, pgx.Identifier{"events"},
		[]string{"seq", "edition", "type", "slug", "categories", "object", "previous"},
		pgx.CopyFromSlice(len(events), func(i int) ([]any, error) {
			e := events[i]
			if w.sent != nil {
				w.sent()
			}
			return []any{first + int64(i), w.edition, string(e.Type), e.Slug, e.Categories, e.Object, e.Previous}, nil
		}))
	if err != nil {
		return fmt.Errorf("writing the events: %w", err)
	}
	return nil
}

// fanOut has endpoints told of the events, once they are committed.
func (w writer) fanOut(events []catalog.Event) error {
	if len(events) == 0 {
		return nil
	}
	return insertJob(w.ctx, w.tx, webhook.FanOut{Edition: w.edition})
}

func (w writer) announce() error {
	_, err := w.tx.Exec(w.ctx, `
		INSERT INTO current_edition (number) VALUES ($1)
		ON CONFLICT (only_row) DO UPDATE SET number = excluded.number`, w.edition)
	if err != nil {
		return fmt.Errorf("moving to the edition: %w", err)
	}
	if _, err := w.tx.Exec(w.ctx, `SELECT pg_notify($1, $2::bigint::text)`, editionChannel, w.edition); err != nil {
		return fmt.Errorf("announcing the edition: %w", err)
	}
	return nil
}

func (w writer) copy(table string, columns []string, rows [][]any) error {
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
