package postgres

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/riverqueue/river"

	"github.com/palmares-hq/palmares/internal/account"
)

const (
	// dispatchLock is the advisory lock of the node that dispatches mails.
	dispatchLock = 7_210_403_119
	// sortedAtOnce is how many new sign-ins one call of Dispatch looks at.
	sortedAtOnce = 5_000
	// mailAttempts is more attempts than there is time for: the job itself gives up when the mail would
	// be too late.
	mailAttempts = 100
	// late is how long a mail may wait before it counts as late: until the next Dispatch, and a bit.
	late = 2 * time.Second
	// rateSecond is the second for which the rates hold, less a margin for the mails of one call, whose
	// times differ by microseconds.
	rateSecond = time.Second - time.Millisecond
)

// Dispatch implements account.MailDispatcher.
func (s *SignIns) Dispatch(ctx context.Context, now time.Time) (d account.Dispatched, err error) {
	var some bool
	if err := s.pool.QueryRow(ctx, `SELECT EXISTS (SELECT FROM sign_ins WHERE waiting)`).Scan(&some); err != nil || !some {
		return d, explain(err)
	}
	err = pgx.BeginTxFunc(ctx, s.pool, readCommitted, func(tx pgx.Tx) error {
		d = account.Dispatched{}
		var mine bool
		err := tx.QueryRow(ctx, `SELECT pg_try_advisory_xact_lock($1)`, dispatchLock).Scan(&mine)
		if err != nil || !mine { // another node is dispatching
			return err
		}
		if d.Limited, err = sortMails(ctx, tx, now); err != nil {
			return err
		}
		for _, t := range []turns{
			{tx: tx, known: true, queue: account.MailQueue, rate: account.KnownMailsPerSecond, now: now},
			{tx: tx, known: false, queue: account.NewMailQueue, rate: account.NewMailsPerSecond, now: now},
		} {
			if err := t.release(ctx); err != nil {
				return err
			}
			d.Released, d.Late = d.Released+len(t.jobs), d.Late+t.late
		}
		return nil
	})
	if err != nil {
		return account.Dispatched{}, fmt.Errorf("dispatching mails: %w", explain(err))
	}
	return d, nil
}

// sortMails stores for new sign-ins whether their address has an account. It marks those whose
// recipient can get no further mail as limited, so that they take nobody's turn, and returns how many.
func sortMails(ctx context.Context, tx pgx.Tx, now time.Time) (limited int, err error) {
	ids, err := collect(ctx, tx, pgx.RowTo[string], `
		WITH fresh AS (
			SELECT id FROM sign_ins WHERE waiting AND known IS NULL ORDER BY created_at LIMIT $1 FOR UPDATE SKIP LOCKED)
		UPDATE sign_ins s SET known = EXISTS (SELECT FROM accounts a WHERE a.email = s.email)
		FROM fresh WHERE s.id = fresh.id RETURNING s.id::text`, sortedAtOnce)
	if err != nil || len(ids) == 0 {
		return 0, err
	}
	// The same rule as in Send, but mails under way are not counted yet: Send will count them.
	tag, err := tx.Exec(ctx, `
		UPDATE sign_ins s SET waiting = false, limited = true
		WHERE s.id = ANY($1::uuid[]) AND (NOT s.known OR EXISTS (`+lastMail+` AND m.email = s.email)) AND $3 <= (
			SELECT count(*) FROM (
				SELECT FROM address_mails c WHERE c.recipient = s.recipient AND c.sent_at > $2 LIMIT $3) AS counted)`,
		ids, now.Add(-account.MailHour), account.MailsPerRecipient, now)
	return int(tag.RowsAffected()), err
}

// turns releases mails, either to addresses with an account or to those without. Networks take turns:
// each /48 in the order of its hash, beginning after the last one; within it each /56, and within that
// each /64, in the same way. So a network that asks for many mails delays only its own.
type turns struct {
	tx    pgx.Tx
	known bool
	queue string
	rate  int // mails per second
	now   time.Time

	at   time.Time // of the last release
	late int       // how many of the released mails were late
	jobs []river.InsertManyParams
}

// release releases mails until there is no more room, or no network that is within its bounds has one
// waiting. After these it also releases mails of networks beyond their bounds, if their addresses have
// accounts.
func (t *turns) release(ctx context.Context) error {
	room, err := t.room(ctx)
	if err != nil {
		return err
	}
	var last *time.Time
	var cursor []byte
	err = t.tx.QueryRow(ctx, `
		SELECT released_at, net48 FROM sign_ins WHERE known = $1 AND released_at IS NOT NULL ORDER BY released_at DESC LIMIT 1`,
		t.known).Scan(&last, &cursor)
	if err != nil && !errors.Is(err, pgx.ErrNoRows) {
		return err
	}
	// It must be later than the last release, because the latest one tells whose turn is next.
	if t.at = t.now; last != nil && !last.Before(t.at) {
		t.at = last.Add(time.Microsecond)
	}
	for _, bounded := range []bool{true, false} {
		if bounded || t.known {
			if err := t.rounds(ctx, cursor, &room, bounded); err != nil {
				return err
			}
		}
	}
	if len(t.jobs) == 0 {
		return nil
	}
	return insertJobs(ctx, t.tx, t.jobs)
}

// room returns how many mails may be released now.
func (t *turns) room(ctx context.Context) (int, error) {
	var released, queued int
	err := t.tx.QueryRow(ctx, `
		SELECT (SELECT count(*) FROM sign_ins WHERE known = $1 AND released_at > $2) +
		    (SELECT count(*) FROM address_mails WHERE NOT $1 AND change AND sent_at > $2),
		    (SELECT count(*) FROM river_job WHERE state IN ('available', 'running') AND queue = $3)`,
		t.known, t.now.Add(-rateSecond), t.queue).Scan(&released, &queued)
	return min(t.rate-released, account.MaxMailsQueued-queued), err
}

// rounds releases one mail for each network that has some waiting, again and again until there is no
// more room or no network can release one. If bounded, networks beyond their bounds get none.
func (t *turns) rounds(ctx context.Context, cursor []byte, room *int, bounded bool) error {
	stuck := make(map[string]bool) // networks whose narrower networks are all at their bounds
	for went := true; went && *room > 0; {
		went = false
		networks, err := t.next(ctx, nil, cursor, *room+len(stuck), bounded)
		if err != nil {
			return err
		}
		for _, network := range networks {
			if *room == 0 || stuck[string(network)] {
				continue
			}
			one, err := t.one(ctx, bounded, network)
			if err != nil {
				return err
			}
			if cursor = network; !one {
				stuck[string(network)] = true
				continue
			}
			went = true
			*room--
		}
	}
	return nil
}

// one releases a mail of the last network of a path, which begins with the wider ones that contain it. It
// reports whether it did.
func (t *turns) one(ctx context.Context, bounded bool, path ...[]byte) (went bool, err error) {
	if len(path) == len(levels) {
		return t.oldest(ctx, path)
	}
	var cursor []byte
	err = t.tx.QueryRow(ctx, `
		SELECT `+levels[len(path)].column+` FROM sign_ins WHERE `+levels[len(path)-1].column+` = $1 AND released_at IS NOT NULL
		ORDER BY released_at DESC LIMIT 1`, path[len(path)-1]).Scan(&cursor)
	if err != nil && !errors.Is(err, pgx.ErrNoRows) {
		return false, err
	}
	for _, limit := range []int{1, 256} { // the next one; if that is stuck, all there are
		networks, err := t.next(ctx, path, cursor, limit, bounded)
		if err != nil {
			return false, err
		}
		for _, network := range networks {
			if went, err := t.one(ctx, bounded, append(slices.Clip(path), network)...); went || err != nil {
				return went, err
			}
		}
	}
	return false, nil
}

// oldest releases the mail of a /64 that has waited longest.
func (t *turns) oldest(ctx context.Context, path [][]byte) (went bool, err error) {
	var id string
	var asked time.Time
	t.at = t.at.Add(time.Microsecond)
	err = t.tx.QueryRow(ctx, `
		UPDATE sign_ins SET waiting = false, released_at = $5 WHERE id = (
			SELECT id FROM sign_ins WHERE waiting AND known = $1 AND net48 = $2 AND net56 = $3 AND net64 = $4
			ORDER BY created_at LIMIT 1 FOR UPDATE SKIP LOCKED)
		RETURNING id::text, created_at`, t.known, path[0], path[1], path[2], t.at).Scan(&id, &asked)
	if errors.Is(err, pgx.ErrNoRows) { // another transaction has it, such as a deletion of the account
		return false, nil
	}
	if err != nil {
		return false, err
	}
	if t.now.Sub(asked) > late {
		t.late++
	}
	t.jobs = append(t.jobs, river.InsertManyParams{
		Args: account.SendSignIn{ID: id}, InsertOpts: &river.InsertOpts{Queue: t.queue, MaxAttempts: mailAttempts},
	})
	return true, nil
}

// levels are the widths of networks, the widest first: the column of each, and how many mails such a
// network may cause in an hour.
var levels = []struct {
	column string
	bound  int
}{{"net48", account.MailsPer48}, {"net56", account.MailsPer56}, {"net64", account.MailsPer64}}

// next returns up to limit networks within the path that have mails waiting: first those after the
// cursor, in their order, then those from the start. If bounded, it leaves out networks that have had as
// many mails as they may in an hour. It goes from one network to the next by an index, so its cost does
// not depend on how many mails wait.
func (t *turns) next(
	ctx context.Context, path [][]byte, cursor []byte, limit int, bounded bool,
) (all [][]byte, err error) {
	column, bound := levels[len(path)].column, levels[len(path)].bound
	first := `SELECT n.` + column + ` AS network FROM sign_ins n WHERE n.waiting AND n.known = $1` +
		[]string{``, ` AND n.net48 = $7`, ` AND n.net48 = $7 AND n.net56 = $8`}[len(path)]
	for _, part := range []string{` > `, ` <= `} {
		part = first + ` AND n.` + column + part + `$2`
		args := []any{
			t.known, append([]byte{}, cursor...), t.now.Add(-account.MailHour), bound, limit - len(all), !bounded,
		}
		for _, network := range path {
			args = append(args, network)
		}
		found, err := collect(ctx, t.tx, pgx.RowTo[[]byte], `
			WITH RECURSIVE ring AS (
				(`+part+` ORDER BY n.`+column+` LIMIT 1)
				UNION ALL
				SELECT (`+part+` AND n.`+column+` > ring.network ORDER BY n.`+column+` LIMIT 1)
				FROM ring WHERE ring.network IS NOT NULL)
			SELECT ring.network FROM ring WHERE ring.network IS NOT NULL AND ($6 OR $4 > (
				SELECT count(*) FROM (
					SELECT FROM sign_ins r WHERE r.`+column+` = ring.network AND r.released_at > $3 LIMIT $4) AS released))
			LIMIT $5`, args...)
		if err != nil {
			return nil, err
		}
		if all = append(all, found...); len(all) >= limit {
			break
		}
	}
	return all, nil
}

// Waiting implements account.MailDispatcher.
func (s *SignIns) Waiting(ctx context.Context) (w account.Waiting, since time.Time, err error) {
	var first *time.Time
	err = s.pool.QueryRow(ctx, `
		SELECT count(*) FILTER (WHERE known), count(*) FILTER (WHERE known IS NOT TRUE), min(created_at)
		FROM sign_ins WHERE waiting`).Scan(&w.Known, &w.New, &first)
	if err != nil {
		return w, since, fmt.Errorf("counting the mails that wait: %w", explain(err))
	}
	return w, fromNull(first), nil
}
