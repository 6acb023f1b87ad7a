package postgres

import (
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5/pgconn"
)

// A RefusedError is an error of a server that answers, but will refuse until somebody changes something.
type RefusedError struct {
	advice string
	err    error
}

func (e *RefusedError) Error() string { return e.advice + " (" + e.err.Error() + ")" }

func (e *RefusedError) Unwrap() error { return e.err }

// Advice returns what to change, in words for operators.
func (e *RefusedError) Advice() string { return e.advice }

// Error codes of PostgreSQL, and of poolers that speak its protocol.
const (
	undefinedTable        = "42P01"
	lockNotAvailable      = "55P03"
	uniqueViolation       = "23505"
	invalidAuthorization  = "28000" // also what pg_hba.conf does not allow
	invalidPassword       = "28P01"
	noSuchDatabase        = "3D000"
	insufficientPrivilege = "42501"
	duplicateStatement    = "42P05"
	noSuchStatement       = "26000"
)

// isViolation reports whether an error of PostgreSQL has that code.
func isViolation(err error, code string) bool {
	var pg *pgconn.PgError
	return errors.As(err, &pg) && pg.Code == code
}

// Explain adds what to change, in words for operators, to an error of a server that will go on refusing. It returns any
// other error as it is.
func Explain(err error) error {
	if _, said := errors.AsType[*RefusedError](err); said {
		return err
	}
	err = explainPooler(err)
	connecting, ok := errors.AsType[*pgconn.ConnectError](err)
	if !ok && isViolation(err, insufficientPrivilege) {
		return &RefusedError{"the role in PALMARES_DATABASE_URL may not do this: to publish it needs what palmares grants prints, run again after " +
			"each upgrade; everything else is done by the role that the tables belong to", err}
	}
	if !ok {
		return err
	}
	// pgx may have tried both with and without TLS. If the server answered one of the attempts, that is the reason.
	pg, answered := errors.AsType[*pgconn.PgError](err)
	if !answered || wantsTLS(pg) {
		return explainTLS(err)
	}
	user, database := connecting.Config.User, connecting.Config.Database
	var advice string
	switch pg.Code {
	case noSuchDatabase:
		advice = fmt.Sprintf("PostgreSQL has no database %q: create it, or correct its name in PALMARES_DATABASE_URL", database)
	case invalidPassword:
		advice = fmt.Sprintf("PostgreSQL refuses the password of %q: correct it in PALMARES_DATABASE_URL", user)
	case invalidAuthorization:
		advice = fmt.Sprintf("PostgreSQL does not let %q into %q: there is no such role, or its pg_hba.conf does not allow it from here; "+
			"correct that, or PALMARES_DATABASE_URL", user, database)
	case insufficientPrivilege:
		advice = fmt.Sprintf("%q may not connect to %q: GRANT CONNECT, or correct PALMARES_DATABASE_URL", user, database)
	default:
		return explainTLS(err)
	}
	return &RefusedError{advice, err}
}

// explainPooler adds what to change to errors that only a pooler in transaction mode makes.
func explainPooler(err error) error {
	if !isViolation(err, duplicateStatement) && !isViolation(err, noSuchStatement) {
		return err
	}
	return &RefusedError{"PostgreSQL is behind a pooler in transaction mode, which mixes up the statements of its clients: have it pool sessions " +
		"(PgBouncer: pool_mode = session), or write the address of PostgreSQL itself into PALMARES_DATABASE_URL", err}
}
