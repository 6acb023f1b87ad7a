package pgtest

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"sync"

	"github.com/jackc/pgx/v5"

	"github.com/palmares-hq/palmares/internal/postgres"
)

// A templateDB is a database to copy.
type templateDB struct {
	name string
	// lock is the connection that holds the lock on it. It is kept here because the garbage collector
	// closes a connection that nothing refers to.
	lock *pgx.Conn
}

// LockName returns the application_name of the connection that holds the lock on the template.
func LockName() string { return "palmares test template of " + strconv.Itoa(os.Getpid()) }

// template returns the migrated database of which tests get copies: a copy takes a tenth of the time of migrating.
// All processes with the same schema share one, which stays on the server for later ones. A shared lock, which ends
// with the process, says that a template is in use.
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
	schema, err := digest()
	if err != nil {
		return t, err
	}
	name := templatePrefix + schema
	if _, err := conn.Exec(ctx, `SELECT pg_advisory_lock_shared(hashtextextended($1, 0))`, name); err != nil {
		return t, err
	}
	const making = `hashtextextended('making ' || $1, 0)`
	if _, err := conn.Exec(ctx, `SELECT pg_advisory_lock(`+making+`)`, name); err != nil {
		return t, err
	}
	if err := makeTemplate(ctx, conn, name); err != nil {
		return t, err
	}
	if _, err := conn.Exec(ctx, `SELECT pg_advisory_unlock(`+making+`)`, name); err != nil {
		return t, err
	}
	return templateDB{name, conn}, dropTemplates(ctx, conn)
})

// makeTemplate creates the template unless it exists. One that still allows connections was not finished: it is
// replaced.
func makeTemplate(ctx context.Context, conn *pgx.Conn, name string) error {
	var whole bool
	err := conn.QueryRow(ctx, `SELECT EXISTS (SELECT FROM pg_database WHERE datname = $1 AND NOT datallowconn)`, name).Scan(&whole)
	if err != nil || whole {
		return err
	}
	if _, err := conn.Exec(ctx, "DROP DATABASE IF EXISTS "+name+" WITH (FORCE)"); err != nil {
		return err
	}
	if _, err := conn.Exec(ctx, "CREATE DATABASE "+name); err != nil {
		return err
	}
	u, err := named(name)
	if err != nil {
		return err
	}
	if _, err := postgres.Migrate(ctx, u, nil, nil); err != nil {
		return err
	}
	// A database with an open connection, even autovacuum's, cannot be copied.
	_, err = conn.Exec(ctx, "ALTER DATABASE "+name+" ALLOW_CONNECTIONS false")
	return err
}

// began is the working directory at the start, the folder of the tested package: a test may change to another.
var began, _ = os.Getwd()

// digest hashes everything that makes the schema: package postgres, and River's version.
func digest() (string, error) {
	root := began
	for !exists(filepath.Join(root, "go.mod")) {
		if root == filepath.Dir(root) {
			return "", errors.New("tests run in a folder of the repository")
		}
		root = filepath.Dir(root)
	}
	files := []string{filepath.Join(root, "go.mod")}
	for _, pattern := range []string{"*.go", "migrations/*.sql"} {
		some, err := filepath.Glob(filepath.Join(root, "internal/postgres", pattern))
		if err != nil {
			return "", err
		}
		files = append(files, some...)
	}
	hash := sha256.New()
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return "", err
		}
		fmt.Fprintf(hash, "%s %d\n%s", filepath.Base(file), len(text), text)
	}
	return hex.EncodeToString(hash.Sum(nil))[:12], nil
}

func exists(file string) bool {
	_, err := os.Stat(file)
	return err == nil
}

// randomizeIDs replaces the random ids that a copy has from its template, so that it differs from other
// copies as if it had been migrated itself.
func randomizeIDs(u string) error {
	ctx := context.Background()
	conn, err := pgx.Connect(ctx, u)
	if err != nil {
		return err
	}
	defer conn.Close(ctx)
	_, err = conn.Exec(ctx, `UPDATE access_changes SET id = gen_random_uuid(); UPDATE digests SET turn_id = gen_random_uuid()`)
	return err
}

const templatePrefix = "palmares_template_"

// templatesKept is how many of the newest templates stay even if unused: another checkout may have another schema.
const templatesKept = 5

// dropTemplates drops the oldest templates that nobody uses.
func dropTemplates(ctx context.Context, conn *pgx.Conn) error {
	rows, err := conn.Query(ctx, `SELECT datname FROM pg_database WHERE starts_with(datname, $1) ORDER BY oid DESC OFFSET $2`,
		templatePrefix, templatesKept)
	if err != nil {
		return err
	}
	names, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return err
	}
	for _, name := range names {
		var unused bool
		err := conn.QueryRow(ctx, `SELECT pg_try_advisory_lock(hashtextextended($1, 0))`, name).Scan(&unused)
		if err != nil {
			return err
		}
		if !unused {
			continue
		}
		if _, err := conn.Exec(ctx, "DROP DATABASE IF EXISTS "+name); err != nil {
			return fmt.Errorf("dropping an old template: %w", err)
		}
		if _, err := conn.Exec(ctx, `SELECT pg_advisory_unlock(hashtextextended($1, 0))`, name); err != nil {
			return err
		}
	}
	return nil
}
