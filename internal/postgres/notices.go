package postgres

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"
	"github.com/riverqueue/river"

	"github.com/palmares-hq/palmares/internal/account"
)

// UsedOn implements account.NoticeQueue. It reads the index of keys by their last use, and goes on
// where the last page ended. A key that was revoked today counts if it was used today.
func (s *Accounts) UsedOn(
	ctx context.Context, day time.Time, plans []account.Plan, after string, limit int,
) ([]account.UsedAccount, error) {
	names := make([]string, len(plans))
	for i, p := range plans {
		names[i] = p.String()
	}
	first := pgtype.UUID{Valid: true} // the lowest, which no account has
	if after != "" {
		first = uuidOf(after)
	}
	list, err := collect(ctx, s.pool, func(row pgx.CollectableRow) (a account.UsedAccount, err error) {
		var plan string
		if err = row.Scan(&a.ID, &plan); err != nil {
			return a, err
		}
		a.Plan, err = account.ParsePlan(plan)
		return a, err
	}, `
		SELECT DISTINCT ON (k.account_id) k.account_id::text, a.plan
		FROM keys k JOIN accounts a ON a.id = k.account_id
		WHERE k.last_used_on = $1::date AND k.account_id > $3 AND a.id > $3 -- or a merge join would read all accounts before
		  AND a.email IS NOT NULL AND a.mail_usage AND a.plan = ANY($2)
		  AND NOT EXISTS (SELECT FROM usage_notices n WHERE n.account_id = k.account_id AND n.day = $1::date AND n.percent = $5)
		ORDER BY k.account_id LIMIT $4`, day, names, first, limit, account.AtLimit)
	if err != nil {
		return nil, fmt.Errorf("listing the accounts that were used: %w", explain(err))
	}
	return list, nil
}

// noticeAttempts is how often River tries to send a notice: for about three hours.
const noticeAttempts = 10

// AddNotices implements account.NoticeQueue.
func (s *Accounts) AddNotices(ctx context.Context, notices []account.UsageNotice) (int, error) {
	ids, days, levels := make([]pgtype.UUID, len(notices)), make([]string, len(notices)), make([]int32, len(notices))
	for i, n := range notices {
		ids[i], days[i], levels[i] = uuidOf(n.Account), n.Day, int32(n.Percent) //nolint:gosec // 80 or 100
	}
	var jobs []river.InsertManyParams
	err := pgx.BeginTxFunc(ctx, s.pool, readCommitted, func(tx pgx.Tx) (err error) {
		jobs, err = collect(ctx, tx, func(row pgx.CollectableRow) (river.InsertManyParams, error) {
			var n account.UsageNotice
			err := row.Scan(&n.Account, &n.Day, &n.Percent)
			return river.InsertManyParams{Args: n, InsertOpts: &river.InsertOpts{MaxAttempts: noticeAttempts}}, err
		}, `
			INSERT INTO usage_notices (account_id, day, percent)
			SELECT n.account, n.day::date, n.percent FROM unnest($1::uuid[], $2::text[], $3::integer[]) n (account, day, percent)
			WHERE NOT EXISTS (
				SELECT FROM usage_notices o WHERE o.account_id = n.account AND o.day = n.day::date AND o.percent > n.percent)
			ON CONFLICT DO NOTHING
			RETURNING account_id::text, to_char(day, 'YYYY-MM-DD'), percent`, ids, days, levels)
		if err != nil || len(jobs) == 0 {
			return explain(err)
		}
		return insertJobs(ctx, tx, jobs)
	})
	if err != nil {
		return 0, fmt.Errorf("adding notices of usage: %w", err)
	}
	return len(jobs), nil
}

// NoteUsageCheck implements account.NoticeQueue.
func (s *Accounts) NoteUsageCheck(ctx context.Context, at time.Time) error {
	_, err := s.pool.Exec(ctx, `
		INSERT INTO usage_looks (ended_at) VALUES ($1) ON CONFLICT (only_row) DO UPDATE SET ended_at = excluded.ended_at`, at)
	if err != nil {
		return fmt.Errorf("noting the look at usage: %w", explain(err))
	}
	return nil
}

// LastUsageCheck returns when a check of usage last ended; the zero time if none did.
func (s *Accounts) LastUsageCheck(ctx context.Context) (at time.Time, err error) {
	err = s.pool.QueryRow(ctx, `SELECT ended_at FROM usage_looks`).Scan(&at)
	if err != nil && !errors.Is(err, pgx.ErrNoRows) {
		return time.Time{}, fmt.Errorf("reading the last look at usage: %w", explain(err))
	}
	return at, nil
}

// PruneNotices implements account.NoticeQueue.
func (s *Accounts) PruneNotices(ctx context.Context, before time.Time, limit int) (int, error) {
	tag, err := s.pool.Exec(ctx, `
		DELETE FROM usage_notices WHERE ctid = ANY(ARRAY(SELECT ctid FROM usage_notices WHERE day < $1::date LIMIT $2))`,
		before.UTC(), limit)
	if err != nil {
		return 0, fmt.Errorf("deleting old notices of usage: %w", explain(err))
	}
	return int(tag.RowsAffected()), nil
}
