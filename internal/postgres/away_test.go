package postgres_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/postgres"
)

// Whoever asks a database that does not answer learns so, and is not told of a fault of ours; a question
// that the database refuses is a fault of ours.
func TestAway(t *testing.T) {
	t.Parallel()
	db := newDB(t)
	ask := func(p *postgres.DB, ctx context.Context) error {
		_, err := p.Accounts.Find(ctx, operator, owner)
		return err
	}
	for code, away := range map[string]bool{
		"08006": true, "53300": true, "57P01": true, "57P03": true, "57014": true, "40P01": true, "55P03": true, "25006": true, "28P01": true, "28000": true,
		"23505": false, "42703": false, "42501": false, "22021": false, "XX000": false, "P0001": false,
	} {
		if err := fmt.Errorf("asking: %w", &pgconn.PgError{Code: code}); postgres.Away(err) != away {
			t.Errorf("%s: away is %v", code, !away)
		}
	}
	for what, err := range map[string]error{"no row": account.ErrNoAccount, "another": errors.New("broken"), "none": nil, "who asked went away": context.Canceled} {
		if postgres.Away(err) {
			t.Errorf("%s: %v is taken for a database that is away", what, err)
		}
	}

	gone, leave := context.WithCancel(t.Context())
	leave()
	if err := ask(db.DB, gone); err == nil || postgres.Away(err) {
		t.Errorf("who asked went away: %v is taken for a database that is away", err)
	}

	late, cancel := context.WithDeadline(t.Context(), time.Now().Add(-time.Second))
	defer cancel()
	closed := db.process()
	closed.Close()
	nowhere, err := postgres.Open(t.Context(), "postgres://127.0.0.1:1/none?sslmode=disable", postgres.Options{})
	db.must(err)
	t.Cleanup(nowhere.Close)
	for what, err := range map[string]error{
		"a time-out": ask(db.DB, late), "a closed pool": ask(closed, t.Context()), "nobody listens": ask(nowhere, t.Context()),
	} {
		if !postgres.Away(err) {
			t.Errorf("%s: %v is taken for a fault of ours", what, err)
		}
	}
	db.exec(`ALTER TABLE accounts RENAME COLUMN plan TO plans`)
	if err := ask(db.DB, t.Context()); err == nil || postgres.Away(err) {
		t.Errorf("a column that is missing: %v is taken for a database that is away", err)
	}
}
