package api_test

import (
	"log/slog"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/api"
	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/pgtest"
	"github.com/palmares-hq/palmares/internal/quota"
	"github.com/palmares-hq/palmares/internal/redistest"
	"github.com/palmares-hq/palmares/internal/web"
)

const (
	anonymousOver = "daily quota of 100 requests reached: it resets at 00:00 UTC; a free API key raises it to 1,000 a day" + whereKeys
	developerOver = "daily quota of 1,000 requests reached: it resets at 00:00 UTC; the Pro plan has no limit; /api/v1/openapi.json says how to get it"
)

// Each kind of answer, with what it costs.
func TestDecided_WhatAQuotaCounts(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	h := sign(t, s.db, account.Developer)
	pro := sign(t, s.db, account.Pro)
	unknown := account.NewKey().Reveal()
	tag := s.get(t, "/api/v1/stats", pro.bearer()...).header.Get("ETag")
	for _, x := range []struct {
		method, target string
		status, cost   int
		headers        []string
	}{
		{"GET", "/api/v1/stats", 200, 1, nil},
		{"GET", "/api/v1/tools?page=9", 200, 1, nil},
		{"HEAD", "/api/v1/stats", 200, 1, nil},
		{"GET", "/api/v1/tools/nope", 404, 1, nil},
		{"HEAD", "/api/v1/tools/nope", 404, 1, nil},
		{"GET", "/api/v1/tools/feu-mort", 404, 1, nil},
		{"GET", "/api/nope", 404, 1, nil},
		{"HEAD", "/api/nope", 404, 1, nil},
		{"GET", "/nope", 404, 0, nil}, // outside the interface
		{"HEAD", "/nope", 404, 0, nil},
		{"GET", "//", 404, 0, nil},
		{"GET", "/", 404, 0, nil},
		{"GET", "/api/v1/tools/nope", 404, 1, []string{"If-None-Match", "*"}},
		{"GET", "/api/v1/stats", 304, 1, []string{"If-None-Match", "*"}}, // it names no answer that the client holds
		{"HEAD", "/api/v1/stats", 304, 1, []string{"If-None-Match", "*"}},
		{"GET", "/api/v1/tools?limit=7", 304, 1, []string{"If-None-Match", " *\t", "Accept-Encoding", "gzip"}},
		{"GET", "/api/v1/stats", 304, 0, []string{"If-None-Match", tag}},
		{"HEAD", "/api/v1/stats", 304, 0, []string{"If-None-Match", `"other", W/` + tag}},
		{"GET", "/api/v1/openapi.json", 304, 0, []string{"If-None-Match", "*"}},
		{"GET", "/api/v1/stats", 200, 1, []string{"If-None-Match", `"other"`}},
		{"GET", "/api/v1/tools?page=0", 400, 0, nil},
		{"GET", "/api/v1/tools?page=0", 400, 0, []string{"If-None-Match", "*"}},
		{"OPTIONS", "/api/v1/stats", 204, 0, nil},
		{"OPTIONS", "/api/nope", 204, 0, nil},
		{"POST", "/api/v1/stats", 405, 0, nil},
		{"POST", "/api/nope", 404, 0, nil},
		{"OPTIONS", "/nope", 404, 0, nil},
		{"GET", "/api/v1/openapi.json", 200, 0, nil},
		{"HEAD", "/api/v1/openapi.json", 200, 0, nil},
	} {
		if got := s.cost(t, home, nil, func() {
			s.from(t, home, x.method, x.target, x.headers...).wantStatus(t, x.status)
		}); got != x.cost {
			t.Errorf("%s %s, anonymous, %d: costs %d, want %d", x.method, x.target, x.status, got, x.cost)
		}
		keyed := slices.Concat(x.headers, h.bearer())
		ask := func() { s.from(t, home, x.method, x.target, keyed...).wantStatus(t, x.status) }
		if got := s.cost(t, home, &h, ask); got != x.cost {
			t.Errorf("%s %s, with a key, %d: costs %d, want %d", x.method, x.target, x.status, got, x.cost)
		}
		if got := s.cost(t, home, nil, ask); got != 0 {
			t.Errorf("%s %s, with a key: costs its address %d", x.method, x.target, got)
		}
		s.clock.set(s.clock.midnight().Add(12 * time.Hour)) // asking what is left costs too
	}
	for _, x := range []struct {
		target, authorization string
		status, cost          int
	}{
		{"/api/v1/stats", "Bearer " + unknown, 401, 1},
		{"/api/v1/stats", "Bearer plm_malformed", 401, 1},
		{"/api/v1/stats", "", 401, 1},
		{"/api/v1/tools?page=0", "Basic dTpw", 401, 1},
		{"/api/nope", "Bearer no", 401, 1},
		{keyedRoute, "Bearer " + unknown, 401, 1},
		{"/api/v1/openapi.json", "Bearer " + unknown, 401, 0},
		{"/api/v1/stats", "Bearer " + pro.key.Reveal(), 200, 0},
		{"/api/nope", "Bearer " + pro.key.Reveal(), 404, 0},
	} {
		if got := s.cost(t, home, nil, func() {
			s.get(t, x.target, "Authorization", x.authorization).wantStatus(t, x.status)
		}); got != x.cost {
			t.Errorf("%s with %q: costs its address %d, want %d", x.target, x.authorization, got, x.cost)
		}
	}
	if got := s.cost(t, home, nil, func() { s.get(t, keyedRoute).wantStatus(t, http.StatusUnauthorized) }); got != 0 {
		t.Errorf("a missing key costs %d", got)
	}
	s.shelf.Store(catalog.Empty())
	for _, headers := range [][]string{nil, h.bearer()} {
		ask := func() { s.get(t, "/api/v1/stats", headers...).wantStatus(t, http.StatusServiceUnavailable) }
		if got := s.cost(t, home, nil, ask) + s.cost(t, home, &h, ask); got != 0 {
			t.Errorf("a 503 costs %d", got)
		}
	}
}

// A fault of ours is not charged, whoever asks.
func TestCharge_FaultsAreFree(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	faulty := callers(func(*http.Request) (api.Caller, error) { return api.Caller{}, http.ErrServerClosed })
	h := handler(t, api.Options{Catalog: s.shelf, Callers: faulty, Meter: s.meter, Now: s.clock.now})
	if got := s.cost(t, home, nil, func() {
		got, _, _ := s.contract.wire(t, h, "/api/v1/stats", "X: y")
		got.wantStatus(t, http.StatusInternalServerError)
	}); got != 0 {
		t.Errorf("a 500 costs %d", got)
	}
}

func TestDecided_BadKeyIsChargedToItsAddress(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	good := sign(t, s.db, account.Developer)
	for i := range 100 {
		key := "Bearer plm_malformed"
		if i%2 == 0 {
			key = "Bearer " + account.NewKey().Reveal()
		}
		s.get(t, "/api/v1/stats", "Authorization", key).wantError(t, http.StatusUnauthorized, badKeyText)
	}
	for _, target := range []string{"/api/v1/stats", "/api/nope", keyedRoute} {
		got := s.get(t, target, "Authorization", "Bearer no")
		got.wantError(t, http.StatusTooManyRequests, anonymousOver)
		got.wantHeader(t, "WWW-Authenticate", "")
		got.wantHeader(t, "X-RateLimit-Tier", "")
	}
	s.get(t, "/api/v1/stats").wantError(t, http.StatusTooManyRequests, anonymousOver) // it is the same quota
	s.get(t, "/api/v1/stats", good.bearer()...).wantStatus(t, http.StatusOK)          // a good key is not its address's
	s.from(t, "192.0.2.2", "GET", "/api/v1/stats", "Authorization", "Bearer no").wantStatus(t, http.StatusUnauthorized)
}

func TestDecided_XRateLimitTier(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	free, pro := sign(t, s.db, account.Developer), sign(t, s.db, account.Pro)
	want := func(got reply, tier, remaining, reset string) {
		t.Helper()
		got.wantHeader(t, "X-RateLimit-Tier", tier)
		got.wantHeader(t, "X-RateLimit-Remaining", remaining)
		got.wantHeader(t, "X-RateLimit-Reset", reset)
	}
	reset := s.clock.now().AddDate(0, 0, 1).Format(time.DateOnly) + "T00:00:00Z"
	for i, target := range []string{"/api/v1/stats", "/api/v1/tools", keyedRoute, "/api/v1/tools/nope", "/api/nope", "/api/embeddings/nope"} {
		want(s.get(t, target, free.bearer()...), "free", strconv.Itoa(999-i), reset)
		want(s.get(t, target, pro.bearer()...), "pro", "", "")
		want(s.get(t, target), "", "", "")
	}
	// Where nothing is counted, what is left is what the counter has: that of all nodes.
	tag := s.get(t, "/api/v1/stats", pro.bearer()...).header.Get("ETag")
	for i, x := range []struct {
		target  string
		status  int
		headers []string
	}{
		{"/api/v1/stats", 304, []string{"If-None-Match", tag}},
		{"/api/v1/tools?page=0", 400, nil},
		{"/api/v1/openapi.json", 200, nil},
		{"/api/v1/openapi.json", 304, []string{"If-None-Match", "*"}},
	} {
		if i == 2 { // another node has charged
			other := meter(t, redistest.URL(t), "another", s.clock.now)
			other.Charge(other.Account(free.account.ID), 1000)
		}
		left := strconv.Itoa(994 - i/2)
		for _, method := range []string{"GET", "HEAD"} {
			want(s.from(t, home, method, x.target, slices.Concat(x.headers, free.bearer())...).wantStatus(t, x.status), "free", left, reset)
			want(s.from(t, home, method, x.target, slices.Concat(x.headers, pro.bearer())...).wantStatus(t, x.status), "pro", "", "")
			want(s.from(t, home, method, x.target, x.headers...), "", "", "")
		}
	}
	want(s.get(t, "/api/v1/stats", free.bearer()...), "free", "992", reset)
	want(s.get(t, "/api/v1/stats", "Authorization", "Bearer no"), "", "", "")
	s.exhaust(t, "192.0.2.9")
	want(s.from(t, "192.0.2.9", "GET", "/api/v1/stats").wantStatus(t, http.StatusTooManyRequests), "", "", "")
}

// A path outside the interface is nobody's: no key is looked at, and nothing is said
// of one.
func TestDecided_PathsOutsideAreNotCharged(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	h := sign(t, s.db, account.Developer)
	for _, target := range []string{"/", "/nope", "//", "/apis", "/API/v1/stats", "//api/v1/stats"} {
		for _, headers := range [][]string{nil, h.bearer(), {"Authorization", "Bearer " + account.NewKey().Reveal()}, {"Authorization", "x"}} {
			got := s.get(t, target, headers...).wantStatus(t, http.StatusNotFound)
			got.wantHeader(t, "X-RateLimit-Tier", "")
			got.wantHeader(t, "Cache-Control", "no-store")
		}
	}
	if n := s.looks.Load(); n != 0 {
		t.Errorf("the keys were brought up to date %d times", n)
	}
	s.exhaust(t, home)
	s.get(t, "/nope").wantStatus(t, http.StatusNotFound)
}

// Without its counter a node does not know what is left, unless it counts alone.
func TestCharge_RemainingWithoutTheCounter(t *testing.T) {
	t.Parallel()
	redis := redistest.NewServer(t)
	s := newSite(t)
	h := sign(t, s.db, account.Developer)
	s.get(t, "/api/v1/stats", h.bearer()...) // the key is known
	counter, err := quota.NewRedis(redis.URL())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(counter.Close)
	connect(t, counter)
	shared := quota.New(quota.Options{Counter: counter, Secret: []byte("x"), Logger: slog.New(slog.DiscardHandler), Now: s.clock.now})
	for _, x := range []struct {
		meter   *quota.Meter
		running bool
		left    string
	}{{shared, true, "1000"}, {shared, false, ""}, {localMeter(t), false, "1000"}} {
		if !x.running {
			redis.Kill()
		}
		s.handler = handler(t, api.Options{Catalog: s.shelf, Callers: s.keyring, Meter: x.meter, Now: s.clock.now})
		for range 5 { // more than it takes to open the breaker
			got := s.get(t, "/api/v1/tools?page=0", h.bearer()...).wantStatus(t, http.StatusBadRequest)
			got.wantHeader(t, "X-RateLimit-Tier", "free")
			got.wantHeader(t, "X-RateLimit-Remaining", x.left)
			if got.header.Get("X-RateLimit-Reset") == "" {
				t.Error("no X-RateLimit-Reset")
			}
		}
	}
}

func TestCharge_RemainingCountsDownToZero(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	h := sign(t, s.db, account.Developer)
	for left := 999; left >= 0; left-- {
		got := s.get(t, "/api/v1/stats", h.bearer()...).wantStatus(t, http.StatusOK)
		got.wantHeader(t, "X-RateLimit-Remaining", strconv.Itoa(left))
	}
	s.get(t, "/api/v1/stats", h.bearer()...).wantError(t, http.StatusTooManyRequests, developerOver)
}

func TestDecided_QuotaExceeded(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	h := sign(t, s.db, account.Developer)
	tag := s.get(t, "/api/v1/stats", h.bearer()...).header.Get("ETag")
	s.exhaust(t, home)
	s.spend(t, h, 999)

	for _, x := range []struct {
		headers             []string
		text, tier, left, r string
	}{
		{nil, anonymousOver, "", "", ""},
		{h.bearer(), developerOver, "free", "0", s.clock.midnight().Format(time.RFC3339)},
	} {
		for _, target := range []string{
			"/api/v1/stats", "/api/v1/tools?page=0", "/api/v1/tools/nope", "/api/nope", "/api/v1/tools?limit=3&page=99",
		} {
			got := s.get(t, target, x.headers...)
			got.wantError(t, http.StatusTooManyRequests, x.text)
			got.wantHeader(t, "Cache-Control", "no-store")
			got.wantHeader(t, "Retry-After", "43200")
			got.wantHeader(t, "X-RateLimit-Tier", x.tier)
			got.wantHeader(t, "X-RateLimit-Remaining", x.left)
			got.wantHeader(t, "X-RateLimit-Reset", x.r)
			s.from(t, home, http.MethodHead, target, x.headers...).wantStatus(t, http.StatusTooManyRequests)
		}
		// What the caller holds is still current, and costs nothing to say.
		got := s.get(t, "/api/v1/stats", slices.Concat(x.headers, []string{"If-None-Match", tag})...).wantStatus(t, http.StatusNotModified)
		got.wantHeader(t, "X-RateLimit-Remaining", x.left)
		if x.headers != nil {
			got.wantHeader(t, "Cache-Control", "private, no-cache")
		}
		s.get(t, "/api/v1/tools/nope", slices.Concat(x.headers, []string{"If-None-Match", "*"})...).wantStatus(t, http.StatusTooManyRequests)
		s.get(t, "/api/v1/openapi.json", x.headers...).wantStatus(t, http.StatusOK)
		s.from(t, home, http.MethodOptions, "/api/v1/stats", x.headers...).wantStatus(t, http.StatusNoContent)
		s.from(t, home, http.MethodPost, "/api/v1/stats", x.headers...).wantStatus(t, http.StatusMethodNotAllowed)
	}
	s.get(t, keyedRoute, h.bearer()...).wantError(t, http.StatusTooManyRequests, developerOver)
	s.get(t, keyedRoute).wantStatus(t, http.StatusUnauthorized)
	if !strings.Contains(anonymousOver, "free API key") { // the text names the way out
		t.Error(anonymousOver)
	}
}

// Once a quota is known to be used up no response is computed for it, whatever is asked
// for, and no query is read but to find a response that is cached: a 304 of that one is
// all that there is.
func TestCharge_NothingIsComputedOverTheQuota(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	a, err := api.New(api.Options{Catalog: s.shelf, Callers: s.keyring, Meter: s.meter, Now: s.clock.now})
	if err != nil {
		t.Fatal(err)
	}
	reads, responses := a.CountWork()
	s.handler = web.NewObserver(web.ObserverOptions{WriteError: a.WriteError}).Wrap(a)
	h, pro := sign(t, s.db, account.Developer), sign(t, s.db, account.Pro)
	const cached, uncached = "/api/v1/tools?score_min=2.5", "/api/v1/tools?score_min=2.51"
	tags := map[string]string{}
	for _, target := range []string{cached, cached, uncached} { // at the second request it is cached
		tags[target] = s.get(t, target, pro.bearer()...).wantStatus(t, http.StatusOK).header.Get("ETag")
	}
	s.exhaust(t, home)
	s.spend(t, h, 1000)
	_, held := a.CacheStats()

	targets := append([]string{
		cached, uncached, "/api/v1/tools?score_min=x", "/api/v1/tools/nope", "/api/nope", "/api/v1/tools?score_min=9.99",
		"/api/v1/tools?page=99", "/api/v1/pricing/oeuvre",
	}, routes[:9]...)
	for _, who := range [][]string{nil, h.bearer()} {
		for range 3 { // what is asked for three times would be cached
			for _, target := range targets {
				for _, tag := range []string{"", "*", " *", `"other"`, tags[uncached], tags[cached]} {
					for _, method := range []string{http.MethodGet, http.MethodHead} {
						headers := slices.Concat(who, []string{"Accept-Encoding", "gzip"})
						status := http.StatusTooManyRequests
						if tag != "" {
							headers = append(headers, "If-None-Match", tag)
						}
						if target == cached && tag == tags[cached] {
							status = http.StatusNotModified
						}
						read, computed := reads.Load(), responses.Load()
						got := s.from(t, home, method, target, headers...)
						if n := responses.Load() - computed; got.status != status || n != 0 {
							t.Errorf("%s %s with the tag %s: %d, want %d; %d responses computed", method, target, tag, got.status, status, n)
						}
						if n := reads.Load() - read; n != 0 && strings.Trim(tag, " *") == "" {
							t.Errorf("%s %s with the tag %q: the query was read", method, target, tag)
						}
					}
				}
			}
		}
	}
	if _, n := a.CacheStats(); n != held {
		t.Errorf("%d responses are cached, %d were before", n, held)
	}
	// With the next edition the cache is another one: what is not in it is not looked for.
	s.shelf.Store(amend(s.shelf.Load(), func(*catalog.Contents) {}))
	s.get(t, cached, "If-None-Match", tags[cached]).wantStatus(t, http.StatusTooManyRequests)
}

// Whoever waits as told is let in, and nobody is told to wait longer.
func TestCharge_RetryAfterToTheSecond(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	h := sign(t, s.db, account.Developer)
	s.spend(t, h, 1000)
	midnight := s.clock.midnight()
	for before, want := range map[time.Duration]string{
		time.Nanosecond:                "1",
		time.Second:                    "1",
		time.Second + time.Nanosecond:  "2",
		1500 * time.Millisecond:        "2",
		time.Hour:                      "3600",
		24 * time.Hour:                 "86400",
		24*time.Hour - time.Nanosecond: "86400",
	} {
		s.clock.set(midnight.Add(-before))
		got := s.get(t, "/api/v1/stats", h.bearer()...).wantStatus(t, http.StatusTooManyRequests)
		if got.header.Get("Retry-After") != want {
			t.Errorf("%v before midnight: Retry-After %s, want %s", before, got.header.Get("Retry-After"), want)
		}
	}
}

// Midnight may come between the charge and the answer.
func TestCharge_RetryAfterIsNeverBelowOne(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	h := sign(t, s.db, account.Developer)
	s.spend(t, h, 1000)
	late := func() time.Time { return s.clock.midnight().Add(3 * time.Second) }
	s.handler = handler(t, api.Options{Catalog: s.shelf, Callers: s.keyring, Meter: s.meter, Now: late})
	s.get(t, "/api/v1/stats", h.bearer()...).wantStatus(t, http.StatusTooManyRequests).wantHeader(t, "Retry-After", "1")
}

func TestDecided_QuotaWindow(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	h := sign(t, s.db, account.Developer)
	s.exhaust(t, home)
	s.spend(t, h, 1000)
	midnight := s.clock.midnight()
	for _, at := range []time.Time{midnight.Add(-time.Second), midnight.Add(-1)} {
		s.clock.set(at)
		s.get(t, "/api/v1/stats").wantStatus(t, http.StatusTooManyRequests).wantHeader(t, "Retry-After", "1")
		s.get(t, "/api/v1/stats", h.bearer()...).wantStatus(t, http.StatusTooManyRequests)
	}
	s.clock.set(midnight)
	s.get(t, "/api/v1/stats").wantStatus(t, http.StatusOK)
	got := s.get(t, "/api/v1/stats", h.bearer()...).wantStatus(t, http.StatusOK)
	got.wantHeader(t, "X-RateLimit-Remaining", "999")
	got.wantHeader(t, "X-RateLimit-Reset", midnight.AddDate(0, 0, 1).Format(time.RFC3339))
}

func TestDecided_QuotaSubject(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	// Keyed: the account, shared by its keys, wherever they are used.
	first := sign(t, s.db, account.Developer)
	second := another(t, s.db, first.account)
	other := sign(t, s.db, account.Developer)
	for i, x := range []struct {
		addr string
		h    holder
	}{{home, first}, {home, second}, {"2001:db8::1", first}, {"203.0.113.7", second}} {
		got := s.from(t, x.addr, "GET", "/api/v1/stats", x.h.bearer()...)
		got.wantHeader(t, "X-RateLimit-Remaining", strconv.Itoa(999-i))
	}
	s.get(t, "/api/v1/stats", other.bearer()...).wantHeader(t, "X-RateLimit-Remaining", "999")

	// Anonymous: an IPv4 address by itself, an IPv6 address with its /64.
	s.exhaust(t, "198.51.100.1")
	s.exhaust(t, "2001:db8:1:2::1")
	for addr, status := range map[string]int{
		"198.51.100.1":                   429,
		"::ffff:198.51.100.1":            429, // the same, written otherwise
		"198.51.100.2":                   200,
		"2001:db8:1:2::1":                429,
		"2001:db8:1:2:ffff:ffff:ffff:ff": 429,
		"2001:db8:1:3::1":                200,
		"2001:db8:1:1:ffff::":            200,
	} {
		if got := s.from(t, addr, "GET", "/api/v1/stats"); got.status != status {
			t.Errorf("%s: %d, want %d", addr, got.status, status)
		}
	}
	// Nobody is a trusted proxy here: the header is the client's to write.
	got := s.from(t, "198.51.100.1", "GET", "/api/v1/stats", "X-Forwarded-For", "203.0.113.99", "Forwarded", "for=203.0.113.99", "X-Real-IP", "203.0.113.99")
	got.wantStatus(t, http.StatusTooManyRequests)
}

// There is only the daily quota: what it holds may be used in one second.
func TestDecided_NoPerSecondThrottle(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	free, pro := sign(t, s.db, account.Developer), sign(t, s.db, account.Pro)
	for range 1000 { // the clock stands still
		s.get(t, "/api/v1/stats", free.bearer()...).wantStatus(t, http.StatusOK)
	}
	for range 1500 {
		s.get(t, "/api/v1/stats", pro.bearer()...).wantStatus(t, http.StatusOK)
	}
	s.get(t, "/api/v1/stats", free.bearer()...).wantStatus(t, http.StatusTooManyRequests)
}

// A plan that changes takes effect with the request that follows the news.
func TestCharge_PlanChange(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	h := sign(t, s.db, account.Developer)
	s.sync(t)
	s.spend(t, h, 1000)
	s.get(t, "/api/v1/stats", h.bearer()...).wantStatus(t, http.StatusTooManyRequests)
	change := func(plan account.Plan) {
		if err := pgtest.ByEmail(s.db).SetPlan(t.Context(), h.account.Email, plan); err != nil {
			t.Fatal(err)
		}
		s.sync(t)
	}
	change(account.Pro)
	s.get(t, "/api/v1/stats", h.bearer()...).wantStatus(t, http.StatusOK).wantHeader(t, "X-RateLimit-Tier", "pro")
	change(account.Developer)
	s.get(t, "/api/v1/stats", h.bearer()...).wantError(t, http.StatusTooManyRequests, developerOver)
}

func TestDecided_RevokedKey_401(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	h, other := sign(t, s.db, account.Developer), sign(t, s.db, account.Pro)
	s.sync(t)
	for _, h := range []holder{h, other} {
		s.get(t, keyedRoute, h.bearer()...).wantStatus(t, http.StatusOK)
	}
	if err := s.db.RevokeKey(t.Context(), account.Operator(), h.info.ID, time.Now()); err != nil {
		t.Fatal(err)
	}
	if err := pgtest.ByEmail(s.db).DeleteAccount(t.Context(), other.account.Email, time.Now()); err != nil {
		t.Fatal(err)
	}
	s.sync(t)
	never := holder{key: account.NewKey()}
	for _, target := range slices.Concat(routes, keyedRoutes, []string{"/api/nope"}) {
		for _, h := range []holder{h, other, never} {
			got := s.get(t, target, h.bearer()...)
			got.wantError(t, http.StatusUnauthorized, badKeyText)
			got.wantHeader(t, "WWW-Authenticate", badKeyScheme)
		}
	}
}
