package main

import (
	"fmt"

	"github.com/palmares-hq/palmares/internal/postgres"
)

type grantsCommand struct {
	Role string `default:"palmares_publisher" placeholder:"NAME" help:"The name of the role (default palmares_publisher)."`
}

// Help is shown by palmares grants --help.
func (grantsCommand) Help() string {
	return `Prints the SQL of a PostgreSQL role that may run palmares publish, with or without --dry-run, and
palmares editions, and nothing else: for the CI of a catalogue's repository, which is not to know the
password that the service runs with. The role reads nothing of accounts, keys, endpoints, payments,
reports, sessions or mail, and has no right on the jobs. Tables of later versions are refused to it.

A superuser, or the owner of the database if it may make roles, runs the script in the database of the
service, after palmares migrate, and again after each upgrade. It makes the role if there is none, takes
everything from it, and grants what the version needs. It fails, and changes nothing, if the role could
do more all the same. It sets no password. The command itself connects to no database.

Example:
  palmares grants | psql --set ON_ERROR_STOP=1 palmares
  psql palmares --command '\password palmares_publisher'`
}

// Run prints the script.
func (c *grantsCommand) Run(con *console) error {
	script, err := postgres.PublisherScript(c.Role)
	if err != nil {
		return fmt.Errorf("--role: %w", err)
	}
	_, err = fmt.Fprint(con.out, script)
	return err
}
