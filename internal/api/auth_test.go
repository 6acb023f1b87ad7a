package api_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/api"
	"github.com/palmares-hq/palmares/internal/testkit"
	"github.com/palmares-hq/palmares/internal/web"
)

// spoiled are the ways to show a good key wrongly.
func spoiled(key string) []string {
	wrong, swapped := []byte(key), []byte(key)
	wrong[len(wrong)-1] ^= 1 // one letter of the checksum
	for i := 5; swapped[4] == key[4]; i++ {
		swapped[4], swapped[i] = key[i], key[4]
	}
	all := []string{
		"Authorization: Bearer " + key + "\r\nAuthorization: Bearer " + key,
		"Authorization: Bearer " + key + "\r\nAuthorization: Basic dTpw",
		"Authorization:\r\nauthorization: Bearer " + key,
	}
	for _, value := range []string{
		key, "Bearer" + key, "Basic dTpw", "Basic " + key, "Token " + key, `Digest username="` + key + `"`, "Bearer: " + key,
		"Bearer Bearer " + key, "Bearer\t" + key, "Bearer \t" + key, "Bearer\u00a0" + key, "",
		"   ", "Bearer", "Bearer ", "Bearer " + key + ", Bearer " + key,
		"Bearer " + key + "," + key, "Bearer " + key + ",", ",Bearer " + key,
		"Bearer " + key + " x", "Bearer " + key + "x", "Bearer " + key + "; realm=x", `Bearer "` + key + `"`, "Bearer <" + key + ">",
		"Bearer " + strings.Replace(key, "_", "%5F", 1), "Bearer " + string(wrong), "Bearer " + string(swapped),
		"Bearer " + strings.ToUpper(key), "Bearer " + key[:len(key)-1], "Bearer plx_" + key[4:],
		"Bearer " + strings.Replace(key, "plm", "ｐｌｍ", 1), "Bearer " + strings.Repeat(key, 1000),
		"Bearer 0f343b0931126a20f133d67c2b018a3b1b0a3a0f0f9d9f5e6f7a8b9c0d1e2f3a", "Bearer " + key[:10] + "\x00" + key[11:],
	} {
		all = append(all, "Authorization: "+value)
	}
	return all
}

// A key that is shown wrongly is refused without a look at the database.
func TestAuth_SpoiledKeys(t *testing.T) {
	t.Parallel()
	c := newClient(t, unmetered)
	anonymous := newClient(t, unmetered, func(o *api.Options) { o.Auth = nil })
	good := c.sign(account.Pro).key.Reveal()
	for _, lines := range spoiled(good) {
		for _, target := range []string{"stats", "tools?page=0", "openapi.json", keyedRoute, "/api/nope"} {
			for _, c := range []*client{c, anonymous} {
				if got, _, ok := c.raw("GET "+path(target), lines); ok { // or else no server reads it
					got.wantError(401, badKeyText, "WWW-Authenticate", badKeyScheme)
				}
			}
		}
	}
	testkit.Equal(t, "looks at the database", c.keys.refreshes, 0)
	for _, line := range []string{
		"Authorization: Bearer " + good,
		"Authorization: bearer " + good, // schemes have no case (RFC 9110, 11.1)
		"Authorization: BEARER " + good,
		"AUTHORIZATION:Bearer " + good,
		"Authorization: Bearer    " + good,         // 1*SP (RFC 6750, 2.1)
		"Authorization: \t Bearer " + good + " \t", // the space around a field's value is not part of it (RFC 9110, 5.5)
	} {
		got, _, _ := c.raw("GET /api/v1/stats", line)
		got.want(200, "X-RateLimit-Tier", "pro")
		got, _, _ = anonymous.raw("GET /api/v1/stats", line) // rather than served as if there were no key
		got.wantError(401, badKeyText)
	}
}

// A key that is not held: all keys are brought up to date, and none is looked up by itself. So a
// revoked key is like one that never was, in its response and in its time.
func TestAuth_UnknownKeys(t *testing.T) {
	t.Parallel()
	c := newClient(t, unmetered)
	revoked, never := c.sign(account.Pro), holder{key: account.NewKey()}
	c.get(keyedRoute, revoked.bearer()...).want(200)
	c.revoke(revoked)
	for _, target := range slices.Concat(routes, keyedRoutes, []string{"/api/nope"}) {
		for _, h := range []holder{revoked, never} {
			before := c.keys.refreshes
			c.get(target, h.bearer()...).wantError(401, badKeyText)
			testkit.Equal(t, "looks at the database", c.keys.refreshes-before, 1)
		}
	}
	// While the database is down nobody knows.
	c.keys.err = errors.New("connection refused")
	for _, target := range []string{"stats", keyedRoute, "/api/nope", "openapi.json"} {
		c.get(target, never.bearer()...).wantError(503,
			"the API key cannot be verified at the moment: try again shortly",
			"Retry-After", "5", "WWW-Authenticate", "")
	}
	c.get("stats", "Authorization", "Bearer plm_no").want(401) // no look is needed to tell
	c.hold(revoked)
	c.get("stats", revoked.bearer()...).want(200) // it is held

	// A client that hangs up is no fault of the database: 499 in the log, not 503.
	ctx, hangUp := context.WithCancel(t.Context())
	hangUp()
	r := httptest.NewRequestWithContext(ctx, "GET", "/", http.NoBody)
	r.Header.Set("Authorization", "Bearer "+never.key.Reveal())
	_, err := api.NewKeyAuthenticator(c.keys).Authenticate(r)
	var unverified *api.UnverifiedError
	if !errors.As(err, &unverified) {
		t.Fatal(err)
	}
	if _, err := unverified.Verify(); web.AsError(err).Status != web.StatusClientClosed {
		t.Errorf("%v, want %v", err, context.Canceled)
	}
}

// A key that sleeps is told so without a look at the database, even while that is down: the node
// knows it. With an address of its own the service says where to go.
func TestAuth_SleepingKeys(t *testing.T) {
	t.Parallel()
	for base, place := range map[string]string{"": "/compte/offre", "https://api.example": "https://api.example/compte/offre"} {
		c := newClient(t, unmetered, func(o *api.Options) { o.BaseURL = base })
		h := c.sign(account.Developer)
		want := strings.Replace(asleepText, "/compte/offre", place, 1)
		c.setAsleep(h, true)
		for _, c.keys.err = range []error{nil, errors.New("connection refused")} {
			for _, target := range slices.Concat(routes, keyedRoutes, []string{"/api/nope"}) {
				c.get(target, h.bearer()...).wantError(401, want, "WWW-Authenticate", badKeyScheme, "X-RateLimit-Tier", "")
			}
		}
		testkit.Equal(t, "looks at the database", c.keys.refreshes, 0)
		c.setAsleep(h, false)
		c.get("stats", h.bearer()...).want(200, "X-RateLimit-Tier", "free")

		// A node that hears of the key only by looking says the same.
		r := httptest.NewRequestWithContext(t.Context(), "GET", "/", http.NoBody)
		r.Header.Set("Authorization", "Bearer "+h.key.Reveal())
		c.revoke(h)
		_, err := api.NewKeyAuthenticator(c.keys).Authenticate(r)
		var unverified *api.UnverifiedError
		if !errors.As(err, &unverified) {
			t.Fatal(err)
		}
		c.hold(h)
		c.setAsleep(h, true)
		if _, err := unverified.Verify(); !errors.Is(err, account.ErrKeySuspended) {
			t.Errorf("a key that turned out to sleep: %v", err)
		}
	}
}

// Neither a response nor a log line shows a key, good or bad.
func TestAuth_KeysAreNotShown(t *testing.T) {
	t.Parallel()
	c := newClient(t, unmetered)
	var log testkit.Log
	options := web.ObserverOptions{WriteError: c.api.WriteError, Logger: log.Logger()}
	c.handler = web.NewObserver(options).Wrap(c.api)
	good, unknown := c.sign(account.Pro).key.Reveal(), account.NewKey().Reveal()
	for _, key := range []string{good, unknown, good[:30], unknown + "x"} {
		for _, c.keys.err = range []error{nil, errors.New("connection refused")} {
			got := c.get("stats", "Authorization", "Bearer "+key)
			if strings.Contains(string(got.text), key[8:]) {
				t.Errorf("%d %s", got.status, got.text)
			}
		}
	}
	testkit.Equal(t, "logged requests", len(log.Records(t, "request")), 8)
	if strings.Contains(log.String(), good[8:30]) || strings.Contains(log.String(), unknown[8:]) {
		t.Errorf("a key is in the log: %s", log.String())
	}
}

// FuzzAuthorization sends any header lines: what holds an Authorization header is answered 200 for
// the one good key, written as it should be, and 401 for all else.
func FuzzAuthorization(f *testing.F) {
	c := newClient(f, unmetered)
	key := c.sign(account.Pro).key.Reveal()
	const mark = "KEY" // stands for the key, which differs from run to run
	written := regexp.MustCompile(`^(?i:bearer) +` + key + `$`)
	for _, lines := range append(spoiled(key),
		"Authorization: Bearer KEY", "Authorization: bearer KEY", "Authorization: Bearer\r\n KEY", "Authorization: Bearer  KEY",
		"X: y\r\nAuthorization: Bearer KEY\r\nZ: a",
		"Proxy-Authorization: Bearer KEY", "Authorization : Bearer KEY", "", "Authorization: Bearer "+account.NewKey().Reveal(),
	) {
		f.Add(strings.ReplaceAll(lines, key, mark))
	}
	f.Fuzz(func(t *testing.T, lines string) {
		got, r, ok := c.in(t).raw("GET /api/v1/stats", strings.ReplaceAll(lines, mark, key))
		if !ok || got.status == http.StatusNotModified { // the lines held an If-None-Match
			return
		}
		read := r.Header["Authorization"]
		good := len(read) == 1 && written.MatchString(read[0])
		status, tier := http.StatusUnauthorized, ""
		switch {
		case read == nil:
			status = http.StatusOK
		case good:
			status, tier = http.StatusOK, "pro"
		}
		if got.status != status || got.header.Get("X-RateLimit-Tier") != tier {
			t.Errorf("%q: %d, want %d for %q", read, got.status, status, tier)
		}
	})
}
