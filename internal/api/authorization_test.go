package api_test

import (
	"bufio"
	"bytes"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/api"
	"github.com/palmares-hq/palmares/internal/live"
	"github.com/palmares-hq/palmares/internal/pgtest"
	"github.com/palmares-hq/palmares/internal/web"
)

const (
	whereKeys    = "; /api/v1/openapi.json says how to get one"
	badKeyText   = "the API key is malformed, unknown or revoked: send a valid one, or no Authorization header" + whereKeys
	badKeyScheme = `Bearer realm="palmares", error="invalid_token"`
)

// wire sends header lines as they would come over a connection, and gives what the
// server read of the Authorization header with its answer.
func (c *contract) wire(t testing.TB, h http.Handler, target, lines string) (got reply, read []string, ok bool) {
	t.Helper()
	r, err := http.ReadRequest(bufio.NewReader(strings.NewReader("GET " + target + " HTTP/1.1\r\nHost: test\r\n" + lines + "\r\n\r\n")))
	if err != nil {
		return reply{}, nil, false
	}
	r.RemoteAddr = home + ":1234"
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	response := w.Result()
	defer response.Body.Close()
	if got, err = c.read(r, response); err != nil {
		t.Fatalf("%q: %v", lines, err)
	}
	return got, r.Header["Authorization"], true
}

// spoiled are the ways to show a good key wrongly.
func spoiled(key string) map[string]string {
	wrong := []byte(key)
	wrong[len(wrong)-1] ^= 1 // one letter of the checksum
	swapped := []byte(key)
	for i := 5; swapped[4] == key[4]; i++ {
		swapped[4], swapped[i] = key[i], key[4]
	}
	return map[string]string{
		"two headers":          "Authorization: Bearer " + key + "\r\nAuthorization: Bearer " + key,
		"two headers, one bad": "Authorization: Bearer " + key + "\r\nAuthorization: Basic dTpw",
		"two, the first empty": "Authorization:\r\nauthorization: Bearer " + key,
		"no scheme":            "Authorization: " + key,
		"no space":             "Authorization: Bearer" + key,
		"Basic":                "Authorization: Basic dTpw",
		"Basic with the key":   "Authorization: Basic " + key,
		"Token":                "Authorization: Token " + key,
		"Digest":               `Authorization: Digest username="` + key + `"`,
		"Bearer:":              "Authorization: Bearer: " + key,
		"the scheme twice":     "Authorization: Bearer Bearer " + key,
		"a tab":                "Authorization: Bearer\t" + key,
		"a space and a tab":    "Authorization: Bearer \t" + key,
		"a no-break space":     "Authorization: Bearer\u00a0" + key,
		"empty":                "Authorization:",
		"spaces":               "Authorization:    ",
		"the scheme alone":     "Authorization: Bearer",
		"the scheme, a space":  "Authorization: Bearer ",
		"a list":               "Authorization: Bearer " + key + ", Bearer " + key,
		"a list of keys":       "Authorization: Bearer " + key + "," + key,
		"a comma after":        "Authorization: Bearer " + key + ",",
		"a comma before":       "Authorization: ,Bearer " + key,
		"garbage after":        "Authorization: Bearer " + key + " x",
		"a letter after":       "Authorization: Bearer " + key + "x",
		"a parameter after":    "Authorization: Bearer " + key + "; realm=x",
		"quoted":               `Authorization: Bearer "` + key + `"`,
		"in brackets":          "Authorization: Bearer <" + key + ">",
		"percent-encoded":      "Authorization: Bearer " + strings.Replace(key, "_", "%5F", 1),
		"wrong checksum":       "Authorization: Bearer " + string(wrong),
		"letters swapped":      "Authorization: Bearer " + string(swapped),
		"other case":           "Authorization: Bearer " + strings.ToUpper(key),
		"cut short":            "Authorization: Bearer " + key[:len(key)-1],
		"another prefix":       "Authorization: Bearer plx_" + key[4:],
		"full-width letters":   "Authorization: Bearer " + strings.Replace(key, "plm", "ｐｌｍ", 1),
		"very long":            "Authorization: Bearer " + strings.Repeat(key, 1000),
		"the hash":             "Authorization: Bearer 0f343b0931126a20f133d67c2b018a3b1b0a3a0f0f9d9f5e6f7a8b9c0d1e2f3a",
		"a NUL in it":          "Authorization: Bearer " + key[:10] + "\x00" + key[11:],
	}
}

func TestAuthorization_SpoiledIsRefusedWithoutLookUp(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	good := sign(t, s.db, account.Pro)
	h := handler(t, api.Options{Catalog: s.shelf, Callers: s.keyring}) // uncharged: there are more than 100
	for name, lines := range spoiled(good.key.Reveal()) {
		for _, target := range []string{"/api/v1/stats", "/api/v1/tools?page=0", "/api/v1/openapi.json", keyedRoute, "/api/nope"} {
			got, _, ok := s.contract.wire(t, h, target, lines)
			if !ok {
				continue // no server reads it
			}
			if got.status != http.StatusUnauthorized {
				t.Errorf("%s on %s: %d %s", name, target, got.status, got.text)
				continue
			}
			got.wantError(t, http.StatusUnauthorized, badKeyText)
			got.wantHeader(t, "WWW-Authenticate", badKeyScheme)
		}
	}
	if n := s.looks.Load(); n != 0 {
		t.Errorf("%d looks at the database for keys that cannot be any", n)
	}
}

func TestAuthorization_GoodIsAccepted(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	key := sign(t, s.db, account.Pro).key.Reveal()
	for _, line := range []string{
		"Authorization: Bearer " + key,
		"Authorization: bearer " + key, // schemes have no case (RFC 9110, 11.1)
		"Authorization: BEARER " + key,
		"authorization: Bearer " + key,
		"AUTHORIZATION:Bearer " + key,
		"Authorization: Bearer    " + key,         // 1*SP (RFC 6750, 2.1)
		"Authorization: \t Bearer " + key + " \t", // the space around a field's value is none of it (RFC 9110, 5.5)
	} {
		got, _, ok := s.contract.wire(t, s.handler, "/api/v1/stats", line)
		if !ok || got.status != http.StatusOK {
			t.Errorf("%q: %d %s", line, got.status, got.text)
			continue
		}
		got.wantHeader(t, "X-RateLimit-Tier", "pro")
	}
	if n := s.looks.Load(); n > 1 {
		t.Errorf("%d looks at the database for one key", n)
	}
}

// Neither an answer nor a log line shows a key, good or bad.
func TestAuthorization_KeysAreNotShown(t *testing.T) {
	t.Parallel()
	s := newSiteOn(t, pgtest.Migrated(t), live.KeysOptions{RefreshTimeout: time.Second})
	a, err := api.New(api.Options{Catalog: s.shelf, Callers: s.keyring})
	if err != nil {
		t.Fatal(err)
	}
	var log bytes.Buffer
	logger := slog.New(slog.NewTextHandler(&log, nil))
	h := web.NewObserver(web.ObserverOptions{WriteError: a.WriteError, Logger: logger}).Wrap(a)
	good, unknown := sign(t, s.db, account.Pro).key.Reveal(), account.NewKey().Reveal()
	for _, key := range []string{good, unknown, good[:30], unknown + "x"} {
		got, _, ok := s.contract.wire(t, h, "/api/v1/stats", "Authorization: Bearer "+key)
		if !ok || strings.Contains(string(got.text), key[8:]) {
			t.Errorf("%d %s", got.status, got.text)
		}
	}
	s.stopKeys()
	got, _, _ := s.contract.wire(t, h, "/api/v1/stats", "Authorization: Bearer "+account.NewKey().Reveal())
	got.wantStatus(t, http.StatusServiceUnavailable)
	if n := strings.Count(log.String(), "msg=request"); n != 5 || strings.Contains(log.String(), good[8:30]) || strings.Contains(log.String(), unknown[8:]) {
		t.Errorf("%d requests logged: %s", n, log.String())
	}
}

// With no keys at all, as in a preview without accounts, the rule is the same.
func TestAuthorization_AnonymousOnlyRefusesEveryKey(t *testing.T) {
	t.Parallel()
	h := handler(t, api.Options{Catalog: shelve(fixture(t))})
	key := account.NewKey().Reveal()
	all := spoiled(key)
	all["good"] = "Authorization: Bearer " + key
	for name, lines := range all {
		if got, _, ok := loadContract(t).wire(t, h, "/api/v1/stats", lines); ok && got.status != http.StatusUnauthorized {
			t.Errorf("%s: %d", name, got.status)
		}
	}
}

// FuzzAuthorization sends any header lines: what holds an Authorization header is
// answered 200 for the one good key, written as it should be, and 401 for all else.
func FuzzAuthorization(f *testing.F) {
	s := newSite(f)
	key := sign(f, s.db, account.Pro).key.Reveal()
	h := handler(f, api.Options{Catalog: s.shelf, Callers: s.keyring})
	const mark = "KEY" // stands for the key, which differs from run to run
	for _, lines := range spoiled(key) {
		f.Add(strings.ReplaceAll(lines, key, mark))
	}
	for _, lines := range []string{
		"Authorization: Bearer KEY", "Authorization: bearer KEY", "Authorization: Bearer\r\n KEY", "X: y\r\nAuthorization: Bearer KEY\r\nZ: a",
		"Proxy-Authorization: Bearer KEY", "Authorization : Bearer KEY", "", "Authorization: Bearer " + account.NewKey().Reveal(),
	} {
		f.Add(lines)
	}
	f.Fuzz(func(t *testing.T, lines string) {
		got, read, ok := s.contract.wire(t, h, "/api/v1/stats", strings.ReplaceAll(lines, mark, key))
		if !ok {
			return
		}
		good := len(read) == 1 && strings.EqualFold(read[0], "Bearer "+key) && strings.HasSuffix(read[0], " "+key)
		want, tier := http.StatusUnauthorized, ""
		switch {
		case read == nil:
			want = http.StatusOK
		case good:
			want, tier = http.StatusOK, "pro"
		}
		if want == http.StatusOK && got.status == http.StatusNotModified {
			return // the lines held an If-None-Match
		}
		if got.status != want {
			t.Errorf("%q: %d, want %d", read, got.status, want)
		}
		got.wantHeader(t, "X-RateLimit-Tier", tier)
	})
}
