package main

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/palmares-hq/palmares/internal/pgtest"
	"github.com/palmares-hq/palmares/internal/testkit"
)

// A command says first what is wrong with TLS to the database, whatever it was about to do.
func TestTLS_IsExplained(t *testing.T) {
	t.Parallel()
	ours, other := testkit.NewAuthority(t), testkit.NewAuthority(t)
	db := pgtest.NewServer(t)
	db.WantTLS(ours.Issue(t, "127.0.0.1", time.Now().Add(time.Hour)))
	with := func(ca string) []string {
		return database(strings.Replace(db.URL(), "sslmode=require", "sslmode=verify-full&sslrootcert="+ca, 1))
	}
	for _, args := range [][]string{{"migrate"}, {"editions"}, {"account", "list"}} {
		palmares(t, with(ours.File), args...)
		cmd := command(t, with(other.File), args...)
		var errs bytes.Buffer
		cmd.Stderr = &errs
		cmd.Run()
		const want = "palmares: PostgreSQL has a certificate of an authority that is not trusted: sslrootcert in PALMARES_DATABASE_URL names"
		if exit := cmd.ProcessState.ExitCode(); exit != 1 || !strings.HasPrefix(errs.String(), want) {
			t.Errorf("%s: exit %d\n%s", strings.Join(args, " "), exit, errs.String())
		}
	}
}
