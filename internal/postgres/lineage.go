package postgres

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/palmares-hq/palmares/internal/account"
)

// here returns the SQL for a row h that says where the database is: its cluster, its oid, and the oid of a
// table. A dump contains none of them. The cluster is NULL if this program may not read it.
func here(ctx context.Context, q querier) (string, error) {
	var may bool
	err := q.QueryRow(ctx, `SELECT has_function_privilege('pg_control_system()', 'EXECUTE')`).Scan(&may)
	if err != nil {
		return "", fmt.Errorf("asking where the database is: %w", err)
	}
	cluster := `NULL::bigint`
	if may {
		cluster = `(SELECT system_identifier FROM pg_control_system())`
	}
	return `(SELECT ` + cluster + ` AS cluster, (SELECT oid::bigint FROM pg_database WHERE datname = current_database()) AS database,
		to_regclass('sessions')::oid::bigint AS relation) h`, nil
}

// moved is true if the row l of lineage names another place than h.
const moved = `(l.cluster <> h.cluster OR l.database <> h.database OR l.relation <> h.relation)`

// lostChange is true if this database never had the change $1 with the id $2: it is an earlier state of
// the one that the node knows. Changes that are merely so old that they were deleted are not lost.
const lostChange = `
	(EXISTS (SELECT FROM access_changes WHERE number = $1 AND id <> $2)
	 OR coalesce((SELECT max(number) FROM access_changes), -1) < $1)`

// EndRestored ends all sessions if the database was restored from a backup: some of them may have been
// ended since the backup. The database was restored if it is not where it was, or if it lacks the change
// have, which the node knew at the time known. Of all nodes only the first ends the sessions: if one has
// done so after known, the lack of have is no news. noticed reports whether this node was the first.
func (f *KeyFeed) EndRestored(
	ctx context.Context, have account.Change, known, now time.Time,
) (ended int, noticed bool, err error) {
	if f.here == "" {
		if f.here, err = here(ctx, f.conn); err != nil {
			return 0, false, err
		}
	}
	var first, elsewhere, lost, complete bool
	err = f.conn.QueryRow(ctx, `
		SELECT l.only_row IS NULL, coalesce(`+moved+`, false), `+lostChange+`, `+restored+`
		FROM `+f.here+` LEFT JOIN lineage l ON true`, have.Number, have.ID).Scan(&first, &elsewhere, &lost, &complete)
	lost = lost && have != account.Change{}
	switch {
	case isViolation(err, undefinedTable): // not migrated yet
		return 0, false, nil
	case err != nil:
		return 0, false, fmt.Errorf("asking whether the database was restored: %w", err)
	case !first && !elsewhere && !lost:
		return 0, false, nil
	case !complete:
		return 0, false, errRestoring
	}
	if first {
		_, err := f.conn.Exec(ctx, `
			INSERT INTO lineage (cluster, database, relation) SELECT h.cluster, h.database, h.relation FROM `+f.here+` ON CONFLICT DO NOTHING`)
		if err != nil {
			return 0, false, fmt.Errorf("noting where the database is: %w", err)
		}
		if !lost {
			return 0, false, nil
		}
	}
	return f.endAll(ctx, known, now)
}

// endAll ends all sessions, unless another node has done so since known, when this one last read a change.
func (f *KeyFeed) endAll(ctx context.Context, known, now time.Time) (ended int, noticed bool, err error) {
	err = pgx.BeginTxFunc(ctx, f.conn, readCommitted, func(tx pgx.Tx) error {
		tag, err := tx.Exec(ctx, `
			UPDATE lineage l SET cluster = h.cluster, database = h.database, relation = h.relation, restored_at = $2
			FROM `+f.here+` WHERE `+moved+` OR l.restored_at IS NULL OR l.restored_at <= $1`, known, now)
		if err != nil || tag.RowsAffected() == 0 {
			return err
		}
		noticed = true
		tag, err = tx.Exec(ctx, endSessions+`WHERE s.created_at < $1 AND s.expires_at > $1 AND s.ended_at IS NULL`, now, now.Add(keepEnded))
		ended = int(tag.RowsAffected())
		return err
	})
	if err != nil {
		return 0, false, fmt.Errorf("ending the sessions of a restored database: %w", err)
	}
	return ended, noticed, nil
}
