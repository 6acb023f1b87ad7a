package postgres

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/purge"
)

// Purges stores of which edition each cache was last told. It is a purge.Store. The rows of a cache stay when its
// address is no longer set: there are only two for each, and if it is set again, the cache is told of everything that
// has changed since.
type Purges struct {
	pool *pgxpool.Pool
}

// Tell implements purge.Store. It locks the row of the cache while it calls drop, so that only one of several workers
// does; the others find the row locked, and do nothing.
func (p *Purges) Tell(
	ctx context.Context, cache string, pass int, after time.Duration, drop func(context.Context, purge.Change) error,
) (told purge.Change, err error) {
	var refused error // by the cache
	err = pgx.BeginTxFunc(ctx, p.pool, readCommitted, func(tx pgx.Tx) error {
		e, err := latestEdition(ctx, tx)
		if err != nil || e.Number == 0 {
			return err
		}
		r, err := lockPurge(ctx, tx, cache, pass, e)
		if err != nil || r == nil {
			return err
		}
		if r.next == nil {
			return postponePurge(ctx, tx, cache, pass, e, after)
		}
		if !r.due {
			return nil
		}
		change, service, err := r.change(ctx, tx)
		if err != nil {
			return err
		}
		if refused = drop(ctx, change); refused != nil {
			return refused
		}
		if *r.next != e.Number {
			service = r.service // the digest may be that of a later edition, which nodes need not have yet
		}
		told = change
		_, err = tx.Exec(ctx, `
			UPDATE purges SET edition = next, id = (SELECT id FROM editions WHERE number = next), service = $3, next = NULL, due = NULL
			WHERE cache = $1 AND pass = $2`, cache, pass, service)
		return err
	})
	switch {
	case refused != nil:
		return purge.Change{}, refused
	case err != nil:
		return purge.Change{}, fmt.Errorf("reading what the cache was told: %w", explain(err))
	}
	return told, nil
}

// A purgeRow says of which edition a cache was told in a pass, and of which it is to be told next.
type purgeRow struct {
	edition int64 // 0 when it was told of none that this database has
	service string
	next    *int64
	due     bool
}

// lockPurge locks and returns the row of a pass, or nil if the cache was told of the latest edition in it, or if
// another worker has the row.
func lockPurge(ctx context.Context, tx pgx.Tx, cache string, pass int, latest catalog.Edition) (*purgeRow, error) {
	_, err := tx.Exec(ctx, `INSERT INTO purges (cache, pass) VALUES ($1, $2) ON CONFLICT DO NOTHING`, cache, pass)
	if err != nil {
		return nil, err
	}
	r, done := new(purgeRow), false
	err = tx.QueryRow(ctx, `
		SELECT coalesce((SELECT e.number FROM editions e WHERE e.number = p.edition AND e.id = p.id), 0),
		    service, next, coalesce(due <= clock_timestamp(), false), edition = $3 AND id IS NOT DISTINCT FROM $4::uuid
		FROM purges p WHERE cache = $1 AND pass = $2 FOR UPDATE SKIP LOCKED`, cache, pass, latest.Number, latest.ID).
		Scan(&r.edition, &r.service, &r.next, &r.due, &done)
	if errors.Is(err, pgx.ErrNoRows) || err == nil && done {
		return nil, nil
	}
	return r, err
}

// postponePurge stores that a cache is to be told of an edition, and that this is due after a time.
func postponePurge(ctx context.Context, tx pgx.Tx, cache string, pass int, e catalog.Edition, after time.Duration) error {
	_, err := tx.Exec(ctx, `
		UPDATE purges SET next = $3, due = clock_timestamp() + make_interval(secs => $4) WHERE cache = $1 AND pass = $2`,
		cache, pass, e.Number, after.Seconds())
	return err
}

// serviceDigest selects a digest of the service, the categories and the incidents, whose rows have no edition.
const serviceDigest = `
	SELECT encode(sha256(convert_to(concat(
	    (SELECT to_jsonb(s) FROM service s), (SELECT jsonb_agg(c ORDER BY position) FROM categories c),
	    (SELECT jsonb_agg(i ORDER BY position) FROM incidents i)), 'UTF8')), 'hex')`

// change returns what has changed since the edition that the cache was told of, and the digest of the service. It may
// include what editions after the next one changed; the cache is told of that again with those.
func (r *purgeRow) change(ctx context.Context, tx pgx.Tx) (c purge.Change, service string, err error) {
	c.Edition = *r.next
	if err := tx.QueryRow(ctx, serviceDigest).Scan(&service); err != nil {
		return c, "", err
	}
	if r.edition == 0 {
		c.Everything = true
		return c, service, nil
	}
	type item struct {
		kind purge.Kind
		slug string
	}
	items, err := collect(ctx, tx, func(row pgx.CollectableRow) (i item, err error) {
		err = row.Scan(&i.kind, &i.slug)
		return i, err
	}, `SELECT kind, slug FROM (
	        SELECT 'tools' AS kind, slug FROM tools WHERE edition > $1
	        UNION ALL SELECT 'tools', unnest(formerly) FROM tools WHERE edition > $1 -- what old slugs answer names the new one
	        UNION ALL SELECT 'comparisons', slug FROM comparisons WHERE edition > $1
	        UNION ALL SELECT 'comparisons', unnest(formerly) FROM comparisons WHERE edition > $1
	        UNION ALL SELECT 'retired', slug FROM retired WHERE edition > $1
	        UNION ALL SELECT 'tools', unnest(formerly) FROM retired WHERE edition > $1
	        UNION ALL SELECT 'service', slug FROM pages WHERE edition > $1
	        UNION ALL SELECT CASE kind WHEN 'tool' THEN 'tools' WHEN 'comparison' THEN 'comparisons' WHEN 'retired' THEN 'retired' ELSE 'service' END, slug
	        FROM tombstones WHERE edition > $1) AS changed
	    GROUP BY kind, slug ORDER BY kind, slug LIMIT $2`, r.edition, purge.MaxTags+1)
	if err != nil {
		return c, "", err
	}
	c.Tags = []string{string(purge.Edition)}
	if service != r.service {
		c.Tags = append(c.Tags, string(purge.Service))
	}
	for _, i := range items {
		c.Tags = append(c.Tags, string(i.kind))
		if i.kind != purge.Service {
			c.Tags = append(c.Tags, i.kind.Of(i.slug))
		}
	}
	slices.Sort(c.Tags)
	c.Tags = slices.Compact(c.Tags)
	if len(c.Tags) > purge.MaxTags {
		c.Everything, c.Tags = true, nil
	}
	return c, service, nil
}

// Behind implements purge.Store.
func (p *Purges) Behind(ctx context.Context, cache string, passes int) (time.Duration, error) {
	var seconds float64
	err := p.pool.QueryRow(ctx, `
		SELECT coalesce(extract(epoch FROM clock_timestamp() - min(e.published_at)), 0)::float8
		FROM generate_series(0, $2 - 1) AS n (pass) LEFT JOIN purges p ON p.cache = $1 AND p.pass = n.pass
		JOIN editions e ON e.number > coalesce((SELECT number FROM editions t WHERE t.number = p.edition AND t.id = p.id), 0)`, cache, passes).
		Scan(&seconds)
	if err != nil {
		return 0, fmt.Errorf("reading what the cache was told: %w", explain(err))
	}
	return time.Duration(max(seconds, 0) * float64(time.Second)), nil
}
