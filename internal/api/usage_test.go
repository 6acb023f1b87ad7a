package api_test

import (
	"context"
	"log/slog"
	"net/http"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/api"
	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/live"
	"github.com/palmares-hq/palmares/internal/pgtest"
	"github.com/palmares-hq/palmares/internal/quota"
	"github.com/palmares-hq/palmares/internal/redistest"
)

// usageOn counts usage in the Redis of that URL; tests add to it by Flush.
func usageOn(t testing.TB, url string, now func() time.Time) *quota.Usage {
	t.Helper()
	store, err := quota.NewRedis(url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(store.Close)
	connect(t, store)
	return quota.NewUsage(quota.UsageOptions{Store: store, Logger: slog.New(slog.DiscardHandler), Now: now})
}

// A usage is the body of GET /api/v1/usage.
type usage struct {
	Plan      string
	Limit     *int
	Used      int
	Remaining *int
	Reset     string
	Days      []usageDay
	Keys      []struct {
		ID   string
		Name *string
		Days []usageDay
	}
}

type usageDay struct {
	Date     string
	Requests int
}

// readUsage gives the usage as it is, not as it was up to a second ago.
func (s *site) readUsage(t testing.TB, h holder) (u usage) {
	t.Helper()
	s.clock.advance(time.Second)
	s.get(t, "/api/v1/usage", h.bearer()...).wantStatus(t, http.StatusOK).into(t, &u)
	return u
}

func number(n *int) string {
	if n == nil {
		return "null"
	}
	return strconv.Itoa(*n)
}

// countedSite is a site whose usage is counted.
func countedSite(t testing.TB, url, redis string) (*site, *quota.Usage) {
	t.Helper()
	s := newSiteOn(t, url, live.KeysOptions{})
	u := usageOn(t, redis, s.clock.now)
	s.handler = handler(t, api.Options{Catalog: s.shelf, Callers: s.keyring, Meter: s.meter, Now: s.clock.now, Usage: u, KeyNames: s.db})
	return s, u
}

// What each plan is shown, over two days, two keys and a change of plan.
func TestUsage(t *testing.T) {
	t.Parallel()
	s, counted := countedSite(t, pgtest.Migrated(t), redistest.URL(t))
	for _, plan := range []account.Plan{account.Developer, account.Pro} {
		first := sign(t, s.db, plan)
		second := another(t, s.db, first.account)
		unused := another(t, s.db, first.account)
		ask := func(h holder, target string, n int, headers ...string) {
			t.Helper()
			for range n {
				s.get(t, target, slices.Concat(h.bearer(), headers)...)
			}
		}
		yesterday := s.clock.now().Format(time.DateOnly)
		ask(first, "/api/v1/stats", 3)
		s.clock.advance(24 * time.Hour)
		today := s.clock.now().Format(time.DateOnly)
		ask(first, "/api/v1/stats", 5)
		ask(first, "/api/v1/tools/nope", 1)
		ask(second, keyedRoute, 4)
		for _, free := range []string{"/api/v1/usage", "/api/v1/tools?page=0", "/api/v1/openapi.json", "/nope"} {
			ask(second, free, 2)
		}
		ask(second, "/api/v1/stats", 2, "If-None-Match", s.get(t, "/api/v1/stats").header.Get("ETag"))
		if err := counted.Flush(t.Context()); err != nil {
			t.Fatal(err)
		}
		if err := s.db.RevokeKey(t.Context(), account.Operator(), second.info.ID, time.Now()); err != nil {
			t.Fatal(err)
		}
		got := s.readUsage(t, first)
		limit, left := "1000", "990"
		if plan == account.Pro {
			limit, left = "null", "null"
		}
		if got.Plan != plan.String() || number(got.Limit) != limit || number(got.Remaining) != left || got.Used != 10 ||
			got.Reset != s.clock.midnight().Format(time.RFC3339) || len(got.Days) != 30 || len(got.Keys) != 3 {
			t.Fatalf("%v: %+v", plan, got)
		}
		check := func(what string, days []usageDay, wants ...int) {
			t.Helper()
			if len(days) != 30 || days[0] != (usageDay{today, wants[0]}) || days[1] != (usageDay{yesterday, wants[1]}) {
				t.Errorf("%v, %s: %+v, want %v", plan, what, days[:2], wants)
			}
			for _, d := range days[2:] {
				if d.Requests != 0 {
					t.Errorf("%v, %s: %+v", plan, what, d)
				}
			}
		}
		check("the account", got.Days, 10, 3)
		for i, want := range []struct {
			id    string
			wants []int
		}{{first.info.ID, []int{6, 3}}, {unused.info.ID, []int{0, 0}}, {second.info.ID, []int{4, 0}}} {
			if k := got.Keys[i]; k.ID != want.id || k.Name == nil || *k.Name != "test" {
				t.Errorf("%v: key %d is %+v", plan, i, k)
			} else {
				check("key "+strconv.Itoa(i), k.Days, want.wants...)
			}
		}
	}
}

// It is for the holders of a key, free, there before the first edition and beyond the
// quota, and says where they stand.
func TestUsage_Terms(t *testing.T) {
	t.Parallel()
	s, _ := countedSite(t, pgtest.Migrated(t), redistest.URL(t))
	h, pro := sign(t, s.db, account.Developer), sign(t, s.db, account.Pro)
	s.get(t, "/api/v1/usage").wantStatus(t, http.StatusUnauthorized).wantHeader(t, "WWW-Authenticate", `Bearer realm="palmares"`)
	s.get(t, "/api/v1/usage", "Authorization", "Bearer no").wantStatus(t, http.StatusUnauthorized)
	s.spend(t, h, 999)
	for _, left := range []string{"1", "0"} {
		got := s.get(t, "/api/v1/usage", h.bearer()...).wantStatus(t, http.StatusOK)
		got.wantHeader(t, "X-RateLimit-Remaining", left)
		got.wantHeader(t, "X-RateLimit-Tier", "free")
		got.wantHeader(t, "Cache-Control", "private, no-cache")
		if u := s.readUsage(t, h); number(u.Remaining) != left {
			t.Errorf("%s remaining, want %s", number(u.Remaining), left)
		}
		tag := s.get(t, "/api/v1/usage", h.bearer()...).header.Get("ETag")
		s.get(t, "/api/v1/usage", append(h.bearer(), "If-None-Match", tag)...).wantStatus(t, http.StatusNotModified)
		s.from(t, home, http.MethodHead, "/api/v1/usage", h.bearer()...).wantStatus(t, http.StatusOK)
		s.get(t, "/api/v1/stats", h.bearer()...)
	}
	s.get(t, "/api/v1/usage", pro.bearer()...).wantStatus(t, http.StatusOK).wantHeader(t, "X-RateLimit-Remaining", "")
	s.shelf.Store(catalog.Empty())
	s.get(t, "/api/v1/usage", h.bearer()...).wantStatus(t, http.StatusOK)
}

// namesOf counts how often the names of an account's keys are read.
type namesOf struct {
	api.KeyNames
	read *atomic.Int64
}

func (n namesOf) AccountKeys(ctx context.Context, id string) ([]account.KeyInfo, error) {
	n.read.Add(1)
	return n.KeyNames.AccountKeys(ctx, id)
}

// However often it is asked for, an account's usage is read once a second.
func TestUsage_ReadOnceASecond(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	var read atomic.Int64
	s.handler = handler(t, api.Options{
		Catalog: s.shelf, Callers: s.keyring, Meter: s.meter, Now: s.clock.now,
		Usage: usageOn(t, redistest.URL(t), s.clock.now), KeyNames: namesOf{s.db, &read},
	})
	h, other := sign(t, s.db, account.Developer), sign(t, s.db, account.Pro)
	for second := range int64(3) {
		var wg sync.WaitGroup
		for range 20 {
			wg.Go(func() {
				for _, who := range []holder{h, other} {
					if got, err := s.ask(t.Context(), home, http.MethodGet, "/api/v1/usage", who.bearer()...); err != nil || got.status != http.StatusOK {
						t.Errorf("%d, %v", got.status, err)
					}
				}
			})
		}
		wg.Wait()
		s.clock.advance(time.Second - time.Nanosecond)
		s.get(t, "/api/v1/usage", h.bearer()...)
		if n := read.Load(); n != 2*(second+1) {
			t.Errorf("read %d times in %d seconds", n, second+1)
		}
		s.clock.advance(time.Nanosecond)
	}
}

// Without PostgreSQL the keys have no names; without Redis there is nothing to tell.
func TestUsage_WithoutItsEngines(t *testing.T) {
	t.Parallel()
	database, redis := pgtest.NewServer(t), redistest.NewServer(t)
	s, counted := countedSite(t, database.URL(), redis.URL())
	h := sign(t, s.db, account.Pro)
	s.get(t, "/api/v1/stats", h.bearer()...).wantStatus(t, http.StatusOK)
	if err := counted.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := s.readUsage(t, h); len(got.Keys) != 1 || got.Keys[0].Name == nil {
		t.Errorf("%+v", got.Keys)
	}
	database.Stop()
	if got := s.readUsage(t, h); len(got.Keys) != 1 || got.Keys[0].ID != h.info.ID || got.Keys[0].Name != nil || got.Used != 1 {
		t.Errorf("%+v", got.Keys)
	}
	redis.Kill()
	s.clock.advance(time.Second)
	got := s.get(t, "/api/v1/usage", h.bearer()...)
	got.wantError(t, http.StatusServiceUnavailable, "usage cannot be read at the moment: try again shortly")
	got.wantHeader(t, "Retry-After", "5")
	s.get(t, "/api/v1/stats", h.bearer()...).wantStatus(t, http.StatusOK) // counting waits for nobody
}
