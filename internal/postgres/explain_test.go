package postgres_test

import (
	"errors"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/palmares-hq/palmares/internal/pgtest"
	"github.com/palmares-hq/palmares/internal/postgres"
	"github.com/palmares-hq/palmares/internal/testkit"
)

// A server that lets nobody in is told from one that is away: the error says what to change, by name, and no password.
func TestExplain(t *testing.T) {
	t.Parallel()
	server := pgtest.NewServer(t)
	conn, err := pgx.Connect(t.Context(), server.URL())
	testkit.Must(t, err)
	hba := "host all postgres 127.0.0.1/32 trust\nhost all all 127.0.0.1/32 scram-sha-256\n"
	testkit.Must(t, os.WriteFile(filepath.Join(server.Data(), "pg_hba.conf"), []byte(hba), 0o600))
	for _, statement := range []string{
		`CREATE ROLE reader LOGIN PASSWORD 'right'`, `CREATE DATABASE closed`, `REVOKE CONNECT ON DATABASE closed FROM public`, `SELECT pg_reload_conf()`,
	} {
		_, err = conn.Exec(t.Context(), statement)
		testkit.Must(t, err)
	}
	testkit.Must(t, conn.Close(t.Context()))
	testkit.EventuallyTrue(t, "PostgreSQL asks for passwords", func() bool {
		u, err := url.Parse(server.URL())
		testkit.Must(t, err)
		u.User = url.UserPassword("reader", "wrong")
		conn, err := pgx.Connect(t.Context(), u.String())
		if err == nil {
			testkit.Must(t, conn.Close(t.Context()))
		}
		return err != nil
	})
	for what, c := range map[string]struct{ user, password, database, want string }{
		"TLS if there is":  {"postgres", "", "nowhere?sslmode=prefer", `PostgreSQL has no database "nowhere"`}, // the reason is not that there is none
		"no such database": {"postgres", "", "nowhere", `PostgreSQL has no database "nowhere": create it, or correct its name in PALMARES_DATABASE_URL`},
		"a wrong password": {"reader", "hunter2", "postgres", `PostgreSQL refuses the password of "reader": correct it in PALMARES_DATABASE_URL`},
		"no such role":     {"nobody", "hunter2", "postgres", `PostgreSQL refuses the password of "nobody"`},
		"no right":         {"reader", "right", "closed", `"reader" may not connect to "closed": GRANT CONNECT`},
	} {
		u, err := url.Parse(server.URL())
		testkit.Must(t, err)
		u.User = url.UserPassword(c.user, c.password)
		name, query, more := strings.Cut(c.database, "?")
		if u.Path = "/" + name; more {
			u.RawQuery = query
		}
		db, err := postgres.Open(t.Context(), u.String(), postgres.Options{})
		testkit.Must(t, err)
		_, err = db.Catalog.Feed(t.Context())
		db.Close()
		refused, ok := errors.AsType[*postgres.RefusedError](err)
		if !ok || !strings.Contains(refused.Advice(), c.want) || strings.Contains(err.Error(), "hunter2") || strings.Contains(err.Error(), "right ") {
			t.Errorf("%s: %v", what, err)
		}
	}
	for _, code := range []string{"42P05", "26000"} {
		if err := postgres.Explain(&pgconn.PgError{Code: code, Message: "prepared statement"}); !strings.Contains(err.Error(), "behind a pooler in transaction mode") {
			t.Errorf("%s: %v", code, err)
		}
	}
	if err := errors.New("something else"); postgres.Explain(err) != err { //nolint:errorlint // the same one
		t.Error("an error that needs no explanation got one")
	}
}
