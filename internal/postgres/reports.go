package postgres

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/limit"
	"github.com/palmares-hq/palmares/internal/report"
)

// Reports holds what readers say is wrong in the catalog.
type Reports struct{ pool *pgxpool.Pool }

// lockReports is the advisory lock under which reports are counted: without it, concurrent reports would
// all find room.
const lockReports = 7_202_611_171

// Add implements report.Store.
func (s *Reports) Add(ctx context.Context, r report.Sent, since time.Time) error {
	err := pgx.BeginTxFunc(ctx, s.pool, readCommitted, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, `SELECT pg_advisory_xact_lock($1)`, int64(lockReports)); err != nil {
			return fmt.Errorf("waiting for other reports: %w", err)
		}
		if err := checkReportBounds(ctx, tx, r, since); err != nil {
			return err
		}
		_, err := tx.Exec(ctx, `
			INSERT INTO reports (slug, field, value, said, source, email, wanted, language, net48, net56, net64, digest, created_at)
			VALUES ($1, $2, $3, $4, $5, nullif($6, ''), $6 <> '', $7, $8, $9, $10, $11, $12)
			ON CONFLICT (digest) WHERE closed_at IS NULL DO NOTHING`,
			r.Slug, string(r.Field), r.Value, r.Right, r.Source, r.Email, string(r.Language),
			r.Networks[0], r.Networks[1], r.Networks[2], r.Digest, r.CreatedAt)
		if err != nil {
			return fmt.Errorf("storing the report: %w", err)
		}
		return nil
	})
	return explain(err)
}

// checkReportBounds returns an error if a report is beyond a bound: a limit.ReachedError for the bounds of its
// networks, of its tool and of all reports, in this order, or report.ErrFull if too many are open.
func checkReportBounds(ctx context.Context, tx pgx.Tx, r report.Sent, since time.Time) error {
	var per64, per56, per48, tool, all, open int
	err := tx.QueryRow(ctx, `
		SELECT count(*) FILTER (WHERE net64 = $2), count(*) FILTER (WHERE net56 = $3), count(*) FILTER (WHERE net48 = $4),
		    count(*) FILTER (WHERE slug = $5), count(*), (SELECT count(*) FROM reports WHERE closed_at IS NULL)
		FROM reports WHERE created_at > $1`,
		since, r.Networks[2], r.Networks[1], r.Networks[0], r.Slug).Scan(&per64, &per56, &per48, &tool, &all, &open)
	if err != nil {
		return fmt.Errorf("counting reports: %w", err)
	}
	inAll := report.MostInAll
	if per48 > 0 {
		inAll = report.MostAgain
	}
	for _, bound := range []struct{ count, most int }{
		{per64, report.MostPer64}, {per56, report.MostPer56}, {per48, report.MostPer48}, {tool, report.MostPerTool}, {all, inAll},
	} {
		if bound.count >= bound.most {
			return &limit.ReachedError{
				Limit: limit.Limit{Name: "reports", Most: bound.most, Within: report.BoundFor},
				Until: r.CreatedAt.Add(report.BoundFor),
			}
		}
	}
	if open >= report.MaxOpen {
		return report.ErrFull
	}
	return nil
}

const reportColumns = `id, slug, field, value, said, source, coalesce(email, ''), wanted, language, created_at, closed_at, answered_at`

func scanReport(row pgx.CollectableRow) (r report.Report, err error) {
	var closed, answered *time.Time
	err = row.Scan(&r.ID, &r.Slug, &r.Field, &r.Value, &r.Right, &r.Source, &r.Email, &r.Wanted, &r.Language,
		&r.CreatedAt, &closed, &answered)
	r.CreatedAt, r.ClosedAt, r.AnsweredAt = r.CreatedAt.UTC(), fromNull(closed), fromNull(answered)
	return r, err
}

// List implements report.Store.
func (s *Reports) List(ctx context.Context, by account.Actor, closed bool, most int) (reports []report.Report, total int, err error) {
	if !by.IsOperator() {
		return nil, 0, nil
	}
	err = pgx.BeginTxFunc(ctx, s.pool, readOnly, func(tx pgx.Tx) error {
		if err := tx.QueryRow(ctx, `SELECT count(*) FROM reports WHERE (closed_at IS NOT NULL) = $1`, closed).Scan(&total); err != nil {
			return err
		}
		reports, err = collect(ctx, tx, scanReport, `
			SELECT `+reportColumns+` FROM reports WHERE (closed_at IS NOT NULL) = $1 ORDER BY id LIMIT $2`, closed, most)
		return err
	})
	if err != nil {
		return nil, 0, fmt.Errorf("listing reports: %w", explain(err))
	}
	return reports, total, nil
}

// Report implements report.Store.
func (s *Reports) Report(ctx context.Context, by account.Actor, id int64) (report.Report, error) {
	found, err := collect(ctx, s.pool, scanReport, `SELECT `+reportColumns+` FROM reports WHERE id = $1 AND $2`, id, by.IsOperator())
	switch {
	case err != nil:
		return report.Report{}, fmt.Errorf("reading the report: %w", explain(err))
	case len(found) == 0:
		return report.Report{}, report.ErrNone
	}
	return found[0], nil
}

// Close implements report.Store. An address that gets no answer is forgotten at once.
func (s *Reports) Close(ctx context.Context, by account.Actor, ids []int64, answer string, now time.Time) error {
	err := pgx.BeginTxFunc(ctx, s.pool, readCommitted, func(tx pgx.Tx) error {
		for _, id := range ids {
			if err := closeReport(ctx, tx, by, id, answer, now); err != nil {
				return fmt.Errorf("report %d: %w", id, err)
			}
		}
		return nil
	})
	return explain(err)
}

func closeReport(ctx context.Context, tx pgx.Tx, by account.Actor, id int64, answer string, now time.Time) error {
	var address bool
	err := tx.QueryRow(ctx, `
		UPDATE reports SET closed_at = $2, answer = $3, email = CASE WHEN $3 = '' THEN NULL ELSE email END
		WHERE id = $1 AND closed_at IS NULL AND $4 RETURNING email IS NOT NULL`, id, now, answer, by.IsOperator()).Scan(&address)
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return report.ErrNone
	case err != nil:
		return fmt.Errorf("closing it: %w", err)
	case answer == "":
		return nil
	case !address:
		return report.ErrNoEmail
	}
	return insertJob(ctx, tx, report.MailAnswer{Report: id})
}

// CloseWhere implements report.Store.
func (s *Reports) CloseWhere(ctx context.Context, by account.Actor, which report.Selection, now time.Time) (int, error) {
	tag, err := s.pool.Exec(ctx, `
		UPDATE reports SET closed_at = $1, email = NULL
		WHERE closed_at IS NULL AND ($2 = '' OR slug = $2) AND ($3::timestamptz IS NULL OR created_at < $3) AND $4`,
		now, which.Slug, toNull(which.Before), by.IsOperator())
	if err != nil {
		return 0, fmt.Errorf("closing reports: %w", explain(err))
	}
	return int(tag.RowsAffected()), nil
}

// ClaimDigest implements report.Store.
func (s *Reports) ClaimDigest(ctx context.Context, after, now time.Time) (claimed bool, err error) {
	err = pgx.BeginTxFunc(ctx, s.pool, readCommitted, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, `SELECT pg_advisory_xact_lock($1)`, int64(lockReports)); err != nil {
			return fmt.Errorf("waiting for other nodes: %w", err)
		}
		var id int64
		err := tx.QueryRow(ctx, `
			INSERT INTO report_digests (created_at) SELECT $2
			WHERE EXISTS (SELECT FROM reports WHERE told IS NULL) AND NOT EXISTS (SELECT FROM report_digests WHERE created_at > $1)
			RETURNING id`, after, now).Scan(&id)
		if errors.Is(err, pgx.ErrNoRows) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("claiming a digest of reports: %w", err)
		}
		if _, err := tx.Exec(ctx, `UPDATE reports SET told = $1 WHERE told IS NULL`, id); err != nil {
			return fmt.Errorf("claiming reports: %w", err)
		}
		claimed = true
		return insertJob(ctx, tx, report.MailDigest{Digest: id})
	})
	return claimed, explain(err)
}

// Digest implements report.Store.
func (s *Reports) Digest(ctx context.Context, id int64, most int) (lines []report.Line, total int, err error) {
	if err := s.pool.QueryRow(ctx, `SELECT count(*) FROM reports WHERE told = $1`, id).Scan(&total); err != nil {
		return nil, 0, fmt.Errorf("counting the reports of a digest: %w", explain(err))
	}
	lines, err = collect(ctx, s.pool, func(row pgx.CollectableRow) (l report.Line, err error) {
		err = row.Scan(&l.ID, &l.Slug, &l.Field, &l.Wanted)
		return l, err
	}, `SELECT id, slug, field, wanted FROM reports WHERE told = $1 ORDER BY id LIMIT $2`, id, most)
	if err != nil {
		return nil, 0, fmt.Errorf("reading the reports of a digest: %w", explain(err))
	}
	return lines, total, nil
}

// Untold returns when the oldest report was sent that no mail to the operator has listed yet; zero for none.
func (s *Reports) Untold(ctx context.Context) (time.Time, error) {
	var since *time.Time
	if err := s.pool.QueryRow(ctx, `SELECT min(created_at) FROM reports WHERE told IS NULL`).Scan(&since); err != nil {
		return time.Time{}, fmt.Errorf("looking for reports that nobody was told of: %w", explain(err))
	}
	return fromNull(since), nil
}

// Answer implements report.Store.
func (s *Reports) Answer(ctx context.Context, id int64) (a report.Answer, err error) {
	err = s.pool.QueryRow(ctx, `
		SELECT slug, email, answer, language FROM reports WHERE id = $1 AND answer <> '' AND email IS NOT NULL AND answered_at IS NULL`, id).
		Scan(&a.Slug, &a.Email, &a.Text, &a.Language)
	if errors.Is(err, pgx.ErrNoRows) {
		return a, report.ErrNone
	}
	if err != nil {
		return a, fmt.Errorf("reading the answer: %w", explain(err))
	}
	return a, nil
}

// Answered implements report.Store.
func (s *Reports) Answered(ctx context.Context, id int64, now time.Time) error {
	if _, err := s.pool.Exec(ctx, `UPDATE reports SET answered_at = $2, email = NULL WHERE id = $1`, id, now); err != nil {
		return fmt.Errorf("forgetting the address of a report: %w", explain(err))
	}
	return nil
}

// Prune implements report.Store.
func (s *Reports) Prune(ctx context.Context, open, closed, networks time.Time, limit int) (int, error) {
	_, err := s.pool.Exec(ctx, `
		UPDATE reports SET net48 = NULL, net56 = NULL, net64 = NULL WHERE id IN (
			SELECT id FROM reports WHERE created_at < $1 AND net48 IS NOT NULL LIMIT $2)`, networks, limit)
	if err != nil {
		return 0, fmt.Errorf("forgetting networks of reports: %w", explain(err))
	}
	tag, err := s.pool.Exec(ctx, `
		DELETE FROM reports WHERE id IN (
			SELECT id FROM reports WHERE created_at < $1 OR closed_at < $2 LIMIT $3)`, open, closed, limit)
	if err != nil {
		return 0, fmt.Errorf("deleting old reports: %w", explain(err))
	}
	_, err = s.pool.Exec(ctx, `
		DELETE FROM report_digests d WHERE created_at < $1 AND NOT EXISTS (SELECT FROM reports WHERE told = d.id)`, closed)
	if err != nil {
		return 0, fmt.Errorf("deleting old digests: %w", explain(err))
	}
	return int(tag.RowsAffected()), nil
}
