package postgres

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/palmares-hq/palmares/internal/account"
)

// accessChannel is the channel on which triggers announce changes of access.
const accessChannel = "palmares_access"

// KeyFeedName is the application_name of a KeyFeed's connection in pg_stat_activity.
const KeyFeedName = "palmares keys"

// A KeyFeed is a connection on which a node is notified of changes of access and reads the
// live keys. A Feed has another: reading a million keys must not delay an edition.
type KeyFeed struct {
	conn *pgx.Conn
	here string // what the function here returns; "" until EndRestored needs it
}

// Feed connects and listens. It fails on a schema that is older than this program needs. It goes on with
// one that this program is too old for: who may call must not depend on an upgrade.
func (k *Keys) Feed(ctx context.Context) (*KeyFeed, error) {
	conn, err := listen(ctx, k.pool, KeyFeedName, accessChannel)
	if err != nil {
		return nil, err
	}
	if err := checkSchema(ctx, conn); err != nil && !errors.Is(err, ErrProgramTooOld) {
		closeConn(conn)
		return nil, err
	}
	return &KeyFeed{conn: conn}, nil
}

// hasChange is true when this database has the change $1 with the id $2 and every later one
// names its account: then the node at that change can read account by account.
const hasChange = `
	(EXISTS (SELECT FROM access_changes WHERE number = $1 AND id = $2)
	 AND NOT EXISTS (SELECT FROM access_changes WHERE number > $1 AND account_id IS NULL))`

// restored is false while pg_restore fills the tables: it creates triggers last.
const restored = `
	EXISTS (SELECT FROM pg_trigger WHERE tgrelid = to_regclass('keys') AND tgname = 'keys_changed' AND tgenabled <> 'D')`

var errRestoring = errors.New("the database is being restored: its keys are not all there yet")

// Latest returns the last change, and whether Since can read the changes from have to it
// account by account. If not, the caller must read all keys.
func (f *KeyFeed) Latest(
	ctx context.Context, have account.Change,
) (latest account.Change, follows bool, err error) {
	err = f.conn.QueryRow(ctx, `
		SELECT number, id, `+hasChange+` FROM access_changes ORDER BY number DESC LIMIT 1`,
		have.Number, have.ID).Scan(&latest.Number, &latest.ID, &follows)
	if errors.Is(err, pgx.ErrNoRows) {
		return latest, false, errRestoring
	}
	if err != nil {
		return latest, false, fmt.Errorf("asking for the last change of access: %w", explain(err))
	}
	return latest, follows, nil
}

// Since calls add with each key, working or suspended at the time now, of the accounts that changed after have, and
// returns the last change and these accounts. It reads one consistent state. If have is the zero Change, it reads the
// keys of all accounts, and lists none.
func (f *KeyFeed) Since(
	ctx context.Context, have account.Change, now time.Time, add func(account.LiveKey),
) (latest account.Change, accounts [][16]byte, err error) {
	if have == (account.Change{}) {
		latest, err = f.all(ctx, now, add)
	} else {
		latest, accounts, err = f.since(ctx, have, now, add)
	}
	if err != nil {
		return account.Change{}, nil, fmt.Errorf("reading the keys: %w", explain(err))
	}
	return latest, accounts, nil
}

// all reads the keys of all accounts. It reads the raw values of rows, which takes half the time of
// scanning them.
func (f *KeyFeed) all(
	ctx context.Context, now time.Time, add func(account.LiveKey),
) (latest account.Change, err error) {
	err = pgx.BeginTxFunc(ctx, f.conn, readOnly, func(tx pgx.Tx) error {
		var complete bool
		err := tx.QueryRow(ctx, `SELECT number, id, `+restored+` FROM access_changes ORDER BY number DESC LIMIT 1`).
			Scan(&latest.Number, &latest.ID, &complete)
		if errors.Is(err, pgx.ErrNoRows) || err == nil && !complete {
			return errRestoring
		}
		if err != nil {
			return err
		}
		rows, err := tx.Query(ctx, `
			SELECT k.hash, k.id, a.id, a.plan, (extract(epoch FROM k.revoked_at) * 1000000)::bigint, k.asleep
			FROM keys k JOIN accounts a ON a.id = k.account_id
			WHERE (k.revoked_at IS NULL OR k.grace AND k.revoked_at > $1) AND a.deleted_at IS NULL`, now)
		if err != nil {
			return err
		}
		defer rows.Close()
		for rows.Next() {
			k, err := liveKey(rows.RawValues())
			if err != nil {
				return err
			}
			add(k)
		}
		return rows.Err()
	})
	return latest, err
}

// liveKey reads the raw columns hash, id, account, plan, end and asleep.
func liveKey(raw [][]byte) (k account.LiveKey, err error) {
	if len(raw) != 6 || len(raw[0]) != len(k.Hash) || len(raw[2]) != len(k.Account) || len(raw[5]) != 1 {
		return k, errors.New("a key is not of the form that was asked for")
	}
	plan := account.Developer
	if !bytes.Equal(raw[3], developerPlan) {
		if plan, err = account.ParsePlan(string(raw[3])); err != nil {
			return k, err
		}
	}
	k, err = account.NewLiveKey(account.Hash(raw[0]), string(raw[1]), [16]byte(raw[2]), plan)
	k.Suspended = raw[5][0] != 0
	if err != nil || raw[4] == nil {
		return k, err
	}
	if len(raw[4]) != 8 {
		return k, errors.New("the end of a key is not of the form that was asked for")
	}
	micro := int64(binary.BigEndian.Uint64(raw[4])) //nolint:gosec // as the database wrote it
	return k.Until(time.UnixMicro(micro)), nil
}

var developerPlan = []byte(account.Developer.String())

// since reads the keys of the accounts that changed after have, in one statement: it sees one state of
// the database, and takes one round trip.
func (f *KeyFeed) since(
	ctx context.Context, have account.Change, now time.Time, add func(account.LiveKey),
) (latest account.Change, accounts [][16]byte, err error) {
	rows, err := f.conn.Query(ctx, `
		SELECT l.number, l.id, `+hasChange+`, `+restored+`, c.account_id, k.hash, k.id, a.plan, k.revoked_at, k.asleep
		FROM (SELECT number, id FROM access_changes ORDER BY number DESC LIMIT 1) l
		LEFT JOIN (SELECT DISTINCT account_id FROM access_changes WHERE number > $1) c ON true
		LEFT JOIN accounts a ON a.id = c.account_id AND a.deleted_at IS NULL
		LEFT JOIN keys k ON k.account_id = a.id AND (k.revoked_at IS NULL OR k.grace AND k.revoked_at > $3)
		ORDER BY c.account_id`, have.Number, have.ID, now)
	if err != nil {
		return latest, nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var follows, complete bool
		var owner *[16]byte
		var hash []byte
		var id, plan *string
		var end *time.Time
		var suspended *bool
		if err := rows.Scan(&latest.Number, &latest.ID, &follows, &complete, &owner, &hash, &id, &plan, &end, &suspended); err != nil {
			return latest, nil, err
		}
		switch {
		case !complete:
			return latest, nil, errRestoring
		case !follows:
			return latest, nil, errors.New("the database was replaced meanwhile")
		case owner == nil: // nothing changed
			continue
		}
		if n := len(accounts); n == 0 || accounts[n-1] != *owner {
			accounts = append(accounts, *owner)
		}
		if hash == nil || id == nil || plan == nil || suspended == nil { // the account has no live key
			continue
		}
		p, err := account.ParsePlan(*plan)
		if err != nil {
			return latest, nil, err
		}
		k, err := account.NewLiveKey(account.Hash(hash), *id, *owner, p)
		if err != nil {
			return latest, nil, err
		}
		if end != nil {
			k = k.Until(*end)
		}
		k.Suspended = *suspended
		add(k)
	}
	if err := rows.Err(); err != nil {
		return latest, nil, err
	}
	if latest == (account.Change{}) { // no row at all
		return latest, nil, errRestoring
	}
	return latest, accounts, nil
}

// Wait returns when a change is announced, or after d.
func (f *KeyFeed) Wait(ctx context.Context, d time.Duration) error {
	if err := waitForNotification(ctx, f.conn, d); err != nil {
		return fmt.Errorf("waiting for a change of access: %w", err)
	}
	return nil
}

// Close ends the connection.
func (f *KeyFeed) Close() { closeConn(f.conn) }
