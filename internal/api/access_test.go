package api_test

import (
	"context"
	"crypto/rand"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/api"
	"github.com/palmares-hq/palmares/internal/live"
	"github.com/palmares-hq/palmares/internal/pgtest"
	"github.com/palmares-hq/palmares/internal/postgres"
	"github.com/palmares-hq/palmares/internal/quota"
	"github.com/palmares-hq/palmares/internal/redistest"
)

// A clock stands still until it is moved.
type clock struct{ ns atomic.Int64 }

// noon stops a clock at noon, tomorrow: Redis, which has its own time, would drop
// at once what expires in its past.
func noon() *clock {
	day := time.Now().UTC().Truncate(24*time.Hour).AddDate(0, 0, 1)
	c := new(clock)
	c.set(day.Add(12 * time.Hour))
	return c
}

func (c *clock) set(t time.Time)         { c.ns.Store(t.UnixNano()) }
func (c *clock) advance(d time.Duration) { c.ns.Add(int64(d)) }
func (c *clock) now() time.Time          { return time.Unix(0, c.ns.Load()).UTC() }

// midnight is the next one.
func (c *clock) midnight() time.Time { return c.now().Truncate(24*time.Hour).AddDate(0, 0, 1) }

// patient is Redis without the deadline that a node gives it: a test machine that
// is busy must not pass for a Redis that is gone.
type patient struct{ *quota.Redis }

func (p patient) Add(ctx context.Context, key string, expires time.Time, first bool) (int, error) {
	return p.Redis.Add(context.WithoutCancel(ctx), key, expires, first)
}

func (p patient) Count(ctx context.Context, key string) (int, error) {
	return p.Redis.Count(context.WithoutCancel(ctx), key)
}

// meter counts in the Redis of that URL, as one node of those that share the secret.
func meter(t testing.TB, url, secret string, now func() time.Time) *quota.Meter {
	t.Helper()
	counter, err := quota.NewRedis(url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(counter.Close)
	connect(t, counter)
	return quota.New(quota.Options{
		Counter: patient{counter}, Secret: []byte(secret), Logger: slog.New(slog.DiscardHandler), Now: now,
		Observe: func(shared bool, _ time.Duration) {
			if !shared {
				t.Error("a charge did not reach Redis")
			}
		},
	})
}

// connect makes all connections, to each server of a cluster, before they are
// needed: on a busy machine one may take longer than a node waits for it.
func connect(t testing.TB, counter *quota.Redis) {
	t.Helper()
	deadline := time.Now().Add(20 * time.Second)
	retry := func(f func() error) {
		t.Helper()
		for err := f(); err != nil; err = f() {
			if time.Now().After(deadline) {
				t.Fatal(err)
			}
			time.Sleep(20 * time.Millisecond)
		}
	}
	retry(func() error { return counter.Ping(context.Background()) })
	for range 30 { // keys fall on servers at random
		retry(func() error {
			_, err := counter.Add(context.Background(), "palmares:test:"+rand.Text(), time.Now().Add(time.Minute), true)
			return err
		})
	}
}

// localMeter counts without Redis.
func localMeter(testing.TB) *quota.Meter {
	return quota.New(quota.Options{Secret: []byte(rand.Text()), Logger: slog.New(slog.DiscardHandler)})
}

// A site is an API on real engines: a database of the test's own, the shared Redis
// under a secret of its own, the fixture catalog, and a clock that stands still.
type site struct {
	url      string
	db       *postgres.DB
	clock    *clock
	keys     *live.Keys
	stopKeys func() // from following the database
	keyring  *api.Keyring
	meter    *quota.Meter
	shelf    *shelf
	handler  http.Handler
	contract *contract
	looks    atomic.Int64 // at the database, because of keys that are not held
}

func newSite(t testing.TB) *site {
	t.Helper()
	return newSiteOn(t, pgtest.Migrated(t), live.KeysOptions{})
}

// newSiteOn makes a site on a database that is there.
func newSiteOn(t testing.TB, url string, o live.KeysOptions) *site {
	t.Helper()
	s := &site{url: url, clock: noon(), shelf: shelve(fixture(t)), contract: loadContract(t)}
	s.db = openDB(t, url)
	o.Now, o.Refreshed = s.clock.now, func() { s.looks.Add(1) }
	s.keys, s.stopKeys = holdKeys(t, s.db, o)
	s.keyring = api.NewKeyring(s.keys)
	s.meter = meter(t, redistest.URL(t), rand.Text(), s.clock.now)
	s.handler = handler(t, api.Options{Catalog: s.shelf, Callers: s.keyring, Meter: s.meter, Now: s.clock.now})
	return s
}

// holdKeys follows the keys of the database until the test ends, as a node does but for
// a pause between the looks that requests ask for.
func holdKeys(t testing.TB, db *postgres.DB, o live.KeysOptions) (keys *live.Keys, stop func()) {
	t.Helper()
	if o.Open == nil {
		o.Open = func(ctx context.Context) (live.KeyFeed, error) {
			feed, err := db.KeyFeed(ctx)
			if err != nil {
				return nil, err
			}
			return feed, nil
		}
	}
	if o.Touch == nil {
		o.Touch = db.TouchKeys
	}
	if o.RefreshEvery == 0 {
		o.RefreshEvery = time.Microsecond
	}
	if o.RefreshTimeout == 0 { // a busy machine must not pass for a database that is gone
		o.RefreshTimeout = 20 * time.Second
	}
	o.Logger = slog.New(slog.DiscardHandler)
	keys = live.NewKeys(o)
	ctx, cancel := context.WithCancel(context.Background())
	var wg sync.WaitGroup
	wg.Go(func() { keys.Run(ctx) })
	stop = func() { cancel(); wg.Wait() }
	t.Cleanup(stop)
	for deadline := time.Now().Add(20 * time.Second); keys.Ready() != nil; time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal(keys.Ready())
		}
	}
	return keys, stop
}

// sync brings the keys up to date.
func (s *site) sync(t testing.TB) {
	t.Helper()
	if err := s.keys.Refresh(t.Context(), account.Hash{}); err != nil {
		t.Fatal(err)
	}
}

// identify asks the keyring alone, which is cheaper than a request.
func (s *site) identify(t testing.TB, ctx context.Context, h holder) (api.Caller, error) { //nolint:revive // as for all helpers
	t.Helper()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, "/", http.NoBody)
	if err != nil {
		t.Error(err)
		return api.Caller{}, err
	}
	r.Header.Set("Authorization", "Bearer "+h.key.Reveal())
	c, err := s.keyring.Identify(r)
	if u := new(api.UnverifiedError); errors.As(err, &u) {
		return u.Verify()
	}
	return c, err
}

func openDB(t testing.TB, url string) *postgres.DB {
	t.Helper()
	db, err := postgres.Open(context.Background(), url, postgres.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(db.Close)
	return db
}

// sql runs a statement on the site's database.
func (s *site) sql(t testing.TB, statement string, args ...any) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), s.url)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.Background())
	if _, err := conn.Exec(t.Context(), statement, args...); err != nil {
		t.Fatal(err)
	}
}

// query reads one text from the site's database.
func (s *site) query(t testing.TB, statement string, args ...any) (text string) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), s.url)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.Background())
	if err := conn.QueryRow(t.Context(), statement, args...).Scan(&text); err != nil {
		t.Fatal(err)
	}
	return text
}

// A holder is an account with a key.
type holder struct {
	account account.Account
	key     account.Key
	info    account.KeyInfo
}

// bearer is the header that shows the key.
func (h holder) bearer() []string { return []string{"Authorization", "Bearer " + h.key.Reveal()} }

// sign makes an account with a key.
func sign(t testing.TB, db *postgres.DB, plan account.Plan) holder {
	t.Helper()
	a, err := db.CreateAccount(t.Context(), strings.ToLower(rand.Text())+"@example.org", plan)
	if err != nil {
		t.Fatal(err)
	}
	return another(t, db, a)
}

// another makes a further key of an account.
func another(t testing.TB, db *postgres.DB, a account.Account) holder {
	t.Helper()
	key, info, err := pgtest.ByEmail(db).CreateKey(t.Context(), a.Email, "test")
	if err != nil {
		t.Fatal(err)
	}
	return holder{a, key, info}
}

// home is the address that requests come from unless a test says otherwise.
const home = "192.0.2.1"

// get asks from home, without a network in between.
func (s *site) get(t testing.TB, target string, headers ...string) reply {
	t.Helper()
	return s.from(t, home, http.MethodGet, target, headers...)
}

func (s *site) from(t testing.TB, addr, method, target string, headers ...string) reply {
	t.Helper()
	got, err := s.ask(t.Context(), addr, method, target, headers...)
	if err != nil {
		t.Fatalf("%s %s: %v", method, target, err)
	}
	return got
}

// ask is for goroutines that may not stop the test.
func (s *site) ask(ctx context.Context, addr, method, target string, headers ...string) (reply, error) {
	r := httptest.NewRequestWithContext(ctx, method, target, http.NoBody)
	r.RemoteAddr = addr + ":1234"
	if strings.Contains(addr, ":") {
		r.RemoteAddr = "[" + addr + "]:1234"
	}
	for i := 0; i < len(headers); i += 2 {
		r.Header.Add(headers[i], headers[i+1])
	}
	w := httptest.NewRecorder()
	s.handler.ServeHTTP(w, r)
	response := w.Result()
	defer response.Body.Close()
	return s.contract.read(r, response)
}

// spend takes n requests from an account's quota.
func (s *site) spend(t testing.TB, h holder, n int) {
	t.Helper()
	for range n {
		s.meter.Charge(s.meter.Account(h.account.ID), h.account.Plan.Limits().Daily)
	}
}

// exhaust uses up what an address has.
func (s *site) exhaust(t testing.TB, addr string) {
	t.Helper()
	for range 100 {
		s.from(t, addr, http.MethodGet, "/api/v1/stats").wantStatus(t, http.StatusOK)
	}
}

// cost is by how much a request lowers what is left to its address or account.
func (s *site) cost(t testing.TB, addr string, h *holder, ask func()) int {
	t.Helper()
	left := func() int {
		who, limit := s.meter.Address(netip.MustParseAddr(addr)), 100
		if h != nil {
			who, limit = s.meter.Account(h.account.ID), 1000
		}
		return s.meter.Charge(who, limit).Remaining
	}
	before := left()
	ask()
	return before - left() - 1
}
