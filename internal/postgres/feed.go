package postgres

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/palmares-hq/palmares/internal/catalog"
)

// FeedName is what a feed's connection calls itself, for operators to see in
// pg_stat_activity.
const FeedName = "palmares feed"

// A Feed is one connection on which a node hears of editions and reads them. It
// must not go through a pooler in transaction mode, which loses LISTEN.
type Feed struct {
	conn *pgx.Conn
}

// Feed connects and listens. From its return on, no edition goes unannounced as
// long as the connection lives: reading the latest edition after it closes the gap.
// It fails on a schema that this program does not understand.
func (db *DB) Feed(ctx context.Context) (*Feed, error) {
	conn, err := db.listen(ctx, FeedName, editionChannel)
	if err != nil {
		return nil, err
	}
	if err := checkSchema(ctx, conn); err != nil {
		hangUp(conn)
		return nil, err
	}
	return &Feed{conn: conn}, nil
}

// listen makes a connection of its own, outside of the pool, that hears of what is
// announced on the channel.
func (db *DB) listen(ctx context.Context, name, channel string) (*pgx.Conn, error) {
	cfg := db.pool.Config().ConnConfig
	cfg.Tracer = nil // a heartbeat every two seconds is no news
	cfg.RuntimeParams["application_name"] = name
	conn, err := pgx.ConnectConfig(ctx, cfg)
	if err != nil {
		return nil, fmt.Errorf("connecting to PostgreSQL: %w", err)
	}
	if _, err := conn.Exec(ctx, `LISTEN `+channel); err != nil {
		hangUp(conn)
		return nil, fmt.Errorf("listening on %s: %w", channel, err)
	}
	return conn, nil
}

// await returns when something is announced, or after d.
func await(ctx context.Context, conn *pgx.Conn, d time.Duration) error {
	short, cancel := context.WithTimeout(ctx, d)
	defer cancel()
	_, err := conn.WaitForNotification(short)
	if err != nil && ctx.Err() == nil && errors.Is(err, context.DeadlineExceeded) {
		return nil
	}
	return err
}

// hangUp ends a connection without waiting for a server that may be gone.
func hangUp(conn *pgx.Conn) {
	ctx, cancel := context.WithTimeout(context.Background(), 100*time.Millisecond)
	defer cancel()
	conn.Close(ctx) //nolint:errcheck,gosec // it is being dropped anyway
}

// Latest is the current edition; the zero Edition before the first.
func (f *Feed) Latest(ctx context.Context) (catalog.Edition, error) {
	return latestEdition(ctx, f.conn)
}

// Wait returns when an edition is announced, or after d.
func (f *Feed) Wait(ctx context.Context, d time.Duration) error {
	if err := await(ctx, f.conn, d); err != nil {
		return fmt.Errorf("waiting for an edition: %w", err)
	}
	return nil
}

// Since reads what changed after the given edition, as one consistent state. If
// that edition is not one of this database's, the delta starts from nothing.
func (f *Feed) Since(ctx context.Context, e catalog.Edition) (catalog.Delta, error) {
	var d catalog.Delta
	err := pgx.BeginTxFunc(ctx, f.conn, pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly}, func(tx pgx.Tx) (err error) {
		d, err = since(ctx, tx, e)
		return err
	})
	if err != nil {
		return catalog.Delta{}, fmt.Errorf("reading the edition: %w", err)
	}
	return d, nil
}

func since(ctx context.Context, q querier, e catalog.Edition) (d catalog.Delta, err error) {
	err = q.QueryRow(ctx, `
		SELECT coalesce(max(number), 0) FROM editions WHERE number = $1 AND id::text = $2`, e.Number, e.ID).Scan(&d.From)
	if err != nil {
		return d, fmt.Errorf("finding the edition: %w", explain(err))
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
	if d.Tools, err = readTools(ctx, q, d.From); err != nil {
		return d, err
	}
	if err = readPrices(ctx, q, d.From, d.Tools); err != nil {
		return d, err
	}
	if d.Comparisons, err = readComparisons(ctx, q, d.From); err != nil {
		return d, err
	}
	if d.Retired, err = readRetired(ctx, q, d.From); err != nil {
		return d, err
	}
	if d.From == 0 {
		return d, nil
	}
	if d.GoneTools, err = gone(ctx, q, "tool", d.From); err != nil {
		return d, err
	}
	if d.GoneComparisons, err = gone(ctx, q, "comparison", d.From); err != nil {
		return d, err
	}
	d.GoneRetired, err = gone(ctx, q, "retired", d.From)
	return d, err
}

// Close ends the connection.
func (f *Feed) Close() { hangUp(f.conn) }
