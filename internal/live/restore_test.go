package live

import (
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/pgtest"
	"github.com/palmares-hq/palmares/internal/postgres"
	"github.com/palmares-hq/palmares/internal/testkit"
)

// signIn begins a session of an account.
func signIn(tb testing.TB, db *postgres.DB, a account.Account, tokens ...string) {
	tb.Helper()
	for _, token := range tokens {
		data := `{"account":"` + a.ID + `","browser":"Firefox"}`
		testkit.Must(tb, db.Sessions.CommitCtx(tb.Context(), token, []byte(data), time.Now().Add(time.Hour)))
	}
}

// signedIn lists those of the sessions that go on.
func signedIn(tb testing.TB, db *postgres.DB, tokens ...string) string {
	tb.Helper()
	var found []string
	for _, token := range tokens {
		_, ok, err := db.Sessions.FindCtx(tb.Context(), token)
		testkit.Must(tb, err)
		if ok {
			found = append(found, token)
		}
	}
	slices.Sort(found)
	return strings.Join(found, " ")
}

// A server goes back to an earlier moment, with all its files: a session that was ended since lives
// again. The node that was there knows a change of access that the database does not have, and ends
// all sessions. Another that knows no more than the first ends none of those that began since, and
// neither does any start after that.
func TestSessionsEndAfterAServerWentBack(t *testing.T) {
	t.Parallel()
	url := pgtest.Migrated(t)
	db := open(t, url)
	a, err := db.Accounts.Create(t.Context(), "ada@example.org", account.Developer)
	testkit.Must(t, err)
	signIn(t, db, a, "stolen", "kept")
	log := &testkit.Log{}
	dir := t.TempDir()
	node := runKeys(t, KeysOptions{Open: keyFeedOf(db), Logger: log.Logger(), File: filepath.Join(dir, "one")})
	node.refresh(t)
	start := runKeys(t, KeysOptions{Open: keyFeedOf(db)}) // a start like any other
	start.refresh(t)
	testkit.Equal(t, "sessions", signedIn(t, db, "stolen", "kept"), "kept stolen")

	testkit.Must(t, execute(url, `CREATE TABLE was AS TABLE sessions`, `CREATE TABLE changes AS TABLE access_changes`))
	sessions, err := db.Accounts.Sessions(t.Context(), account.Operator(), a.ID, time.Now())
	testkit.Must(t, err)
	for _, s := range sessions {
		if s.TokenHash == "stolen" {
			testkit.Must(t, db.Accounts.EndSession(t.Context(), account.ByAccount(a.ID), s.ID, time.Now()))
		}
	}
	node.refresh(t)
	later := runKeys(t, KeysOptions{Open: keyFeedOf(db), File: filepath.Join(dir, "two")})
	later.refresh(t)
	later.stop() // its disk copy knows of the end
	start.stop()
	testkit.Equal(t, "sessions before it goes back", signedIn(t, db, "stolen", "kept"), "kept")

	testkit.Must(t, execute(url, `BEGIN`,
		`DELETE FROM sessions`, `INSERT INTO sessions SELECT * FROM was`,
		`DELETE FROM access_changes`, `INSERT INTO access_changes SELECT * FROM changes`,
		`UPDATE current_access SET number = (SELECT max(number) FROM changes)`, `COMMIT`))
	testkit.Eventually(t, func() error {
		if got := signedIn(t, db, "stolen", "kept"); got != "" {
			return errors.New("still signed in: " + got)
		}
		return nil
	})
	testkit.Eventually(t, func() error { return node.Connected() })
	testkit.Eventually(t, func() error { // it is told once the sessions have ended
		if !strings.Contains(log.String(), "the database was restored") {
			return errors.New("the log says nothing: " + log.String())
		}
		return nil
	})

	signIn(t, db, a, "new")
	for _, file := range []string{"two", "one", "none"} {
		k := runKeys(t, KeysOptions{Open: keyFeedOf(db), File: filepath.Join(dir, file)})
		k.refresh(t)
		k.stop()
	}
	node.refresh(t)
	testkit.Equal(t, "sessions after that", signedIn(t, db, "stolen", "kept", "new"), "new")
}

// A backup is restored as another database: a node that never saw the first one ends the sessions, once.
func TestSessionsEndInARestoredBackup(t *testing.T) {
	t.Parallel()
	server := pgtest.NewServer(t)
	source := open(t, server.URL())
	a, err := source.Accounts.Create(t.Context(), "ada@example.org", account.Developer)
	testkit.Must(t, err)
	signIn(t, source, a, "old")
	first := runKeys(t, KeysOptions{Open: keyFeedOf(source)})
	first.refresh(t)
	first.stop()
	testkit.Equal(t, "sessions of the first", signedIn(t, source, "old"), "old")
	source.Close() // a template must be left alone
	testkit.Must(t, execute(strings.Replace(server.URL(), "/postgres?", "/template1?", 1), `CREATE DATABASE restored TEMPLATE postgres`))

	restored := open(t, strings.Replace(server.URL(), "/postgres?", "/restored?", 1))
	for range 2 {
		k := runKeys(t, KeysOptions{Open: keyFeedOf(restored)})
		k.refresh(t)
		k.stop()
		testkit.Equal(t, "sessions of the restored one", signedIn(t, restored, "old"), "")
		signIn(t, restored, a, "new")
	}
	testkit.Equal(t, "sessions that began there", signedIn(t, restored, "old", "new"), "new")
	again := open(t, server.URL())
	k := runKeys(t, KeysOptions{Open: keyFeedOf(again)})
	k.refresh(t)
	testkit.Equal(t, "sessions of the first, which is still where it was", signedIn(t, again, "old"), "old")
}
