package postgres_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/palmares-hq/palmares/internal/pgtest"
	"github.com/palmares-hq/palmares/internal/postgres"
	"github.com/palmares-hq/palmares/internal/testkit"
)

// A PostgreSQL with TLS is reached with the certificate of its authority. What is wrong is said in words.
func TestTLS(t *testing.T) {
	t.Parallel()
	ours, other := testkit.NewAuthority(t), testkit.NewAuthority(t)
	s := pgtest.NewServer(t)
	bare := strings.Replace(s.URL(), "?sslmode=disable", "", 1)
	with := func(parameters string) error {
		t.Helper()
		db, err := postgres.Open(t.Context(), bare+"?"+parameters, postgres.Options{})
		if err != nil {
			return err
		}
		defer db.Close()
		feed, err := db.Catalog.Feed(t.Context())
		if err == nil {
			feed.Close()
		}
		// What a pool says is explained by whoever prints it.
		pooled := postgres.Explain(db.CheckSchema(t.Context(), func(string) {}))
		_, told := errors.AsType[*postgres.TLSError](pooled)
		if _, want := errors.AsType[*postgres.TLSError](err); told != want {
			t.Errorf("%s: a pool says %v", parameters, pooled)
		}
		return err
	}
	check := func(parameters, want string) {
		t.Helper()
		err := with(parameters)
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: %v, want %q", parameters, err, want)
		}
	}
	check("sslmode=verify-full&sslrootcert="+ours.File, "PostgreSQL has no TLS, and PALMARES_DATABASE_URL wants it")
	s.WantTLS(ours.Issue(t, "127.0.0.1", time.Now().Add(time.Hour)))
	check("sslmode=verify-full&sslrootcert="+ours.File, "")
	check("sslmode=verify-ca&sslrootcert="+ours.File, "")
	check("sslmode=require", "")
	check("sslmode=disable", "PostgreSQL takes no connection without TLS: take sslmode=disable out")
	check("sslmode=verify-full", "PostgreSQL has a certificate of an authority that is not trusted: sslrootcert in PALMARES_DATABASE_URL")
	check("sslmode=verify-ca&sslrootcert="+other.File, "PostgreSQL has a certificate of an authority that is not trusted")
	check("sslmode=verify-full&sslrootcert="+other.File, "PostgreSQL has a certificate of an authority that is not trusted")
	for _, unchecked := range []string{"", "&sslmode=prefer", "&sslmode=allow", "&sslmode=disable"} {
		check("sslrootcert="+ours.File+unchecked, "write sslmode=verify-full")
	}
	check("sslmode=verify-full&sslrootcert=/nowhere/ca.pem", "it names a file that cannot be read: open /nowhere/ca.pem")
	_, key := ours.Issue(t, "127.0.0.1", time.Now())
	check("sslmode=verify-full&sslrootcert="+key, "the file that sslrootcert names has no certificate in it")

	s.WantTLS(ours.Issue(t, "db.internal", time.Now().Add(time.Hour)))
	check("sslmode=verify-full&sslrootcert="+ours.File, "PostgreSQL has a certificate for db.internal, and is asked for as 127.0.0.1")
	check("sslmode=verify-ca&sslrootcert="+ours.File, "")
	s.WantTLS(ours.Issue(t, "127.0.0.1", time.Now().Add(-time.Hour)))
	check("sslmode=verify-full&sslrootcert="+ours.File, "PostgreSQL has a certificate that is valid from")
}
