package api_test

import (
	"context"
	"fmt"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/api"
	"github.com/palmares-hq/palmares/internal/pgtest"
	"github.com/palmares-hq/palmares/internal/postgres"
)

// slow is the database with an answer that can be held back.
type slow struct {
	*postgres.DB
	asked  chan struct{} // told when an answer is being held
	answer chan struct{} // lets it go
}

func (s *slow) FindKey(ctx context.Context, hash account.Hash) (account.Grant, error) {
	g, err := s.DB.FindKey(ctx, hash)
	s.asked <- struct{}{}
	<-s.answer
	return g, err
}

func newSlow(t *testing.T, url string) *slow {
	t.Helper()
	return &slow{openDB(t, url), make(chan struct{}, 100), make(chan struct{})}
}

// wantLooked checks how many look-ups there have been so far.
func (s *site) wantLooked(t testing.TB, want int64) {
	t.Helper()
	if n := s.looked.Load(); n != want {
		t.Errorf("%d look-ups, want %d", n, want)
	}
}

// sync brings the keyring up to date on a new connection.
func (s *site) sync(t testing.TB) {
	t.Helper()
	feed, err := s.db.Feed(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer feed.Close()
	if err := s.keyring.Sync(t.Context(), feed); err != nil {
		t.Fatal(err)
	}
}

func TestKeyring_ConcurrentLoadsAreOne(t *testing.T) {
	t.Parallel()
	url := pgtest.Migrated(t)
	keys := newSlow(t, url)
	s := newSiteOn(t, url, api.KeyringOptions{Keys: keys})
	good := sign(t, s.db, account.Pro)
	var wg sync.WaitGroup
	for range 100 {
		wg.Go(func() {
			got, err := s.ask(t.Context(), home, http.MethodGet, "/api/v1/stats", good.bearer()...)
			if err != nil || got.status != http.StatusOK {
				t.Errorf("status %d, %v", got.status, err)
			}
		})
	}
	<-keys.asked
	time.Sleep(100 * time.Millisecond) // for the others to come
	close(keys.answer)
	wg.Wait()
	s.wantLooked(t, 1)
}

func TestKeyring_IsBounded(t *testing.T) {
	t.Parallel()
	s := newSiteOn(t, pgtest.Migrated(t), api.KeyringOptions{Most: 10})
	for range 10 {
		first := sign(t, s.db, account.Developer)
		for _, h := range []holder{first, another(t, s.db, first.account), another(t, s.db, first.account)} {
			for range 2 { // the newest is always remembered
				s.get(t, "/api/v1/stats", h.bearer()...).wantStatus(t, http.StatusOK)
			}
		}
	}
	s.wantLooked(t, 30)
	if known, _ := s.keyring.Held(); known != 10 {
		t.Errorf("%d keys remembered, want 10", known)
	}
}

func TestKeyring_UnknownKeysAreCachedBrieflyAndBounded(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	h := handler(t, api.Options{Catalog: s.shelf, Callers: s.keyring})
	ask := func(k account.Key) {
		got, _, _ := s.contract.wire(t, h, "/api/v1/stats", "Authorization: Bearer "+k.Reveal())
		got.wantError(t, http.StatusUnauthorized, badKeyText)
	}
	key := account.NewKey()
	ask(key)
	ask(key)
	s.wantLooked(t, 1)
	s.clock.advance(api.UnknownFor - 1)
	ask(key)
	s.wantLooked(t, 1)
	s.clock.advance(1)
	ask(key)
	s.wantLooked(t, 2)

	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for range api.MostUnknown/4 + 10 {
				r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "/", http.NoBody)
				if err != nil {
					t.Error(err)
					return
				}
				r.Header.Set("Authorization", "Bearer "+account.NewKey().Reveal())
				if _, err := s.keyring.Identify(r); err == nil {
					t.Error("an unknown key was good")
				}
				if _, unknown := s.keyring.Held(); unknown > api.MostUnknown {
					t.Errorf("%d unknown keys are remembered", unknown)
				}
			}
		})
	}
	wg.Wait()
	if _, unknown := s.keyring.Held(); unknown > 100 {
		t.Errorf("%d unknown keys are remembered: they never made room", unknown)
	}
}

// revive is what no operation does: it makes a bad key good, and says so or not.
func (s *site) revive(t testing.TB, h holder, announced bool) {
	t.Helper()
	s.sql(t, `UPDATE keys SET revoked_at = NULL WHERE id = $1`, h.info.ID)
	if announced {
		s.sql(t, `UPDATE current_access SET number = number + 1`)
		s.sync(t)
	}
}

// A key that was asked for before it was good works two seconds later at most, or
// with the next change that is heard of.
func TestKeyring_KeyThatBecomesGood(t *testing.T) {
	t.Parallel()
	for _, announced := range []bool{false, true} {
		s := newSite(t)
		h := sign(t, s.db, account.Developer)
		s.sync(t)
		s.sql(t, `UPDATE keys SET revoked_at = now() WHERE id = $1`, h.info.ID)
		s.get(t, "/api/v1/stats", h.bearer()...).wantStatus(t, http.StatusUnauthorized)
		s.revive(t, h, announced)
		if !announced {
			s.get(t, "/api/v1/stats", h.bearer()...).wantStatus(t, http.StatusUnauthorized)
			s.clock.advance(api.UnknownFor)
		}
		s.get(t, "/api/v1/stats", h.bearer()...).wantStatus(t, http.StatusOK)
	}
}

func TestKeyring_RefusalOvertakenByAChangeIsNotCached(t *testing.T) {
	t.Parallel()
	url := pgtest.Migrated(t)
	keys := newSlow(t, url)
	s := newSiteOn(t, url, api.KeyringOptions{Keys: keys})
	h := sign(t, s.db, account.Developer)
	s.sync(t)
	s.sql(t, `UPDATE keys SET revoked_at = now() WHERE id = $1`, h.info.ID)
	first := make(chan reply)
	go func() {
		got, err := s.ask(t.Context(), home, http.MethodGet, "/api/v1/stats", h.bearer()...)
		if err != nil {
			t.Error(err)
		}
		first <- got
	}()
	<-keys.asked
	s.revive(t, h, true)
	close(keys.answer)
	if got := <-first; got.status != http.StatusUnauthorized {
		t.Errorf("the request that was overtaken: %d", got.status)
	}
	s.get(t, "/api/v1/stats", h.bearer()...).wantStatus(t, http.StatusOK)
}

// The outcome of a look-up that a change overtook is used once and not remembered.
func TestKeyring_LoadOvertakenByAChangeIsNotCached(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*site, holder) error{
		"plan":       func(s *site, h holder) error { return s.db.SetPlan(t.Context(), h.account.Email, account.Pro) },
		"revocation": func(s *site, h holder) error { return s.db.RevokeKey(t.Context(), h.info.ID, time.Now()) },
		"deletion":   func(s *site, h holder) error { return s.db.DeleteAccount(t.Context(), h.account.Email, time.Now()) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			url := pgtest.Migrated(t)
			keys := newSlow(t, url)
			s := newSiteOn(t, url, api.KeyringOptions{Keys: keys})
			h := sign(t, s.db, account.Developer)
			s.sync(t)
			first := make(chan reply)
			go func() {
				got, err := s.ask(t.Context(), home, http.MethodGet, "/api/v1/stats", h.bearer()...)
				if err != nil {
					t.Error(err)
				}
				first <- got
			}()
			<-keys.asked // it has read what was true then
			if err := change(s, h); err != nil {
				t.Fatal(err)
			}
			s.sync(t)
			close(keys.answer)
			if got := <-first; got.status != http.StatusOK {
				t.Errorf("the request that was overtaken: %d", got.status)
			}
			got := s.get(t, "/api/v1/stats", h.bearer()...)
			s.wantLooked(t, 2)
			if name == "plan" {
				got.wantHeader(t, "X-RateLimit-Tier", "pro")
			} else {
				got.wantError(t, http.StatusUnauthorized, badKeyText)
			}
		})
	}
}

func TestKeyring_SyncByNumber(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	a, b := sign(t, s.db, account.Developer), sign(t, s.db, account.Developer)
	ask := func(h holder, tier string, looked int64) {
		t.Helper()
		s.get(t, "/api/v1/stats", h.bearer()...).wantHeader(t, "X-RateLimit-Tier", tier)
		s.wantLooked(t, looked)
	}
	ask(a, "free", 1)
	s.sync(t) // the first time everything is forgotten
	ask(a, "free", 2)
	ask(b, "free", 3)
	s.sync(t) // nothing changed
	ask(a, "free", 3)
	for _, plan := range []account.Plan{account.Developer, account.Pro} { // nobody listened to either
		if err := s.db.SetPlan(t.Context(), a.account.Email, plan); err != nil {
			t.Fatal(err)
		}
	}
	ask(a, "free", 3)
	s.sync(t)
	ask(b, "free", 3) // b did not change
	ask(a, "pro", 4)

	// An older number is an older database: nothing that is remembered counts.
	s.sql(t, `UPDATE accounts SET plan = 'developer', change = 0`)
	s.sql(t, `UPDATE current_access SET number = 1`)
	s.sync(t)
	ask(a, "free", 5)
	ask(b, "free", 6)

	// So many changes that a list would be too long.
	s.sql(t, `UPDATE current_access SET number = number + $1`, api.MostListed+1)
	s.sync(t)
	ask(a, "free", 7)
	ask(b, "free", 8)
	s.sync(t)
	ask(b, "free", 8)
}

// While PostgreSQL is down the keys that a node knows go on working; of the others
// it does not know that they are bad.
func TestDecided_UnknownKeyWhilePostgresIsUnreachable(t *testing.T) {
	t.Parallel()
	server := pgtest.NewServer(t)
	s := newSiteOn(t, server.URL(), api.KeyringOptions{})
	known, other := sign(t, s.db, account.Developer), sign(t, s.db, account.Pro)
	s.get(t, keyedRoute, known.bearer()...).wantStatus(t, http.StatusOK)
	never := holder{key: account.NewKey()}
	s.get(t, keyedRoute, never.bearer()...).wantStatus(t, http.StatusUnauthorized)
	s.clock.advance(api.UnknownFor)

	server.Stop()
	for _, target := range []string{"/api/v1/stats", keyedRoute, "/nope", "/api/v1/openapi.json"} {
		for _, h := range []holder{other, never} {
			cost := s.cost(t, home, nil, func() {
				got := s.get(t, target, h.bearer()...)
				got.wantError(t, http.StatusServiceUnavailable, "the API key cannot be verified at the moment: try again shortly")
				got.wantHeader(t, "Retry-After", "5")
				got.wantHeader(t, "WWW-Authenticate", "")
			})
			if cost != 0 {
				t.Errorf("%s: a 503 costs %d", target, cost)
			}
		}
	}
	s.get(t, keyedRoute, known.bearer()...).wantStatus(t, http.StatusOK)
	s.get(t, "/api/v1/stats").wantStatus(t, http.StatusOK)
	s.get(t, "/api/v1/stats", "Authorization", "Bearer plm_no").wantStatus(t, http.StatusUnauthorized) // no look-up is needed to tell
	if err := s.keyring.Flush(t.Context()); err == nil {
		t.Error("a flush to nowhere was no error")
	}

	server.Start()
	s.get(t, keyedRoute, other.bearer()...).wantStatus(t, http.StatusOK)
	s.get(t, keyedRoute, never.bearer()...).wantStatus(t, http.StatusUnauthorized)
	// What could not be written while it was down is written now.
	if err := s.keyring.Flush(t.Context()); err != nil {
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
	keys, err := s.db.Keys(t.Context(), h.account.Email)
	if err != nil {
		t.Fatal(err)
	}
	if !keys[0].LastUsed.IsZero() {
		day = keys[0].LastUsed.Format(time.DateOnly)
	}
	return day, s.query(t, `SELECT xmin::text FROM keys WHERE id = $1`, h.info.ID)
}

// touches counts how many keys were written down.
type touches struct {
	*postgres.DB
	ids []string
}

func (c *touches) TouchKeys(ctx context.Context, ids []string, day time.Time) error {
	c.ids = append(c.ids, ids...)
	return c.DB.TouchKeys(ctx, ids, day)
}

func TestKeyring_LastUsedIsWrittenOnceADay(t *testing.T) {
	t.Parallel()
	url := pgtest.Migrated(t)
	keys := &touches{DB: openDB(t, url)}
	s := newSiteOn(t, url, api.KeyringOptions{Keys: keys})
	h, idle := sign(t, s.db, account.Developer), sign(t, s.db, account.Developer)
	flush := func() {
		t.Helper()
		if err := s.keyring.Flush(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	var last string
	for i := range 3 { // days
		for range 3 {
			s.get(t, "/api/v1/stats", h.bearer()...).wantStatus(t, http.StatusOK)
			flush()
		}
		if len(keys.ids) != i+1 {
			t.Errorf("on day %d: %d writes", i, len(keys.ids))
		}
		day, version := s.used(t, h)
		if want := s.clock.now().Format(time.DateOnly); day != want || version == last {
			t.Errorf("last used %s, want %s", day, want)
		}
		last = version
		s.clock.set(s.clock.midnight())
	}
	s.clock.advance(-1)

	// Another node, or this one once it has forgotten, writes nothing new.
	again := api.NewKeyring(api.KeyringOptions{Keys: keys, Now: s.clock.now})
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "/", http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+h.key.Reveal())
	if _, err := again.Identify(r); err != nil {
		t.Fatal(err)
	}
	if err := again.Flush(t.Context()); err != nil {
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
	url := pgtest.Migrated(t)
	keys := newSlow(t, url)
	s := newSiteOn(t, url, api.KeyringOptions{Keys: keys})
	h := sign(t, s.db, account.Developer)
	ctx, hangUp := context.WithCancel(t.Context())
	done := make(chan error)
	go func() {
		r, err := http.NewRequestWithContext(ctx, http.MethodGet, "/", http.NoBody)
		if err == nil {
			r.Header.Set("Authorization", "Bearer "+h.key.Reveal())
			_, err = s.keyring.Identify(r)
		}
		done <- err
	}()
	<-keys.asked
	hangUp()
	if err := <-done; fmt.Sprint(err) != context.Canceled.Error() {
		t.Errorf("%v, want %v", err, context.Canceled)
	}
	close(keys.answer)
	// The look-up went on, and its outcome serves the next.
	for deadline := time.Now().Add(5 * time.Second); time.Now().Before(deadline); time.Sleep(time.Millisecond) {
		if known, _ := s.keyring.Held(); known == 1 {
			break
		}
	}
	s.get(t, "/api/v1/stats", h.bearer()...).wantStatus(t, http.StatusOK)
	s.wantLooked(t, 1)
}
