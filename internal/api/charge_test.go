package api_test

import (
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/api"
	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/catalogtest"
	"github.com/palmares-hq/palmares/internal/testkit"
)

// midnight is the next one.
func (c *client) midnight() time.Time { return c.clock.Now().Truncate(24*time.Hour).AddDate(0, 0, 1) }

// Each kind of response: what it costs, whom, and what it says of the quota.
func TestCharge_WhatCounts(t *testing.T) {
	t.Parallel()
	c := newClient(t)
	developer, pro := c.sign(account.Developer), c.sign(account.Pro)
	tag := c.get("stats", pro.bearer()...).tag()
	anything := []string{"If-None-Match", "*"}
	for _, x := range []struct {
		method, target string
		status, cost   int
		headers        []string
	}{
		{"GET", "stats", 200, 1, nil},
		{"GET", "tools?page=9", 200, 1, nil},
		{"HEAD", "stats", 200, 1, nil},
		{"GET", "stats", 200, 1, []string{"If-None-Match", `"other"`}},
		{"GET", "tools/nope", 404, 1, nil},
		{"HEAD", "tools/nope", 404, 1, nil},
		{"GET", "tools/feu-mort", 404, 1, nil},
		{"GET", "/api/nope", 404, 1, nil},
		{"GET", "tools/nope", 404, 1, anything},
		{"GET", "stats", 304, 1, anything}, // it names no response that the client has
		{"HEAD", "stats", 304, 1, anything},
		{"GET", "tools?limit=7", 304, 1, []string{"If-None-Match", " *\t", "Accept-Encoding", "gzip"}},
		{"GET", "stats", 304, 0, []string{"If-None-Match", tag}},
		{"HEAD", "stats", 304, 0, []string{"If-None-Match", `"other", W/` + tag}},
		{"GET", "tools?page=0", 400, 0, nil},
		{"GET", "tools?page=0", 400, 0, anything},
		{"GET", "openapi.json", 200, 0, nil},
		{"HEAD", "openapi.json", 200, 0, nil},
		{"GET", "openapi.json", 304, 0, anything},
		{"GET", "/api/v1", 200, 0, nil},
		{"HEAD", "/api/v1", 200, 0, nil},
		{"GET", "/api/v1", 304, 0, anything},
		{"OPTIONS", "stats", 204, 0, nil},
		{"OPTIONS", "/api/nope", 204, 0, nil},
		{"POST", "stats", 405, 0, nil},
		{"POST", "/api/nope", 404, 0, nil},
		{"GET", "/nope", 404, 0, nil}, // outside the API
		{"HEAD", "/", 404, 0, nil},
		{"GET", "//api/v1/stats", 404, 0, nil},
		{"OPTIONS", "/apis", 404, 0, nil},
		{"GET", "/API/v1/stats", 404, 0, nil},
	} {
		what := x.method + " " + x.target + " " + strconv.Itoa(x.status) + ": "
		testkit.Equal(t, what+"cost without a key", c.cost(nil, func() {
			c.do(x.method, x.target, x.headers...).want(x.status, "X-RateLimit-Tier", "")
		}), x.cost)
		tiers := strings.HasPrefix(path(x.target), "/api/") && (x.method == "GET" || x.method == "HEAD")
		var cost int
		testkit.Equal(t, what+"cost of the address", c.cost(nil, func() {
			left := c.spend(&developer, 1)
			got := c.do(x.method, x.target, with(x.headers, developer.bearer())...).want(x.status)
			cost = left - 1 - c.spend(&developer, 1)
			tier, remaining, reset := "", "", ""
			if tiers {
				tier, remaining, reset = "free", strconv.Itoa(left-x.cost), c.midnight().Format(time.RFC3339)
			}
			got.has("X-RateLimit-Tier", tier, "X-RateLimit-Remaining", remaining, "X-RateLimit-Reset", reset)
		}), 0)
		testkit.Equal(t, what+"cost with a key", cost, x.cost)
		tier := ""
		if tiers {
			tier = "pro"
		}
		c.do(x.method, x.target, with(x.headers, pro.bearer())...).want(x.status,
			"X-RateLimit-Tier", tier, "X-RateLimit-Remaining", "", "X-RateLimit-Reset", "")
		c.clock.Advance(24 * time.Hour) // asking what is left costs too
	}
	c.edition.Store(catalog.Empty())
	for _, headers := range [][]string{nil, developer.bearer()} {
		ask := func() { c.get("stats", headers...).want(503) }
		testkit.Equal(t, "cost of a 503", c.cost(nil, ask)+c.cost(&developer, ask), 0)
	}
}

// A bad key is charged to its address, whatever the operation, and so is one that sleeps: its account pays nothing.
func TestCharge_BadKeys(t *testing.T) {
	t.Parallel()
	c := newClient(t)
	good := c.sign(account.Developer)
	sleeping := c.sign(account.Developer)
	c.setAsleep(sleeping, true)
	unknown, suspended := "Bearer "+account.NewKey().Reveal(), "Bearer "+sleeping.key.Reveal()
	for _, x := range []struct {
		target, authorization string
		status, cost          int
	}{
		{"stats", unknown, 401, 1},
		{"stats", "Bearer plm_malformed", 401, 1},
		{"stats", "", 401, 1},
		{"tools?page=0", "Basic dTpw", 401, 1},
		{"/api/nope", "Bearer no", 401, 1},
		{keyedRoute, unknown, 401, 1},
		{"stats", suspended, 401, 1},
		{keyedRoute, suspended, 401, 1},
		{"openapi.json", suspended, 401, 1},
		{"usage", suspended, 401, 1},
		{"openapi.json", unknown, 401, 1},
		{"usage", "Bearer no", 401, 1},
		{"/api/v1", "Bearer no", 401, 1},
		{"/nope", unknown, 404, 0},
	} {
		testkit.Equal(t, x.target+" with "+x.authorization, c.cost(nil, func() {
			c.get(x.target, "Authorization", x.authorization).want(x.status)
		}), x.cost)
	}
	testkit.Equal(t, "cost of a missing key", c.cost(nil, func() { c.get(keyedRoute).want(401) }), 0)
	testkit.Equal(t, "cost of a key that cannot be verified", c.cost(nil, func() {
		c.keys.err = http.ErrServerClosed
		c.get("stats", "Authorization", unknown).want(503)
		c.keys.err = nil
	}), 0)

	c.spend(nil, 100)
	refreshes := c.keys.refreshes
	for _, target := range []string{"stats", "/api/nope", keyedRoute, "usage", "openapi.json", "/api/v1"} {
		for _, authorization := range []string{unknown, suspended, "Bearer no"} {
			c.get(target, "Authorization", authorization).
				wantError(429, anonymousQuota, "WWW-Authenticate", "", "X-RateLimit-Tier", "")
		}
	}
	testkit.Equal(t, "looks at the database for an address out of quota", c.keys.refreshes-refreshes, 0)
	c.get("stats").want(429)        // it is one quota
	c.get("openapi.json").want(200) // without a key it stays free
	c.get("openapi.json", good.bearer()...).want(200)
	c.setAsleep(sleeping, false)
	c.get("stats", sleeping.bearer()...).want(200, "X-RateLimit-Remaining", "999") // it was not charged
	c.get("stats", good.bearer()...).want(200)                                     // a good key has its own
	c.at("192.0.2.2").get("stats", "Authorization", "Bearer no").want(401)         // and so has another address
	c.get("/nope", "Authorization", unknown).want(404, "X-RateLimit-Tier", "")     // outside the API nobody looks at it
}

func TestCharge_RemainingCountsDownToZero(t *testing.T) {
	t.Parallel()
	c := newClient(t)
	h := c.sign(account.Developer)
	for left := 999; left >= 0; left-- { // in no time: there is no limit per second
		c.get("stats", h.bearer()...).want(200, "X-RateLimit-Remaining", strconv.Itoa(left))
	}
	c.get("stats", h.bearer()...).wantError(429, developerQuota)
}

// Over the quota: a 429 until midnight for all that is charged, and nothing is computed for it. A
// 304 of a response that is cached is all that there is.
func TestCharge_OverTheQuota(t *testing.T) {
	t.Parallel()
	c := newClient(t)
	parsed, made := c.api.CountWork()
	developer, pro := c.sign(account.Developer), c.sign(account.Pro)
	const cached, uncached = "tools?score_min=2.5", "tools?score_min=2.51"
	tags := map[string]string{}
	for _, target := range []string{cached, cached, uncached} { // the second request caches it
		tags[target] = c.get(target, pro.bearer()...).want(200).tag()
	}
	c.spend(nil, 100)
	c.spend(&developer, 1000)
	held := c.cached()
	targets := slices.Concat(routes[:9], []string{
		cached, uncached, "tools?score_min=x", "tools/nope", "/api/nope", "tools?page=99",
		"pricing/oeuvre",
	})
	for _, x := range []struct {
		key                              []string
		text, tier, left, reset, caching string
	}{
		{nil, anonymousQuota, "", "", "", sharedCaching},
		{developer.bearer(), developerQuota, "free", "0", c.midnight().Format(time.RFC3339), privateCaching},
	} {
		for range 3 { // what is asked for three times would be cached
			for _, target := range targets {
				for _, tag := range []string{"", "*", " *", `"other"`, tags[uncached], tags[cached]} {
					headers := with(x.key, []string{"Accept-Encoding", "gzip"})
					if tag != "" {
						headers = append(headers, "If-None-Match", tag)
					}
					wasParsed, wasMade := parsed.Load(), made.Load()
					got := c.get(target, headers...)
					if target == cached && tag == tags[cached] {
						got.want(304, "Cache-Control", x.caching)
					} else {
						got.wantError(429, x.text, "Retry-After", "43200")
						c.do("HEAD", target, headers...).want(429)
					}
					got.has("X-RateLimit-Tier", x.tier, "X-RateLimit-Remaining", x.left, "X-RateLimit-Reset", x.reset)
					testkit.Equal(t, target+": responses made", made.Load()-wasMade, int64(0))
					if n := parsed.Load() - wasParsed; n != 0 && strings.Trim(tag, " *") == "" {
						t.Errorf("%s with the tag %q: the query was parsed", target, tag)
					}
				}
			}
		}
		c.get("openapi.json", x.key...).want(200)
		c.do("OPTIONS", "stats", x.key...).want(204)
		c.do("POST", "stats", x.key...).want(405)
		c.get("/nope", x.key...).want(404)
	}
	c.get(keyedRoute).want(401)
	testkit.Equal(t, "cached responses", c.cached(), held+1) // the OpenAPI document
	// With the next edition the cache is another one.
	c.edition.Store(catalogtest.Amend(c.edition.Load(), func(*catalog.Contents) {}))
	c.get(cached, "If-None-Match", tags[cached]).want(429)
}

// A client that waits as told is let in, and none is told to wait longer.
func TestCharge_UntilMidnight(t *testing.T) {
	t.Parallel()
	c := newClient(t)
	h := c.sign(account.Developer)
	c.spend(&h, 1000)
	c.spend(nil, 100)
	midnight := c.midnight()
	for before, want := range map[time.Duration]string{
		time.Nanosecond: "1", time.Second: "1", time.Second + time.Nanosecond: "2", 1500 * time.Millisecond: "2",
		time.Hour: "3600", 24 * time.Hour: "86400", 24*time.Hour - time.Nanosecond: "86400",
	} {
		c.clock.Set(midnight.Add(-before))
		for _, key := range [][]string{nil, h.bearer()} {
			c.get("stats", key...).want(429, "Retry-After", want)
		}
	}
	// Midnight may come between the charge and the response.
	late := newClient(t, func(o *api.Options) {
		o.Meter, o.Now = c.meter, func() time.Time { return midnight.Add(3 * time.Second) }
	})
	late.get("stats").want(429, "Retry-After", "1")

	c.clock.Set(midnight)
	c.get("stats").want(200)
	c.get("stats", h.bearer()...).want(200, "X-RateLimit-Remaining", "999",
		"X-RateLimit-Reset", midnight.AddDate(0, 0, 1).Format(time.RFC3339))
}

func TestCharge_WhoIsCharged(t *testing.T) {
	t.Parallel()
	c := newClient(t)
	// With a key: the account, shared by its keys, wherever they are used.
	first, other := c.sign(account.Developer), c.sign(account.Developer)
	second := holder{first.account, first.plan, account.NewKey()}
	c.hold(second)
	for i, x := range []struct {
		addr string
		h    holder
	}{{"192.0.2.1", first}, {"192.0.2.1", second}, {"2001:db8::1", first}, {"203.0.113.7", second}} {
		c.at(x.addr).get("stats", x.h.bearer()...).has("X-RateLimit-Remaining", strconv.Itoa(999-i))
	}
	c.get("stats", other.bearer()...).has("X-RateLimit-Remaining", "999")

	// Without: an IPv4 address by itself, an IPv6 address with its /64.
	c.at("198.51.100.1").spend(nil, 100)
	c.at("2001:db8:1:2::1").spend(nil, 100)
	for addr, status := range map[string]int{
		"198.51.100.1": 429, "::ffff:198.51.100.1": 429, "198.51.100.2": 200,
		"2001:db8:1:2::1": 429, "2001:db8:1:2:ffff:ffff:ffff:ff": 429, "2001:db8:1:3::1": 200, "2001:db8:1:1:ffff::": 200,
	} {
		c.at(addr).get("stats").want(status)
	}
	// Nobody is a trusted proxy here: the header is the client's to write.
	for _, header := range []string{"X-Forwarded-For", "Forwarded", "X-Real-IP"} {
		c.at("198.51.100.1").get("stats", header, "203.0.113.99").want(429)
	}

	// A plan that changes takes effect at once.
	first.plan = account.Pro
	c.hold(first)
	c.get("stats", first.bearer()...).want(200, "X-RateLimit-Tier", "pro", "X-RateLimit-Remaining", "")
}
