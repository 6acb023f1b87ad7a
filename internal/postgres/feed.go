package postgres

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/palmares-hq/palmares/internal/catalog"
)

// FeedName is the application_name of a Feed's connection in pg_stat_activity.
const FeedName = "palmares feed"

// A Feed is a connection on which a node is notified of editions and reads them.
type Feed struct {
	conn *pgx.Conn
}

// Feed connects and listens. It fails on a schema that this program does not understand.
//
// Every edition published after Feed returns is announced while the connection lives. A
// caller that reads the latest edition after Feed returns therefore misses none.
func (c *Catalog) Feed(ctx context.Context) (*Feed, error) {
	conn, err := listen(ctx, c.pool, FeedName, editionChannel)
	if err != nil {
		return nil, err
	}
	if err := checkSchema(ctx, conn); err != nil {
		closeConn(conn)
		return nil, err
	}
	return &Feed{conn: conn}, nil
}

// Latest returns the current edition, or the zero Edition before the first.
func (f *Feed) Latest(ctx context.Context) (catalog.Edition, error) {
	return latestEdition(ctx, f.conn)
}

// Wait returns when an edition is announced, or after d.
func (f *Feed) Wait(ctx context.Context, d time.Duration) error {
	return waitForNotification(ctx, f.conn, d)
}

// Since reads what changed after an edition, as one consistent state. After an edition
// that this database does not have, it reads everything.
func (f *Feed) Since(ctx context.Context, e catalog.Edition) (catalog.Delta, error) {
	var d catalog.Delta
	err := pgx.BeginTxFunc(ctx, f.conn, readOnly, func(tx pgx.Tx) (err error) {
		d, err = since(ctx, tx, e)
		return err
	})
	if err != nil {
		return catalog.Delta{}, fmt.Errorf("reading the edition: %w", err)
	}
	return d, nil
}

// errCatalogRestoring means that pg_restore is still filling the tables of the catalog.
var errCatalogRestoring = errors.New("the database is being restored: its catalog is not all there yet")

// feedTables are the tables that since reads.
func feedTables() []string {
	return []string{
		"editions", "current_edition", "service", "categories", "tools", "price_history", "review_dictionaries",
		"comparisons", "retired", "pages", "incidents", "tombstones", "events", "history",
	}
}

// restoring is true while pg_restore fills one of the tables $1.
const restoring = `EXISTS (
	SELECT FROM unnest($1::text[]) AS t (name) WHERE NOT EXISTS (
	    SELECT FROM pg_index WHERE indrelid = to_regclass(t.name) AND indisprimary))`

// since reads what changed after an edition, or returns errCatalogRestoring while pg_restore fills the
// database. pg_restore commits table by table, so the edition may be there before its last tool: a node
// would take what it finds for the whole edition, and never read it again. A table gets its primary key
// only once its rows are in.
func since(ctx context.Context, q querier, e catalog.Edition) (d catalog.Delta, err error) {
	var filling bool
	err = q.QueryRow(ctx, `SELECT coalesce(max(number), 0), `+restoring+` FROM editions WHERE number = $2 AND id::text = $3`,
		feedTables(), e.Number, e.ID).Scan(&d.From, &filling)
	switch {
	case err != nil:
		return d, fmt.Errorf("finding the edition: %w", explain(err))
	case filling:
		return d, errCatalogRestoring
	}
	if d.Edition, err = latestEdition(ctx, q); err != nil {
		return d, err
	}
	if d.Service, err = readService(ctx, q); err != nil {
		return d, err
	}
	if d.Categories, err = readCategories(ctx, q); err != nil {
		return d, err
	}
	if d.Tools, err = readTools(ctx, q, d.From, true); err != nil {
		return d, err
	}
	if err = readPrices(ctx, q, d.From, d.Tools); err != nil {
		return d, err
	}
	if d.Dictionaries, err = readDictionaries(ctx, q, d.From); err != nil {
		return d, err
	}
	if d.Comparisons, err = readComparisons(ctx, q, d.From); err != nil {
		return d, err
	}
	if d.Retired, err = readRetired(ctx, q, d.From); err != nil {
		return d, err
	}
	if d.Histories, err = readHistories(ctx, q, d.From); err != nil {
		return d, err
	}
	if d.Files, err = readFiles(ctx, q, d.From, true); err != nil {
		return d, err
	}
	if d.Incidents, err = readIncidents(ctx, q); err != nil {
		return d, err
	}
	if d.Log, d.LogStart, d.LogEnd, err = readLog(ctx, q, d.From, d.Edition); err != nil {
		return d, err
	}
	if d.From == 0 {
		return d, nil
	}
	if d.GoneTools, err = readTombstones(ctx, q, "tool", d.From); err != nil {
		return d, err
	}
	if d.GoneComparisons, err = readTombstones(ctx, q, "comparison", d.From); err != nil {
		return d, err
	}
	if d.GoneRetired, err = readTombstones(ctx, q, "retired", d.From); err != nil {
		return d, err
	}
	d.GoneFiles, err = readTombstones(ctx, q, "page", d.From)
	return d, err
}

// Close ends the connection.
func (f *Feed) Close() { closeConn(f.conn) }
