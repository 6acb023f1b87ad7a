package postgres

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/digest"
)

// Digests holds what happens to lists of tools, and which digests of it are due. It is a digest.Store. Of all workers one
// at a time reads the log or claims digests: it locks the row of digests.
type Digests struct {
	*Accounts

	pool *pgxpool.Pool
}

// readAtOnce is how many entries of the log are read at once.
const readAtOnce = 2000

// errElsewhere means that the database is not where the nodes' lineage says. Until a node that follows keys has noticed
// whether it was restored, nobody knows which digests went.
var errElsewhere = errors.New("the database is elsewhere than it was: digests wait until a node has noticed whether it was restored")

// A digestTurn is the turn of a worker: its transaction has the row of digests.
type digestTurn struct {
	tx     pgx.Tx
	pass   digest.Pass
	readTo int64
	end    int64 // of the log
}

// turn runs a worker's turn, if there is work. It first notices a restore: have is not of this database, or a node has
// noticed one. work is the SQL for whether there is any, with $1 for now.
func (d *Digests) turn(
	ctx context.Context, have digest.Turn, work string, now time.Time, run func(*digestTurn) error,
) (digest.Pass, error) {
	t := &digestTurn{}
	var noticed, busy bool
	err := d.pool.QueryRow(ctx, turnState+`, `+work+` AND $1::timestamptz IS NOT NULL FROM digests d LEFT JOIN lineage l ON true`, now).
		Scan(append(t.state(), &noticed, &busy)...)
	if err != nil || !noticed && !busy && !t.before(have) {
		return t.pass, explain(err)
	}
	err = pgx.BeginTxFunc(ctx, d.pool, readCommitted, func(tx pgx.Tx) error {
		t.tx = tx
		place, err := here(ctx, tx)
		if err != nil {
			return err
		}
		var elsewhere bool
		err = tx.QueryRow(ctx, turnState+`, coalesce(`+moved+`, false)
			FROM digests d CROSS JOIN `+place+` LEFT JOIN lineage l ON true FOR UPDATE OF d`).Scan(append(t.state(), &noticed, &elsewhere)...)
		switch {
		case err != nil:
			return err
		case noticed || t.before(have):
			return t.restore(ctx)
		case elsewhere:
			return errElsewhere
		default:
			return run(t)
		}
	})
	if err != nil {
		return digest.Pass{}, explain(err)
	}
	return t.pass, nil
}

// turnState selects what state scans, and whether a node has noticed a restore.
const turnState = `SELECT d.turn, d.turn_id::text, d.read_to, ` + endOfLog + `, d.restored_at IS DISTINCT FROM l.restored_at`

func (t *digestTurn) state() []any {
	return []any{&t.pass.Turn.Number, &t.pass.Turn.ID, &t.readTo, &t.end}
}

// before reports whether the database is in a state before one that a worker knows.
func (t *digestTurn) before(have digest.Turn) bool {
	is := t.pass.Turn
	return have != digest.Turn{} && (is.Number < have.Number || is.Number == have.Number && is.ID != have.ID)
}

// restore moves all cursors to the end of the log: nobody knows which digests went after the backup.
func (t *digestTurn) restore(ctx context.Context) error {
	t.pass.Restored = true
	_, err := t.tx.Exec(ctx, `
		UPDATE watchlists SET cursor = $1, pending = false, claim = NULL, claimed_at = NULL, claimed_from = NULL`, t.end)
	if err != nil {
		return fmt.Errorf("moving cursors to the end of the log: %w", err)
	}
	if _, err = t.tx.Exec(ctx, `UPDATE digests SET restored_at = (SELECT restored_at FROM lineage)`); err != nil {
		return fmt.Errorf("noting that the database was restored: %w", err)
	}
	return t.next(ctx, t.end)
}

// next ends a turn that changes something: it has a number of its own.
func (t *digestTurn) next(ctx context.Context, readTo int64) error {
	err := t.tx.QueryRow(ctx, `
		UPDATE digests SET read_to = $1, turn = turn + 1, turn_id = gen_random_uuid() RETURNING turn, turn_id::text`, readTo).
		Scan(&t.pass.Turn.Number, &t.pass.Turn.ID)
	if err != nil {
		return fmt.Errorf("ending the turn: %w", err)
	}
	return nil
}

// ReadLog implements digest.Store.
func (d *Digests) ReadLog(
	ctx context.Context, have digest.Turn, types []catalog.EventType, look func([]*catalog.LogEntry) digest.Marks,
) (digest.Pass, error) {
	pass, err := d.turn(ctx, have, `d.read_to <> `+endOfLog, time.Time{}, func(t *digestTurn) error {
		entries, err := collect(ctx, t.tx, scanLogEntry, selectLogEntries+`
			WHERE v.seq > $1 AND v.type = ANY($2) AND v.edition = (
			    SELECT o.edition FROM events o WHERE o.seq > $1 AND o.type = ANY($2) ORDER BY o.seq LIMIT 1)
			ORDER BY v.seq LIMIT $3`, t.readTo, texts(types), readAtOnce)
		if err != nil {
			return fmt.Errorf("reading the log: %w", err)
		}
		if len(entries) == 0 {
			return t.next(ctx, t.end)
		}
		last := entries[len(entries)-1].Seq
		if err := t.mark(ctx, look(entries), last); err != nil {
			return err
		}
		t.pass.More = last < t.end
		return t.next(ctx, last)
	})
	if err != nil {
		return pass, fmt.Errorf("reading the log for digests: %w", err)
	}
	return pass, nil
}

// mark renames tools in lists, and marks the lists that have one of those that digests tell of. What was read before says
// nothing to a list that was not marked.
func (t *digestTurn) mark(ctx context.Context, m digest.Marks, last int64) error {
	for _, r := range m.Renamed {
		_, err := t.tx.Exec(ctx, `
			DELETE FROM watched w WHERE w.slug = $1 AND EXISTS (
			    SELECT FROM watched n WHERE n.account_id = w.account_id AND n.slug = $2)`, r[0], r[1])
		if err == nil {
			_, err = t.tx.Exec(ctx, `UPDATE watched SET slug = $2 WHERE slug = $1`, r[0], r[1])
		}
		if err != nil {
			return fmt.Errorf("renaming a tool in lists: %w", err)
		}
	}
	if len(m.Slugs) == 0 {
		return nil
	}
	_, err := t.tx.Exec(ctx, markLists, m.Slugs, t.readTo, last, m.Daily, m.Weekly)
	if err != nil {
		return fmt.Errorf("marking lists: %w", err)
	}
	return nil
}

// markLists marks the lists that have one of the tools $1. It finds them by the tools: most lists are not read.
const markLists = `
	UPDATE watchlists l SET pending = true, cursor = greatest(l.cursor, $2),
	    next_at = greatest(l.next_at, CASE l.every WHEN 'weekly' THEN $5::timestamptz ELSE $4::timestamptz END)
	FROM (SELECT DISTINCT account_id FROM watched WHERE slug = ANY($1) AND after < $3) w
	WHERE l.account_id = w.account_id AND NOT l.pending AND l.every <> 'never' AND l.stopped_at IS NULL`

// dueLists is true for the lists l whose digest is due at $1, to an address that somebody reads.
const dueLists = `l.pending AND l.next_at <= $1 AND l.stopped_at IS NULL AND l.every <> 'never' AND l.claim IS NULL
	AND a.email IS NOT NULL AND a.confirmed`

const anyDue = `EXISTS (SELECT FROM watchlists l JOIN accounts a ON a.id = l.account_id WHERE ` + dueLists + `)`

// Claim implements digest.Store.
func (d *Digests) Claim(
	ctx context.Context, have digest.Turn, c digest.Claiming,
) (claimed []digest.Claimed, pass digest.Pass, err error) {
	pass, err = d.turn(ctx, have, anyDue, c.Now, func(t *digestTurn) error {
		most, err := t.most(ctx, c)
		if err != nil || most == 0 {
			return err
		}
		claimed, err = t.claim(ctx, c, most)
		if err != nil || len(claimed) == 0 {
			return err
		}
		_, err = t.tx.Exec(ctx, `
			UPDATE digests SET minute = date_trunc('minute', $1::timestamptz),
			    claimed = CASE WHEN minute = date_trunc('minute', $1::timestamptz) THEN claimed ELSE 0 END + $2`, c.Now, len(claimed))
		if err != nil {
			return fmt.Errorf("counting what was claimed: %w", err)
		}
		t.pass.More = len(claimed) == most
		if err := t.next(ctx, t.readTo); err != nil {
			return err
		}
		return t.take(ctx, c, claimed)
	})
	if err != nil {
		return nil, pass, fmt.Errorf("claiming digests: %w", err)
	}
	if pass.Restored {
		return nil, pass, nil
	}
	return claimed, pass, nil
}

// most returns how many digests may go now: sign-in mail comes first, and all workers share what goes in a minute.
func (t *digestTurn) most(ctx context.Context, c digest.Claiming) (int, error) {
	var beside bool
	var gone int
	err := t.tx.QueryRow(ctx, `
		SELECT EXISTS (SELECT FROM river_job WHERE state = 'available' AND queue = ANY($2)),
		    CASE WHEN minute = date_trunc('minute', $1::timestamptz) THEN claimed ELSE 0 END
		FROM digests`, c.Now, []string{account.MailQueue, account.NewMailQueue}).Scan(&beside, &gone)
	if err != nil {
		return 0, fmt.Errorf("looking for sign-in mail: %w", err)
	}
	most := c.Most
	if beside {
		most = c.MostBeside
	}
	return max(0, min(most, c.PerMinute-gone)), nil
}

// claim locks lists that are due and reads what their digests are made of. It leaves out those that somebody changes.
func (t *digestTurn) claim(ctx context.Context, c digest.Claiming, most int) ([]digest.Claimed, error) {
	claimed, err := collect(ctx, t.tx, func(row pgx.CollectableRow) (x digest.Claimed, err error) {
		err = row.Scan(&x.Account, &x.Every, &x.Since, &x.Email, &x.Language)
		x.Until = t.readTo
		return x, err
	}, `
		SELECT l.account_id::text, l.every, l.cursor, a.email, a.language FROM watchlists l JOIN accounts a ON a.id = l.account_id
		WHERE `+dueLists+` ORDER BY l.next_at LIMIT $2 FOR UPDATE OF l SKIP LOCKED`, c.Now, most)
	if err != nil || len(claimed) == 0 {
		return nil, err
	}
	ids, since := make([]string, len(claimed)), int64(math.MaxInt64)
	of := make(map[string]int)
	for i, x := range claimed {
		ids[i], of[x.Account], since = x.Account, i, min(since, x.Since)
	}
	slugs, useful := []string{}, []string{} // all that the tools have or had, and those to use instead
	_, err = collect(ctx, t.tx, func(row pgx.CollectableRow) (struct{}, error) {
		var id string
		var x digest.ClaimedTool
		err := row.Scan(&id, &x.Slug, &x.After, &x.Name, &x.Living, &x.Successor, &x.Formerly)
		claimed[of[id]].Tools = append(claimed[of[id]].Tools, x)
		slugs, useful = append(append(slugs, x.Slug), x.Formerly...), append(useful, x.Successor)
		return struct{}{}, err
	}, `
		SELECT w.account_id::text, w.slug, w.after, coalesce(t.name, r.name, ''), t.slug IS NOT NULL, coalesce(t.successor, r.successor, ''),
		    coalesce(t.formerly, r.formerly)
		FROM watched w LEFT JOIN tools t ON t.slug = w.slug LEFT JOIN retired r ON r.slug = w.slug
		WHERE w.account_id = ANY($1::uuid[]) ORDER BY w.slug`, ids)
	if err != nil {
		return nil, fmt.Errorf("reading lists: %w", err)
	}
	entries, err := collect(ctx, t.tx, scanLogEntry, selectLogEntries+`
		WHERE v.seq > $1 AND v.seq <= $2 AND v.type = ANY($3) AND v.slug = ANY($4) ORDER BY v.seq`, since, t.readTo, texts(c.Types), slugs)
	if err != nil {
		return nil, fmt.Errorf("reading the log: %w", err)
	}
	names, err := namesOf(ctx, t.tx, append(useful, digest.Successors(entries)...))
	for i := range claimed {
		claimed[i].Entries, claimed[i].Names = entries, names
	}
	return claimed, err
}

func namesOf(ctx context.Context, q querier, slugs []string) (map[string]string, error) {
	names := make(map[string]string)
	slices.Sort(slugs)
	if slugs = slices.Compact(slugs); len(slugs) == 0 {
		return names, nil
	}
	_, err := collect(ctx, q, func(row pgx.CollectableRow) (struct{}, error) {
		var slug, name string
		err := row.Scan(&slug, &name)
		names[slug] = name
		return struct{}{}, err
	}, `SELECT slug, name FROM retired WHERE slug = ANY($1) UNION ALL SELECT slug, name FROM tools WHERE slug = ANY($1)`, slugs)
	return names, err
}

// take stores the cursors of claimed lists, in the turn that t has begun.
func (t *digestTurn) take(ctx context.Context, c digest.Claiming, claimed []digest.Claimed) error {
	ids := make([]string, len(claimed))
	for i := range claimed {
		ids[i], claimed[i].Turn = claimed[i].Account, t.pass.Turn.Number
	}
	_, err := t.tx.Exec(ctx, `
		UPDATE watchlists SET claim = $2, claimed_at = $3, claimed_from = cursor, cursor = $4, pending = false,
		    next_at = CASE every WHEN 'weekly' THEN $6::timestamptz ELSE $5::timestamptz END
		WHERE account_id = ANY($1::uuid[])`, ids, t.pass.Turn.Number, c.Now, t.readTo, c.Daily, c.Weekly)
	if err != nil {
		return fmt.Errorf("moving cursors: %w", err)
	}
	return nil
}
