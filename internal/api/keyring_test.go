package api_test

import (
	"context"
	"errors"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/live"
	"github.com/palmares-hq/palmares/internal/pgtest"
)

// slowFeed is the database with answers about the last change that can be held back.
type slowFeed struct {
	live.KeyFeed
	slow *slow
}

type slow struct {
	asked  chan struct{} // told when an answer is being held
	answer chan struct{} // lets it go
}

func (f slowFeed) Latest(ctx context.Context, have account.Change) (account.Change, bool, error) {
	latest, follows, err := f.KeyFeed.Latest(ctx, have)
	select {
	case f.slow.asked <- struct{}{}:
		<-f.slow.answer
	default: // nobody holds it back
	}
	return latest, follows, err
}

// newSlow makes a site whose database is slow to whoever receives from asked.
func newSlow(t *testing.T) (*site, *slow) {
	t.Helper()
	url, x := pgtest.Migrated(t), &slow{make(chan struct{}), make(chan struct{})}
	db := openDB(t, url)
	return newSiteOn(t, url, live.KeysOptions{Open: func(ctx context.Context) (live.KeyFeed, error) {
		feed, err := db.KeyFeed(ctx)
		return slowFeed{feed, x}, err
	}, Poll: time.Hour}), x
}

// Requests that show keys which are not held share a look at the database; no key is
// looked up by itself.
func TestKeyring_UnknownKeysShareALook(t *testing.T) {
	t.Parallel()
	s, slow := newSlow(t)
	good := sign(t, s.db, account.Pro)
	s.sync(t)
	looks := s.looks.Load()
	var wg sync.WaitGroup
	ask := func() {
		wg.Go(func() {
			got, err := s.ask(t.Context(), home, http.MethodGet, keyedRoute, "Authorization", "Bearer "+account.NewKey().Reveal())
			if err != nil || got.status != http.StatusUnauthorized {
				t.Errorf("status %d, %v", got.status, err)
			}
		})
	}
	ask()
	<-slow.asked
	for range 99 { // their look begins when this one has ended
		ask()
	}
	for range 100 { // those that are held wait for nobody
		s.get(t, keyedRoute, good.bearer()...).wantStatus(t, http.StatusOK)
	}
	time.Sleep(100 * time.Millisecond) // for the others to come
	close(slow.answer)
	wg.Wait()
	if n := s.looks.Load() - looks; n < 1 || n > 5 {
		t.Errorf("%d looks at the database for 100 keys", n)
	}
}

// An address that is out of quota gets its 429 before anybody looks for its key, where
// it would be charged.
func TestKeyring_NoLookForAnAddressOutOfQuota(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	held := sign(t, s.db, account.Developer)
	s.sync(t)
	s.exhaust(t, home)
	s.get(t, "/api/v1/stats").wantStatus(t, http.StatusTooManyRequests)
	looks := s.looks.Load()
	for range 20 {
		got := s.get(t, "/api/v1/stats", "Authorization", "Bearer "+account.NewKey().Reveal())
		got.wantError(t, http.StatusTooManyRequests, anonymousOver)
		got.wantHeader(t, "WWW-Authenticate", "")
	}
	if n := s.looks.Load() - looks; n != 0 {
		t.Errorf("%d looks at the database", n)
	}
	s.get(t, "/api/v1/stats", held.bearer()...).wantStatus(t, http.StatusOK) // a good key is not its address's
	s.get(t, "/api/v1/openapi.json", "Authorization", "Bearer "+account.NewKey().Reveal()).wantStatus(t, http.StatusUnauthorized)
}

// A key works from the moment on at which it was given out, on every node; also one that
// was asked for before it was good.
func TestKeyring_KeyThatBecomesGood(t *testing.T) {
	t.Parallel()
	url := pgtest.Migrated(t)
	sites := []*site{newSiteOn(t, url, live.KeysOptions{}), newSiteOn(t, url, live.KeysOptions{Poll: time.Hour})}
	for range 30 {
		h := sign(t, sites[0].db, account.Developer)
		for _, s := range sites {
			s.get(t, "/api/v1/stats", h.bearer()...).wantStatus(t, http.StatusOK)
		}
		sites[0].sql(t, `UPDATE keys SET revoked_at = now() WHERE id = $1`, h.info.ID)
		for _, s := range sites {
			s.sync(t)
			s.get(t, "/api/v1/openapi.json", h.bearer()...).wantStatus(t, http.StatusUnauthorized)
		}
		// What no operation does: it makes a bad key good.
		sites[0].sql(t, `UPDATE keys SET revoked_at = NULL WHERE id = $1`, h.info.ID)
		for _, s := range sites {
			s.get(t, "/api/v1/stats", h.bearer()...).wantStatus(t, http.StatusOK)
		}
	}
}

// While PostgreSQL is down every key that was good goes on working; of the others nobody
// knows that they are bad.
func TestDecided_UnknownKeyWhilePostgresIsUnreachable(t *testing.T) {
	t.Parallel()
	server := pgtest.NewServer(t)
	s := newSiteOn(t, server.URL(), live.KeysOptions{})
	known, other := sign(t, s.db, account.Developer), sign(t, s.db, account.Pro)
	s.get(t, keyedRoute, known.bearer()...).wantStatus(t, http.StatusOK)
	never := holder{key: account.NewKey()}
	s.get(t, keyedRoute, never.bearer()...).wantStatus(t, http.StatusUnauthorized)

	server.Stop()
	for _, target := range []string{"/api/v1/stats", keyedRoute, "/api/nope", "/api/v1/openapi.json"} {
		cost := s.cost(t, home, nil, func() {
			got := s.get(t, target, never.bearer()...)
			got.wantError(t, http.StatusServiceUnavailable, "the API key cannot be verified at the moment: try again shortly")
			got.wantHeader(t, "Retry-After", "5")
			got.wantHeader(t, "WWW-Authenticate", "")
		})
		if cost != 0 {
			t.Errorf("%s: a 503 costs %d", target, cost)
		}
	}
	for _, h := range []holder{known, other} { // the other for the first time
		s.get(t, keyedRoute, h.bearer()...).wantStatus(t, http.StatusOK)
	}
	s.get(t, "/api/v1/stats").wantStatus(t, http.StatusOK)
	s.get(t, "/api/v1/stats", "Authorization", "Bearer plm_no").wantStatus(t, http.StatusUnauthorized) // no look is needed to tell
	if err := s.keys.Flush(t.Context()); err == nil {
		t.Error("a flush to nowhere was no error")
	}

	server.Start()
	s.get(t, keyedRoute, never.bearer()...).wantStatus(t, http.StatusUnauthorized)
	s.get(t, keyedRoute, other.bearer()...).wantStatus(t, http.StatusOK)
	// What could not be written while it was down is written now.
	if err := s.keys.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, h := range []holder{known, other} {
		if day, _ := s.used(t, h); day != s.clock.now().Format(time.DateOnly) {
			t.Errorf("last used %q", day)
		}
	}
}

// used is the day on which a key was last used, and the transaction that wrote it.
func (s *site) used(t testing.TB, h holder) (day, version string) {
	t.Helper()
	keys, err := pgtest.ByEmail(s.db).Keys(t.Context(), h.account.Email)
	if err != nil {
		t.Fatal(err)
	}
	if !keys[0].LastUsed.IsZero() {
		day = keys[0].LastUsed.Format(time.DateOnly)
	}
	return day, s.query(t, `SELECT xmin::text FROM keys WHERE id = $1`, h.info.ID)
}

func TestKeyring_LastUsedIsWrittenOnceADay(t *testing.T) {
	t.Parallel()
	url := pgtest.Migrated(t)
	db := openDB(t, url)
	var touched []string
	s := newSiteOn(t, url, live.KeysOptions{Touch: func(ctx context.Context, ids []string, day time.Time) error {
		touched = append(touched, ids...)
		return db.TouchKeys(ctx, ids, day)
	}})
	h, idle := sign(t, s.db, account.Developer), sign(t, s.db, account.Developer)
	flush := func() {
		t.Helper()
		if err := s.keys.Flush(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	var last string
	for i := range 3 { // days
		for range 3 {
			s.get(t, "/api/v1/stats", h.bearer()...).wantStatus(t, http.StatusOK)
			flush()
			another(t, s.db, idle.account) // a change beside it is no use of it
			s.sql(t, `UPDATE keys SET revoked_at = now() WHERE account_id = $1 AND id <> $2`, idle.account.ID, idle.info.ID)
			s.sync(t)
		}
		if len(touched) != i+1 {
			t.Errorf("on day %d: %d writes", i, len(touched))
		}
		day, version := s.used(t, h)
		if want := s.clock.now().Format(time.DateOnly); day != want || version == last {
			t.Errorf("last used %s, want %s", day, want)
		}
		last = version
		s.clock.set(s.clock.midnight())
	}
	s.clock.advance(-1)

	// Another node, or this one after a restart, writes nothing new.
	again := newSiteOn(t, url, live.KeysOptions{})
	again.clock.set(s.clock.now())
	if _, err := again.identify(t, t.Context(), h); err != nil {
		t.Fatal(err)
	}
	if err := again.keys.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, version := s.used(t, h); version != last {
		t.Error("the row was written twice in a day")
	}
	if day, _ := s.used(t, idle); day != "" {
		t.Errorf("a key that nobody used was last used %s", day)
	}
}

// A client that hangs up is no failure of the database: 499 in the log, not 503.
func TestKeyring_ClientGone(t *testing.T) {
	t.Parallel()
	s, slow := newSlow(t)
	ctx, hangUp := context.WithCancel(t.Context())
	done := make(chan error)
	go func() {
		_, err := s.identify(t, ctx, holder{key: account.NewKey()})
		done <- err
	}()
	<-slow.asked
	hangUp()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Errorf("%v, want %v", err, context.Canceled)
	}
	close(slow.answer)
	s.get(t, "/api/v1/stats", sign(t, s.db, account.Pro).bearer()...).wantStatus(t, http.StatusOK)
}
