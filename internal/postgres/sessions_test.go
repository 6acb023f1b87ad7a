package postgres_test

import (
	"context"
	"encoding/json"
	"maps"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/alexedwards/scs/v2"

	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/postgres"
	"github.com/palmares-hq/palmares/internal/testkit"
)

var _ scs.CtxStore = (*postgres.Sessions)(nil)

// flatJSON encodes a session as one object: its values, and the deadline.
type flatJSON struct{}

func (flatJSON) Encode(deadline time.Time, values map[string]any) ([]byte, error) {
	all := map[string]any{"deadline": deadline}
	maps.Copy(all, values)
	return json.Marshal(all)
}

func (flatJSON) Decode(b []byte) (time.Time, map[string]any, error) {
	var deadline struct{ Deadline time.Time }
	values := map[string]any{}
	if err := json.Unmarshal(b, &deadline); err != nil {
		return time.Time{}, nil, err
	}
	err := json.Unmarshal(b, &values)
	delete(values, "deadline")
	return deadline.Deadline, values, err
}

// timed is the database as a process has it whose clock is the test's.
func (db *testDB) timed() *postgres.DB {
	db.Helper()
	p, err := postgres.OpenTraced(db.Context(), db.url, nil, postgres.Options{Now: db.clock})
	db.must(err)
	db.Cleanup(p.Close)
	return p
}

// startSession signs a browser in and returns its session.
func (db *testDB) startSession(p *postgres.DB, accountID, token string, expires time.Time) account.Session {
	db.Helper()
	data := `{"account":"` + accountID + `","browser":"Firefox, Linux"}`
	db.must(p.Sessions.CommitCtx(db.Context(), token, []byte(data), expires))
	list, err := p.Accounts.Sessions(db.Context(), operator, accountID, time.Time{})
	db.must(err)
	for _, s := range list {
		if s.TokenHash == token {
			return s
		}
	}
	db.Fatal("the session is not listed")
	return account.Session{}
}

func finds(db *testDB, p *postgres.DB, token string) bool {
	db.Helper()
	data, found, err := p.Sessions.FindCtx(db.Context(), token)
	db.must(err)
	if found != (len(data) > 0) {
		db.Errorf("found: %v, with %q", found, data)
	}
	return found
}

func TestSessions_EndAtOnce(t *testing.T) {
	t.Parallel()
	db := newDB(t)
	p := db.timed()
	service := account.NewService(p.Accounts, p.Keys, db.clock)
	ada := db.signUp(owner, account.Developer)
	by := account.ByAccount(ada.ID)
	month := db.now.AddDate(0, 0, 30)
	for what, end := range map[string]func(account.Session) error{
		"by its owner":    func(s account.Session) error { return service.EndSession(t.Context(), by, s.ID) },
		"with the others": func(account.Session) error { _, err := service.EndSessions(t.Context(), by, ada.ID, ""); return err },
		"by its browser":  func(s account.Session) error { return p.Sessions.DeleteCtx(t.Context(), s.TokenHash) },
		"when it is over": func(account.Session) error { db.now = month; return nil },
	} {
		now, token := db.now, "hash of "+what
		s := db.startSession(p, ada.ID, token, month)
		if !finds(db, p, token) {
			t.Errorf("%s: it is not there", what)
		}
		db.must(end(s))
		if finds(db, p, token) {
			t.Errorf("%s: it goes on", what)
		}
		list, err := service.Sessions(t.Context(), by, ada.ID)
		db.must(err)
		for _, listed := range list {
			if listed.ID == s.ID {
				t.Errorf("%s: it is listed", what)
			}
		}
		wantError(t, what+", again", service.EndSession(t.Context(), by, s.ID), account.ErrNoSession)
		if what != "when it is over" { // a request that was under way stores what it read before
			err := p.Sessions.CommitCtx(t.Context(), token, []byte(`{"account":"`+ada.ID+`"}`), month)
			wantError(t, what+", stored again", err, account.ErrNoSession)
			if finds(db, p, token) {
				t.Errorf("%s: it is back", what)
			}
		}
		db.now = now
	}
	db.startSession(p, ada.ID, "last", month)
	db.deleteAccount(owner)
	if finds(db, p, "last") {
		t.Error("a session outlives its account")
	}
	wantEqual(t, "sessions of a deleted account", db.count(`sessions`), 0)
	err := p.Sessions.CommitCtx(t.Context(), "t", []byte(`{"account":"`+ada.ID+`"}`), month)
	wantError(t, "a session of a deleted account", err, account.ErrNoSession)
	err = p.Sessions.CommitCtx(t.Context(), "t", []byte(`{}`), month)
	wantError(t, "a session of nobody", err, account.ErrNoSession)
	if err := p.Sessions.CommitCtx(t.Context(), "t", []byte("gob"), month); err == nil {
		t.Error("data that is no JSON")
	}
}

// An account that is deleted while somebody signs in to it leaves no session.
func TestSessions_DuringDeletion(t *testing.T) {
	t.Parallel()
	db := newDB(t)
	ada := db.signUp(owner, account.Developer)
	err := db.during(`UPDATE accounts SET email = NULL, deleted_at = now()`, func() error {
		return db.Sessions.CommitCtx(t.Context(), "t", []byte(`{"account":"`+ada.ID+`"}`), db.now.AddDate(1, 0, 0))
	})
	wantError(t, "a session of a deleted account", err, account.ErrNoSession)
}

// A session is written when it changes, and once a day besides.
func TestSessions_WriteOnceADay(t *testing.T) {
	t.Parallel()
	db := newDB(t)
	p := db.timed()
	ada := db.signUp(owner, account.Developer)
	s := db.startSession(p, ada.ID, "t", db.now.AddDate(0, 0, 30))
	wantEqual(t, "seen on", s.SeenOn.Format(time.DateOnly), "2026-03-01")
	version := func() string { return ask[string](db, `SELECT xmin::text || ctid::text FROM sessions`)[0] }
	for _, day := range []string{"2026-03-01", "2026-03-02", "2026-03-02", "2026-03-05"} {
		at, err := time.Parse(time.DateOnly, day)
		db.must(err)
		db.now = at.Add(23 * time.Hour)
		finds(db, p, "t")
		before := version()
		for range 3 {
			finds(db, p, "t")
		}
		wantEqual(t, "the row after more requests on "+day, version(), before)
		wantSame(t, "seen on", ask[string](db, `SELECT seen_on::text FROM sessions`), []string{day})
	}
	// Rows go when they are over, an hour after an end.
	db.startSession(p, ada.ID, "u", db.now.AddDate(0, 0, 30))
	db.must(p.Sessions.DeleteCtx(t.Context(), "u"))
	for _, tt := range []struct {
		later time.Duration
		left  int
	}{{59 * time.Minute, 2}, {2 * time.Minute, 1}, {30 * 24 * time.Hour, 0}} {
		db.now = db.now.Add(tt.later)
		_, err := p.Sessions.Prune(t.Context(), 10)
		db.must(err)
		wantEqual(t, "rows left", db.count(`sessions`), tt.left)
	}
}

// A request that stores a session and one that ends it take their locks in the same order, so that neither
// is the victim of a deadlock.
func TestSessions_EndedWhileStored(t *testing.T) {
	t.Parallel()
	db := newDB(t)
	ada := db.signUp(owner, account.Developer)
	for what, end := range map[string]func(account.Session) error{
		"by its owner": func(s account.Session) error {
			return db.Accounts.EndSession(t.Context(), account.ByAccount(ada.ID), s.ID, db.now)
		},
		"by its browser": func(s account.Session) error { return db.Sessions.DeleteCtx(t.Context(), s.TokenHash) },
	} {
		s := db.startSession(db.DB, ada.ID, "hash of "+what, db.now.AddDate(10, 0, 0))
		tx, err := db.conn().Begin(t.Context())
		db.must(err)
		_, err = tx.Exec(t.Context(), `SELECT FROM accounts FOR SHARE`) // as CommitCtx begins
		db.must(err)
		ended := make(chan error, 1)
		go func() { ended <- end(s) }()
		testkit.EventuallyTrue(t, "the end waits", func() bool {
			return db.count(`pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`) > 0
		})
		if _, err := tx.Exec(t.Context(), `UPDATE sessions SET data = data WHERE id = $1`, s.ID); err != nil {
			t.Errorf("%s: storing it: %v", what, err)
		}
		db.must(tx.Commit(t.Context()))
		if err := <-ended; err != nil {
			t.Errorf("%s: %v", what, err)
		}
	}
}

// scs works on the store: a session begins, is read, gets another token and ends. The database
// holds no token, and the owner recognises the session.
func TestSessions_WithSCS(t *testing.T) {
	t.Parallel()
	db := newDB(t)
	ada := db.signUp(owner, account.Developer)
	manager := &scs.SessionManager{ // scs.New would also start a store in memory, which never ends
		Lifetime: 30 * 24 * time.Hour, Store: db.Sessions, Codec: flatJSON{}, HashTokenInStore: true,
		Cookie:    scs.SessionCookie{Name: "session", Path: "/", Persist: true},
		ErrorFunc: func(_ http.ResponseWriter, _ *http.Request, err error) { t.Error(err) },
	}
	serve := func(cookie *http.Cookie, do func(context.Context)) *http.Cookie {
		t.Helper()
		r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/", nil)
		if cookie != nil {
			r.AddCookie(cookie)
		}
		w := httptest.NewRecorder()
		manager.LoadAndSave(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { do(r.Context()) })).ServeHTTP(w, r)
		for _, c := range w.Result().Cookies() {
			return c
		}
		return cookie
	}
	who := func(cookie *http.Cookie) (id string) {
		t.Helper()
		serve(cookie, func(ctx context.Context) { id = manager.GetString(ctx, "account") })
		return id
	}
	first := serve(nil, func(ctx context.Context) {
		manager.Put(ctx, "account", ada.ID)
		manager.Put(ctx, "browser", "Chromium, macOS")
	})
	wantEqual(t, "the account", who(first), ada.ID)
	if first == nil {
		t.Fatal("no cookie")
	}
	second := serve(first, func(ctx context.Context) { db.must(manager.RenewToken(ctx)) })
	wantEqual(t, "with the old token", who(first), "")
	wantEqual(t, "with the new one", who(second), ada.ID)
	if strings.Contains(db.dump(), second.Value) {
		t.Error("the database holds a token")
	}
	list, err := db.Accounts.Sessions(t.Context(), account.ByAccount(ada.ID), ada.ID, time.Now())
	db.must(err)
	if len(list) != 1 || !list[0].Is(second.Value) || list[0].Is(first.Value) || list[0].Browser != "Chromium, macOS" {
		t.Errorf("the sessions: %+v", list)
	}
	serve(second, func(ctx context.Context) { db.must(manager.Destroy(ctx)) })
	wantEqual(t, "after the end", who(second), "")
}
