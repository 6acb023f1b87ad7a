package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/palmares-hq/palmares/internal/config"
	"github.com/palmares-hq/palmares/internal/postgres"
)

type migrateCommand struct{}

// Help is shown by palmares migrate --help.
func (migrateCommand) Help() string {
	return `Brings the schema of the database that PALMARES_DATABASE_URL names up to date. It may
run at any time, on several machines at once: they wait for one another. Run it before you start
nodes of a new version. Nodes of the old version keep working on the new schema.`
}

func (migrateCommand) Run(ctx context.Context, con *console) error {
	cfg, err := config.ReadDatabase(os.Environ())
	if err != nil {
		return fmt.Errorf("configuration: %w", err)
	}
	var once sync.Once
	ran, err := postgres.Migrate(ctx, cfg.URL.Reveal(), func(err error) {
		once.Do(func() { fmt.Fprintf(con.err, "a table is in use, waiting for it: %v\n", err) })
	}, func(notice string) { fmt.Fprintln(con.err, notice) })
	for _, name := range ran {
		fmt.Fprintln(con.err, "applied", name)
	}
	if err != nil {
		return reached(err)
	}
	if len(ran) == 0 {
		fmt.Fprintln(con.err, "the schema is up to date")
	}
	return nil
}

// reached adds the name of the variable to check to an error, if there was no connection to the database at
// all.
func reached(err error) error {
	if failed, ok := errors.AsType[*pgconn.ConnectError](err); ok {
		return fmt.Errorf("no connection to the database that PALMARES_DATABASE_URL names: %w", failed)
	}
	return err
}
