package postgres

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/palmares-hq/palmares/internal/account"
)

// Watchlist implements account.Watchlists.
func (s *Accounts) Watchlist(ctx context.Context, by account.Actor, id string) (w account.Watchlist, err error) {
	err = pgx.BeginTxFunc(ctx, s.pool, readOnly, func(tx pgx.Tx) error {
		a, err := findAccount(ctx, tx, byID, uuidOf(id), ownerOf(by))
		if err != nil {
			return err
		}
		w, _, err = readWatchlist(ctx, tx, a.ID)
		return err
	})
	return w, err
}

// A digestState is what is kept about the digests of a list for its owner's export alone.
type digestState struct {
	kept           bool // the account has a list
	refusals, lost int
}

func readWatchlist(ctx context.Context, q querier, id string) (w account.Watchlist, d digestState, err error) {
	lists, err := collect(ctx, q, func(row pgx.CollectableRow) (w account.Watchlist, err error) {
		var sent, stopped *time.Time
		err = row.Scan(&w.Every, &sent, &stopped, &d.refusals, &d.lost)
		w.SentAt, w.StoppedAt = fromNull(sent), fromNull(stopped)
		return w, err
	}, `SELECT every, sent_at, stopped_at, refusals, lost FROM watchlists WHERE account_id = $1`, id)
	if err != nil {
		return w, d, fmt.Errorf("reading the list of tools: %w", explain(err))
	}
	if len(lists) == 0 {
		return account.Watchlist{Every: account.Never}, d, nil
	}
	w, d.kept = lists[0], true
	w.Tools, err = collect(ctx, q, func(row pgx.CollectableRow) (t account.WatchedTool, err error) {
		err = row.Scan(&t.Slug, &t.AddedAt)
		t.AddedAt = t.AddedAt.UTC()
		return t, err
	}, `SELECT slug, added_at FROM watched WHERE account_id = $1 ORDER BY slug`, id)
	if err != nil {
		return w, d, fmt.Errorf("reading the list of tools: %w", err)
	}
	return w, d, nil
}

// exportWatchlist returns the list of an account; nil for none.
func exportWatchlist(ctx context.Context, tx pgx.Tx, id string) (*account.ExportedWatchlist, error) {
	w, d, err := readWatchlist(ctx, tx, id)
	if err != nil || !d.kept {
		return nil, err
	}
	e := &account.ExportedWatchlist{
		Every: w.Every, Tools: []account.ExportedWatchedTool{}, SentAt: toNull(w.SentAt), Refusals: d.refusals,
		StoppedAt: toNull(w.StoppedAt), Lost: d.lost,
	}
	for _, t := range w.Tools {
		e.Tools = append(e.Tools, account.ExportedWatchedTool(t))
	}
	return e, nil
}

// Watch implements account.Watchlists. It locks digests against the worker that reads the log: a tool is added under its
// present slug, and from then on the worker renames it.
func (s *Accounts) Watch(
	ctx context.Context, by account.Actor, id string, slugs []string, every account.Frequency, now time.Time,
) (added int, err error) {
	err = s.changeOwn(ctx, by, id, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, `SELECT FROM digests FOR SHARE`); err != nil {
			return fmt.Errorf("waiting for the log to be read: %w", explain(err))
		}
		found, err := presentSlugs(ctx, tx, slugs)
		if err != nil {
			return err
		}
		w, _, err := readWatchlist(ctx, tx, id)
		if err != nil {
			return err
		}
		found = slices.DeleteFunc(found, func(slug string) bool {
			return slices.ContainsFunc(w.Tools, func(t account.WatchedTool) bool { return t.Slug == slug })
		})
		if added = len(found); added == 0 {
			return nil
		}
		a, err := findAccount(ctx, tx, byID, uuidOf(id), ownerOf(by))
		if err != nil {
			return err
		}
		if len(w.Tools)+added > a.Plan.Limits().Watched {
			return account.ErrListFull
		}
		_, err = tx.Exec(ctx, `
			INSERT INTO watchlists (account_id, every, cursor, next_at) VALUES ($1, $2, `+endOfLog+`, $3) ON CONFLICT DO NOTHING`, id, every, now)
		if err != nil {
			return fmt.Errorf("adding a list: %w", err)
		}
		_, err = tx.Exec(ctx, `
			INSERT INTO watched (account_id, slug, added_at, after) SELECT $1, slug, $3, `+endOfLog+` FROM unnest($2::text[]) AS n (slug)`,
			id, found, now)
		if err != nil {
			return fmt.Errorf("adding to the list: %w", err)
		}
		return record(ctx, tx, by, id, account.WatchlistChanged, "", now)
	})
	if err != nil {
		return 0, err
	}
	return added, nil
}

// presentSlugs returns the present slugs of tools, living or retired, each once. Few are asked for by a former one, and
// these are looked for without an index.
func presentSlugs(ctx context.Context, q querier, slugs []string) ([]string, error) {
	found, err := collect(ctx, q, pgx.RowTo[string],
		`SELECT slug FROM tools WHERE slug = ANY($1) UNION SELECT slug FROM retired WHERE slug = ANY($1)`, slugs)
	if err != nil {
		return nil, fmt.Errorf("looking for tools: %w", explain(err))
	}
	rest := slices.DeleteFunc(slices.Clone(slugs), func(slug string) bool { return slices.Contains(found, slug) })
	if len(rest) == 0 {
		return found, nil
	}
	renamed, err := collect(ctx, q, pgx.RowTo[string],
		`SELECT slug FROM tools WHERE formerly && $1 UNION SELECT slug FROM retired WHERE formerly && $1`, rest)
	if err != nil {
		return nil, fmt.Errorf("looking for tools by former slugs: %w", explain(err))
	}
	found = append(found, renamed...)
	slices.Sort(found)
	return slices.Compact(found), nil
}

// Unwatch implements account.Watchlists.
func (s *Accounts) Unwatch(
	ctx context.Context, by account.Actor, id string, slugs []string, now time.Time,
) (removed int, err error) {
	err = s.changeOwn(ctx, by, id, func(tx pgx.Tx) error {
		tag, err := tx.Exec(ctx, `DELETE FROM watched WHERE account_id = $1 AND slug = ANY($2)`, id, slugs)
		if err != nil {
			return fmt.Errorf("removing from the list: %w", err)
		}
		if removed = int(tag.RowsAffected()); removed == 0 {
			return nil
		}
		return record(ctx, tx, by, id, account.WatchlistChanged, "", now)
	})
	if err != nil {
		return 0, err
	}
	return removed, nil
}

// SetDigest implements account.Watchlists. A list that gets digests again begins at the end of the log.
func (s *Accounts) SetDigest(
	ctx context.Context, by account.Actor, id string, every account.Frequency, now time.Time,
) error {
	return s.changeOwn(ctx, by, id, func(tx pgx.Tx) error {
		tag, err := tx.Exec(ctx, `
			INSERT INTO watchlists AS w (account_id, every, cursor, next_at) VALUES ($1, $2, `+endOfLog+`, $3)
			ON CONFLICT (account_id) DO UPDATE SET every = excluded.every, next_at = excluded.next_at, refusals = 0, stopped_at = NULL,
			    cursor = CASE WHEN w.every = 'never' OR w.stopped_at IS NOT NULL THEN excluded.cursor ELSE w.cursor END,
			    pending = w.pending AND w.every <> 'never' AND w.stopped_at IS NULL AND excluded.every <> 'never'
			WHERE w.every <> excluded.every OR w.stopped_at IS NOT NULL`, id, every, every.After(now))
		if err != nil {
			return fmt.Errorf("setting how often a digest is sent: %w", explain(err))
		}
		if tag.RowsAffected() == 0 {
			return nil
		}
		return record(ctx, tx, by, id, account.DigestSet, string(every), now)
	})
}
