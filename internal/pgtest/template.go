package pgtest

import (
	"context"
	"crypto/rand"
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync"

	"github.com/jackc/pgx/v5"

	"github.com/palmares-hq/palmares/internal/postgres"
)

// A templateDB is a database to copy.
type templateDB struct {
	name string
	// lock is the connection that holds its lock. The garbage collector closes one that nothing refers
	// to.
	lock *pgx.Conn
}

// LockName is how the connection that holds it is named on the server.
func LockName() string { return "palmares test template of " + strconv.Itoa(os.Getpid()) }

// template is a migrated database that those of this process are copies of: a copy costs a tenth
// of the migrations. The process has no end at which to drop it, so the next process does. The
// lock, which ends with the process, says whose template is still in use.
var template = sync.OnceValues(func() (t templateDB, err error) {
	ctx := context.Background()
	config, err := pgx.ParseConfig(base())
	if err != nil {
		return t, err
	}
	config.RuntimeParams["application_name"] = LockName()
	conn, err := pgx.ConnectConfig(ctx, config)
	if err != nil {
		return t, err
	}
	defer func() {
		if err != nil {
			conn.Close(ctx)
		}
	}()
	if err := dropTemplates(ctx, conn); err != nil {
		return t, err
	}
	name := templatePrefix + strings.ToLower(rand.Text()[:12])
	if _, err := conn.Exec(ctx, `SELECT pg_advisory_lock(hashtextextended($1, 0))`, name); err != nil {
		return t, err
	}
	if _, err := conn.Exec(ctx, "CREATE DATABASE "+name); err != nil {
		return t, err
	}
	u, err := named(name)
	if err != nil {
		return t, err
	}
	if _, err := postgres.Migrate(ctx, u, nil); err != nil {
		return t, err
	}
	// A connection, be it one of autovacuum, would stand in the way of copies.
	_, err = conn.Exec(ctx, "ALTER DATABASE "+name+" ALLOW_CONNECTIONS false")
	return templateDB{name, conn}, err
})

// tellApart gives a copy what migrations draw at random, so that it differs from other copies as it
// would had it been migrated.
func tellApart(u string) error {
	ctx := context.Background()
	conn, err := pgx.Connect(ctx, u)
	if err != nil {
		return err
	}
	defer conn.Close(ctx)
	_, err = conn.Exec(ctx, `UPDATE access_changes SET id = gen_random_uuid()`)
	return err
}

const templatePrefix = "palmares_template_"

// dropTemplates drops what processes that have ended left behind.
func dropTemplates(ctx context.Context, conn *pgx.Conn) error {
	rows, err := conn.Query(ctx, `SELECT datname FROM pg_database WHERE starts_with(datname, $1)`, templatePrefix)
	if err != nil {
		return err
	}
	names, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return err
	}
	for _, name := range names {
		var ours bool
		err := conn.QueryRow(ctx, `SELECT pg_try_advisory_lock(hashtextextended($1, 0))`, name).Scan(&ours)
		if err != nil {
			return err
		}
		if !ours {
			continue
		}
		if _, err := conn.Exec(ctx, "DROP DATABASE IF EXISTS "+name); err != nil {
			return fmt.Errorf("dropping an old template: %w", err)
		}
	}
	return nil
}
