package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/palmares-hq/palmares/internal/config"
	"github.com/palmares-hq/palmares/internal/postgres"
)

type migrateCommand struct{}

// Help is shown by palmares migrate --help.
func (migrateCommand) Help() string {
	return `Brings the schema of the database that PALMARES_DATABASE_URL names up to date. It may be run at any time, also by
several machines at once: they wait for one another. Run it before starting nodes of a new version; the nodes of the old
version go on working on the new schema.`
}

func (migrateCommand) Run(ctx context.Context, con *console) error {
	cfg, err := config.ReadDatabase(os.Environ())
	if err != nil {
		return fmt.Errorf("configuration: %w", err)
	}
	ran, err := postgres.Migrate(ctx, cfg.URL.Reveal())
	if err != nil {
		return reached(err)
	}
	for _, name := range ran {
		fmt.Fprintln(con.err, "applied", name)
	}
	if len(ran) == 0 {
		fmt.Fprintln(con.err, "the schema is up to date")
	}
	return nil
}

// schemaTimeout is how long a node that starts waits to hear what its database is like.
// One that is down says so at once; only one that is silent makes a node wait.
const schemaTimeout = 5 * time.Second

// checkSchema refuses to work on a schema that this program is too old for. It warns of
// one that is merely newer; one that is not there yet is no fault of the program.
func checkSchema(ctx context.Context, db *postgres.DB, warn func(message string)) error {
	program, err := postgres.Program()
	if err != nil {
		return err
	}
	schema, err := db.Schema(ctx)
	if err != nil {
		return err
	}
	if schema.Level > program.Level {
		warn(fmt.Sprintf("the database's schema is newer than this program: it is at migration %d, the program ends at %d",
			schema.Level, program.Level))
	}
	return schema.Refuses(program)
}

// reached names the variable to look at when there is no connection at all.
func reached(err error) error {
	var failed *pgconn.ConnectError
	if errors.As(err, &failed) {
		return fmt.Errorf("no connection to the database that PALMARES_DATABASE_URL names: %w", failed)
	}
	return err
}
