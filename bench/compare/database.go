package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net/url"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/postgres"
)

const (
	serverVariable = "PALMARES_TEST_DATABASE_URL"
	defaultServer  = "postgres://postgres@127.0.0.1:5432/postgres?sslmode=disable"
)

// databaseServer returns the URL of the PostgreSQL server on which databases are created.
func databaseServer() string {
	if u := os.Getenv(serverVariable); u != "" {
		return u
	}
	return defaultServer
}

// makeDatabase creates an empty database and returns its URL; drop removes it.
func makeDatabase(ctx context.Context) (address string, drop func(), err error) {
	name := "palmares_bench_" + strings.ToLower(rand.Text()[:12])
	if err := onServer(ctx, "CREATE DATABASE "+name); err != nil {
		return "", nil, fmt.Errorf("making a database (%s names the server): %w", serverVariable, err)
	}
	drop = func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 30*time.Second)
		defer cancel()
		if err := onServer(ctx, "DROP DATABASE IF EXISTS "+name+" WITH (FORCE)"); err != nil {
			fmt.Fprintf(os.Stderr, "the database %s is left behind: %v\n", name, err)
		}
	}
	u, err := url.Parse(databaseServer())
	if err != nil {
		drop()
		return "", nil, errors.New(serverVariable + " is not a URL")
	}
	u.Path = "/" + name
	return u.String(), drop, nil
}

func onServer(ctx context.Context, statement string) error {
	conn, err := pgx.Connect(ctx, databaseServer())
	if err != nil {
		return err
	}
	defer conn.Close(ctx) //nolint:errcheck // nothing depends on it
	_, err = conn.Exec(ctx, statement)
	return err
}

// postgresVersion returns the server's version, such as 15.4; "unknown" if it cannot be asked.
func postgresVersion(ctx context.Context) string {
	conn, err := pgx.Connect(ctx, databaseServer())
	if err != nil {
		return "unknown"
	}
	defer conn.Close(ctx) //nolint:errcheck // nothing depends on it
	version, _, _ := strings.Cut(conn.PgConn().ParameterStatus("server_version"), " ")
	return version
}

// makeKeys creates n accounts with one key each, and returns the keys.
func makeKeys(ctx context.Context, database string, plan account.Plan, n int) ([]string, error) {
	u, err := url.Parse(database)
	if err != nil {
		return nil, err
	}
	q := u.Query()
	q.Set("synchronous_commit", "off") // these accounts need not survive a crash
	u.RawQuery = q.Encode()
	db, err := postgres.Open(ctx, u.String(), postgres.Options{})
	if err != nil {
		return nil, fmt.Errorf("opening the database: %w", err)
	}
	defer db.Close()
	keys, errs := make([]string, n), make([]error, n)
	var wg sync.WaitGroup
	const workers = 4
	for w := range workers {
		wg.Go(func() {
			for i := w; i < n && errs[w] == nil; i += workers {
				keys[i], errs[w] = makeKey(ctx, db, plan, i)
			}
		})
	}
	wg.Wait()
	return keys, errors.Join(errs...)
}

func makeKey(ctx context.Context, db *postgres.DB, plan account.Plan, i int) (string, error) {
	email := fmt.Sprintf("%s-%d@example.org", plan, i)
	accounts := account.NewService(db.Accounts, db.Keys, nil)
	a, err := accounts.Create(ctx, account.Operator(), email, plan)
	if err != nil {
		return "", fmt.Errorf("creating %s: %w", email, err)
	}
	key, _, err := accounts.CreateKey(ctx, account.Operator(), a.ID, "bench")
	if err != nil {
		return "", fmt.Errorf("creating a key of %s: %w", email, err)
	}
	return key.Reveal(), nil
}
