package postgres_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/billing"
	"github.com/palmares-hq/palmares/internal/pgtest"
	"github.com/palmares-hq/palmares/internal/postgres"
	"github.com/palmares-hq/palmares/internal/testkit"
)

// openWith opens a database with options, until the end of the test.
func openWith(t *testing.T, url string, o postgres.Options) *postgres.DB {
	t.Helper()
	db, err := postgres.Open(t.Context(), url, o)
	testkit.Must(t, err)
	t.Cleanup(db.Close)
	return db
}

// PostgreSQL gives up a statement that takes longer than its pool has patience for, whoever still waits for
// it. The connection is used again.
func TestPatience(t *testing.T) {
	t.Parallel()
	u := pgtest.Migrated(t)
	db := openWith(t, u, postgres.Options{Conns: 1, Patience: time.Second})
	conn, err := pgx.Connect(t.Context(), u)
	testkit.Must(t, err)
	t.Cleanup(func() { _ = conn.Close(context.Background()) })
	tx, err := conn.Begin(t.Context())
	testkit.Must(t, err)
	_, err = tx.Exec(t.Context(), `LOCK TABLE accounts`)
	testkit.Must(t, err)
	for range 2 {
		testkit.Eventually(t, func() error { // on a busy machine connecting may take that long, too
			_, err := db.Accounts.Find(t.Context(), account.Operator(), "ada@example.org")
			if said, ok := errors.AsType[*pgconn.PgError](err); !ok || said.Code != "57014" {
				return fmt.Errorf("a statement that waits for a lock: %w", err)
			}
			return nil
		})
	}
	testkit.Must(t, tx.Rollback(t.Context()))
	testkit.Eventually(t, func() error {
		if _, err := db.Accounts.Find(t.Context(), account.Operator(), "ada@example.org"); !errors.Is(err, account.ErrNoAccount) {
			return err
		}
		return nil
	})
}

// While every connection is held for the payment provider, another who wants one is told that it is busy, and
// what is known can be read on connections of its own.
func TestBilling_AllAreHeld(t *testing.T) {
	t.Parallel()
	u := pgtest.Migrated(t)
	db, reads := openWith(t, u, postgres.Options{Conns: 1}), openWith(t, u, postgres.Options{Conns: 1})
	store := db.Billing.ReadingFrom(reads)
	service := account.NewService(db.Accounts, db.Keys, nil)
	var ids []string
	for _, email := range []string{"ada@example.org", "bob@example.org"} {
		a, err := service.Create(t.Context(), account.Operator(), email, account.Developer)
		testkit.Must(t, err)
		testkit.Must(t, store.Add(t.Context(), account.Operator(), a.ID))
		ids = append(ids, a.ID)
	}
	held, end, ended := make(chan struct{}), make(chan struct{}), make(chan error, 1)
	go func() {
		ended <- store.Hold(context.Background(), account.Operator(), ids[0], time.Minute, func(context.Context, billing.Record) (*billing.Update, error) {
			close(held)
			<-end
			return nil, nil
		})
	}()
	<-held
	nothing := func(context.Context, billing.Record) (*billing.Update, error) { return nil, nil }
	if err := store.Hold(t.Context(), account.Operator(), ids[1], 50*time.Millisecond, nothing); !errors.Is(err, billing.ErrBusy) {
		t.Errorf("another account while the connection is held: %v", err)
	}
	for _, id := range ids {
		if _, err := store.Find(t.Context(), account.ByAccount(id), id); err != nil {
			t.Errorf("what is known while the connection is held: %v", err)
		}
	}
	gone, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if err := store.Hold(gone, account.Operator(), ids[1], time.Minute, nothing); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("whoever has gone meanwhile: %v", err)
	}
	close(end)
	testkit.Must(t, <-ended)
	testkit.Must(t, store.Hold(t.Context(), account.Operator(), ids[1], time.Minute, nothing))
}
