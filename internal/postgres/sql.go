package postgres

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgtype"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/palmares-hq/palmares/internal/account"
)

// querier is a connection, a pool or a transaction.
type querier interface {
	Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error)
	QueryRow(ctx context.Context, sql string, args ...any) pgx.Row
}

// execer is a pool or a transaction.
type execer interface {
	Exec(ctx context.Context, sql string, args ...any) (pgconn.CommandTag, error)
}

// collect runs a query and scans all its rows.
func collect[T any](
	ctx context.Context, q querier, scan pgx.RowToFunc[T], sql string, args ...any,
) ([]T, error) {
	rows, err := q.Query(ctx, sql, args...)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, scan)
}

var (
	// readCommitted is for transactions that wait for locks: after the wait they see what
	// others committed meanwhile. It is set because the server may default to another level.
	readCommitted = pgx.TxOptions{IsoLevel: pgx.ReadCommitted}
	// readOnly is for transactions whose statements must all see the same state.
	readOnly = pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly}
)

// fromNull returns the time in UTC, or the zero time for NULL.
func fromNull(t *time.Time) time.Time {
	if t == nil {
		return time.Time{}
	}
	return t.UTC()
}

// toNull returns NULL for the zero time.
func toNull(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	return &t
}

// ownerOf returns the id of the account whose rows an actor may see and change. It is NULL for
// the operator, who may see and change all rows: a statement says
// ($2::uuid IS NULL OR account_id = $2).
func ownerOf(by account.Actor) pgtype.UUID {
	if by.IsOperator() {
		return pgtype.UUID{}
	}
	return uuidOf(by.AccountID())
}

// uuidOf parses the id of an account. An id that is no UUID becomes one that no account has.
func uuidOf(id string) pgtype.UUID {
	var u pgtype.UUID
	if err := u.Scan(id); err != nil {
		return pgtype.UUID{Valid: true}
	}
	return u
}

// parseURL parses the address of the database. Its errors do not repeat those of the parsers, which quote
// parts of the address: what they take for a port may be half of a password.
func parseURL(address string) (*pgxpool.Config, error) {
	cfg, err := pgxpool.ParseConfig(address)
	if splitPassword(address) {
		return nil, errors.New("PALMARES_DATABASE_URL cannot be read: write it as postgres://user:password@host:5432/palmares; " +
			"its password has a / ? or # that is not written as %2F, %3F or %23")
	}
	if err == nil {
		return cfg, refuseUnchecked(address, cfg)
	}
	if file := unreadableFile(err); file != "" {
		return nil, errors.New("PALMARES_DATABASE_URL cannot be used: " + file)
	}
	why := "it is such an address, or pairs such as host=127.0.0.1 dbname=palmares"
	if strings.HasPrefix(address, "postgres://") || strings.HasPrefix(address, "postgresql://") {
		u, err := url.Parse(address)
		why = "something in it is not as there"
		if err == nil {
			why = unusable(u)
		}
		for said, means := range map[string]string{
			"invalid port":       "its port is no number, or its password has a / ? or # that is not written as %2F, %3F or %23",
			"invalid userinfo":   "its user or password has characters that are to be written as %XX",
			"invalid URL escape": "it has a % without two hexadecimal digits after it: a % itself is written as %25",
			"missing ']'":        "its host begins with [ and has no ]",
			"invalid character":  "its host has a character that no host has",
		} {
			if err != nil && strings.Contains(err.Error(), said) {
				why = means
			}
		}
	}
	return nil, errors.New("PALMARES_DATABASE_URL cannot be read: write it as postgres://user:password@host:5432/palmares; " + why)
}

// unusable says which part of a well-formed address cannot be used.
func unusable(u *url.URL) string {
	if port, err := strconv.ParseUint(cmp.Or(u.Port(), "5432"), 10, 16); err != nil || port == 0 {
		return "its port is no number from 1 to 65535"
	}
	given := u.Query()
	for name := range given {
		others := maps.Clone(given)
		delete(others, name)
		without := *u
		without.RawQuery = others.Encode()
		if _, err := pgxpool.ParseConfig(without.String()); err == nil {
			return "what it sets " + name + " to cannot be used"
		}
	}
	return "something in it is not as there"
}

// CheckURL returns an error that says what is wrong with the address of a database. It does not connect.
func CheckURL(address string) error {
	_, err := parseURL(address)
	return err
}

// splitPassword reports whether an address seems to end within its password, at a character that ends hosts or paths:
// what follows, and an @, would be looked up, and logged, as something else.
func splitPassword(address string) bool {
	if !strings.HasPrefix(address, "postgres://") && !strings.HasPrefix(address, "postgresql://") {
		return false
	}
	u, err := url.Parse(address)
	return err == nil && (u.Fragment != "" || strings.Contains(u.Path, "@") || strings.Contains(u.RawQuery, "@"))
}

// explain adds what to do to an error of a statement: ErrNoSchema to that of a missing table, and advice to that of a
// pooler. It returns any other error as it is.
func explain(err error) error {
	var pg *pgconn.PgError
	if errors.As(err, &pg) && pg.Code == undefinedTable {
		return fmt.Errorf("%w (%w)", ErrNoSchema, err)
	}
	return explainPooler(err)
}
