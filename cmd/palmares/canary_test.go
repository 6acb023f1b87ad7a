package main

import (
	"compress/gzip"
	"encoding/base64"
	"encoding/hex"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/redis/rueidis"

	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/mcp"
	"github.com/palmares-hq/palmares/internal/pgtest"
	"github.com/palmares-hq/palmares/internal/redistest"
	"github.com/palmares-hq/palmares/internal/testkit"
)

// A canary is what must stay where it belongs: a caller's key, e-mail address and
// IP addresses.
type canary struct {
	email, key, stranger string // stranger is a key that nobody has
	v4, v6               string
}

// secrets lists what betrays the canary, by what it is. Of a key the first
// characters are shown on purpose, so its heart is looked for.
func (c canary) secrets() map[string]string {
	heart := func(key string) string { return key[10:24] }
	return map[string]string{
		"e-mail": strings.Split(c.email, "@")[0], "key": heart(c.key), "unknown key": heart(c.stranger),
		"key in hex": hex.EncodeToString([]byte(heart(c.key))), "key in base64": base64.StdEncoding.EncodeToString([]byte(c.key))[16:30],
		"IPv4": c.v4, "IPv6": c.v6, "IPv6 network": "2001:db8:77:88",
	}
}

// absent fails the test if any of the canary's secrets is in the text.
func (c canary) absent(t *testing.T, where, text string, but ...string) {
	t.Helper()
	absent(t, where, text, c.secrets(), but...)
}

// absent fails the test if any of the secrets, by what they are, is in the text.
func absent(t *testing.T, where, text string, secrets map[string]string, but ...string) {
	t.Helper()
	if text == "" {
		t.Fatalf("%s: nothing to look at", where)
	}
	for what, secret := range secrets {
		if i := strings.Index(text, secret); i >= 0 && !slices.Contains(but, what) {
			t.Errorf("%s: the %s is there: …%q…", where, what, text[max(0, i-200):min(len(text), i+100)])
		}
	}
}

// A caller's key, e-mail and addresses go through all that the program does, mistakes
// and outages included, and are then looked for everywhere.
func TestCanary_NothingPersonalIsKeptOrTold(t *testing.T) {
	t.Parallel()
	pg, redis := pgtest.NewServer(t), redistest.NewServer(t)
	collector, spans := collectSpans(t)
	db, dir := pg.URL(), testkit.CopyOf(t, fixtureCatalog)
	c := canary{
		email: "canari-jaune@oiseau.example", stranger: account.NewKey().Reveal(),
		v4: "203.0.113.77", v6: "2001:db8:77:88::99",
	}
	c.key = newKey(t, db, c.email, "developer")
	palmares(t, database(db), "publish", dir)
	disk := filepath.Join(t.TempDir(), "catalog.snapshot")
	n := serve(t, db, "PALMARES_REDIS_URL="+redis.URL(), "PALMARES_TRUSTED_PROXIES=127.0.0.1", "PALMARES_SNAPSHOT_FILE="+disk,
		"PALMARES_LOG_LEVEL=debug", "PALMARES_TRACE_RATIO=1", "OTEL_EXPORTER_OTLP_ENDPOINT="+collector,
		"OTEL_BSP_SCHEDULE_DELAY=50")
	n.ready()
	n.counts(1)

	seen := c.sing(t, n)
	for _, status := range []int{200, 400, 401, 404, 405} {
		if seen[status] == 0 {
			t.Errorf("no answer was a %d: %v", status, seen)
		}
	}

	// Quotas are used up: the address's, then the account's.
	last := 0
	for _, header := range []http.Header{{"X-Forwarded-For": {c.v4}}, {"X-Forwarded-For": {c.v6}}, testkit.Bearer(c.key)} {
		for range account.Developer.Limits().Daily + 1 {
			if last = c.ask(t, n, "/api/v1/stats", header); last == http.StatusTooManyRequests {
				break
			}
		}
		if last != http.StatusTooManyRequests {
			t.Errorf("the quota has no end: %d", last)
		}
	}

	// Outages, in which errors have much to tell.
	pg.Stop()
	unknown := testkit.Bearer(account.NewKey().Reveal()) // where the address's quota is not used up
	unknown.Set("X-Forwarded-For", "198.51.100.3")
	if status := c.ask(t, n, "/api/v1/stats", unknown); status != http.StatusServiceUnavailable {
		t.Errorf("a key that nobody can verify: %d", status)
	}
	c.ask(t, n, "/api/v1/stats", testkit.Bearer(c.stranger))
	c.sing(t, n)
	redis.Kill()
	for range 5 { // somebody whose quota is not known to be used up, so that Redis is asked
		c.ask(t, n, "/api/v1/stats", http.Header{"X-Forwarded-For": {"198.51.100.2"}})
	}
	c.sing(t, n)
	pg.Start()
	redis.Start()
	testkit.EventuallyGet(t, n.admin+"/metrics", says("palmares_feed_connected 1"))
	n.counts(1)

	// The account's life goes on.
	testkit.Edit(t, filepath.Join(dir, "tools/ame.md"), "5 €/mois", "6 €/mois")
	palmares(t, database(db), "publish", dir)
	palmares(t, database(db), "account", "plan", c.email, "pro")
	testkit.EventuallyTrue(t, "the plan is known", func() bool {
		return c.ask(t, n, "/api/v1/stats", testkit.Bearer(c.key)) == http.StatusOK
	})
	c.sing(t, n)
	if shown, _ := palmares(t, append(database(db), "PALMARES_REDIS_URL="+redis.URL()), "account", "show", c.email, "--json"); !strings.Contains(shown, `"usage": {`) {
		t.Errorf("account show tells no usage: %s", shown)
	}
	list, _ := palmares(t, database(db), "key", "list", c.email)
	palmares(t, database(db), "key", "revoke", regexp.MustCompile(`key_\w+`).FindString(list))
	elsewhere := testkit.Bearer(c.key) // where the address's quota is not used up
	elsewhere.Set("X-Forwarded-For", "198.51.100.1")
	testkit.EventuallyTrue(t, "the revocation is known", func() bool {
		return c.ask(t, n, "/api/v1/stats", elsewhere) == http.StatusUnauthorized
	})
	// A node traces 50 requests a second at most: those of agents may have come after them each time.
	testkit.EventuallyTrue(t, "the spans are there", func() bool {
		c.call(t, n, c.key, `{"jsonrpc": "2.0", "id": 1, "method": "`+c.key+`"}`)
		return strings.Contains(spans.String(), mcp.Path)
	})
	metrics := testkit.Get(t, n.admin+"/metrics").Body
	n.stop()

	n.wantLines()
	log := n.log.String()
	c.absent(t, "the log", log)
	for _, trace := range []string{"plm_***", "203.0.113.0/24", "2001:db8:77::/48", `"status":429`, `"status":503`, "Redis does not answer"} {
		if !strings.Contains(log, trace) {
			t.Errorf("the log has no %s: the test does not test it", trace)
		}
	}
	exported := spans.String()
	c.absent(t, "the spans", exported)
	for _, trace := range []string{"/api/v1/stats", mcp.Path, "plm_***", "canary-agent"} {
		if !strings.Contains(exported, trace) {
			t.Errorf("the spans have no %s: the test does not test it", trace)
		}
	}
	c.absent(t, "the metrics", metrics)
	c.absent(t, "Redis's append-only file", redisFiles(t, redis))
	c.absent(t, "the disk copy", testkit.ReadFile(t, disk))
	c.absent(t, "the disk copy of the keys", testkit.ReadFile(t, disk+".keys"))

	dump := dumpDatabase(t, db)
	c.absent(t, "the database", dump, "e-mail")
	if got := strings.Count(dump, c.email); got != 1 {
		t.Errorf("the database holds the e-mail address %d times, want once", got)
	}
	if !strings.Contains(dump, c.key[:8]+"…") {
		t.Error("the dump does not show the key's preview: the test does not test it")
	}
	palmares(t, database(db), "account", "delete", c.email)
	c.absent(t, "the database, the account being deleted", dumpDatabase(t, db))
}

// sing sends the canary's secrets in every way that clients send them, rightly and
// by mistake, and counts the answers by status.
func (c canary) sing(t *testing.T, n *server) map[int]int {
	t.Helper()
	seen := map[int]int{}
	for _, key := range []string{c.key, c.stranger, c.key[:39] + "!", c.key[:30]} {
		for _, path := range []string{
			"/api/v1/tools", "/api/embeddings/ame", "/api/v1/tools?limit=zero",
			"/api/v1/stats?key=" + key, "/api/v1/stats?api_key=" + key + "&email=" + c.email, "/api/v1/tools?sort=" + key,
			"/api/v1/tools/" + key, "/api/embeddings/" + key, "/" + key, "/api/v1/" + key + "/tools?ip=" + c.v4,
			"/api/v1//" + key, "/api/v1/tools/" + strings.Replace(key, "_", "%5F", 1), "/api/v1/tools/x" + key + "," + key,
		} {
			for _, header := range []http.Header{
				testkit.Bearer(key), nil,
				{"Authorization": {key}},
				{"Authorization": {"Bearer " + key, "Bearer " + key}},
				{"X-Api-Key": {key}, "Cookie": {"key=" + key}, "Referer": {"https://x.example/?key=" + key}, "X-Request-Id": {key}},
			} {
				header = maps.Clone(header)
				if header == nil {
					header = http.Header{}
				}
				header.Set("User-Agent", "canary-agent "+key)
				seen[c.ask(t, n, path, header)]++
			}
		}
		for _, message := range []string{
			`{"jsonrpc": "2.0", "id": "KEY", "method": "tools/call", "params": {"name": "get_tool", "arguments": {"slug": "KEY"}}}`,
			`{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "check_stack", "arguments": {"items": ["KEY", "EMAIL"]}}}`,
			`{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "KEY", "arguments": {"KEY": "EMAIL"}}}`,
			`{"jsonrpc": "2.0", "id": 1, "method": "KEY", "params": {"EMAIL": "KEY"}}`,
			`{"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"protocolVersion": "KEY", "capabilities": {}, "clientInfo": {"name": "KEY", "version": "EMAIL"}}}`,
			`["KEY"`,
		} {
			seen[c.call(t, n, key, strings.NewReplacer("KEY", key, "EMAIL", c.email).Replace(message))]++
		}
	}
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, n.public+"/api/v1/tools/"+c.key, strings.NewReader(c.email))
	must(t, err)
	req.SetBasicAuth(c.email, c.key)
	r, err := testkit.Do(canaryClient, req)
	must(t, err)
	seen[r.Status]++
	return seen
}

var canaryClient = &http.Client{Timeout: 10 * time.Minute, Transport: &http.Transport{}}

// ask sends one request from the canary's addresses.
func (c canary) ask(t *testing.T, n *server, path string, header http.Header) int {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, n.public+path, http.NoBody)
	must(t, err)
	maps.Copy(req.Header, header)
	if req.Header.Get("X-Forwarded-For") == "" {
		req.Header.Set("X-Forwarded-For", c.v4)
		if len(path)%2 == 0 {
			req.Header.Set("X-Forwarded-For", c.v6)
		}
	}
	r, err := testkit.Do(canaryClient, req)
	must(t, err)
	return r.Status
}

// call sends one message of an agent from the canary's addresses.
func (c canary) call(t *testing.T, n *server, key, message string) int {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, n.public+mcp.Path, strings.NewReader(message))
	must(t, err)
	for name, value := range map[string]string{
		"Authorization": "Bearer " + key, "X-Forwarded-For": c.v6, "User-Agent": "canary-agent " + key,
		"Content-Type": "application/json", "Accept": "application/json, text/event-stream",
		"Mcp-Method": key, "Mcp-Name": c.email, "Mcp-Session-Id": key,
	} {
		req.Header.Set(name, value)
	}
	r, err := testkit.Do(canaryClient, req)
	must(t, err)
	return r.Status
}

// collectSpans receives traces over OTLP/HTTP. Strings stand in the protocol buffers as they
// are, so nothing need be decoded.
func collectSpans(t *testing.T) (url string, spans *testkit.Log) {
	t.Helper()
	spans = &testkit.Log{}
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body := io.Reader(r.Body)
		if r.Header.Get("Content-Encoding") == "gzip" {
			z, err := gzip.NewReader(r.Body)
			if err != nil {
				t.Error(err)
				return
			}
			body = z
		}
		if _, err := io.Copy(spans, body); err != nil {
			t.Error(err)
		}
	}))
	t.Cleanup(server.Close)
	return server.URL, spans
}

// redisFiles is all that Redis has been told, as it has written it to its disk.
func redisFiles(t *testing.T, s *redistest.Server) string {
	t.Helper()
	c, err := rueidis.NewClient(rueidis.ClientOption{InitAddress: []string{s.Addr()}, DisableCache: true})
	must(t, err)
	defer c.Close()
	settings, err := c.Do(t.Context(), c.B().ConfigGet().Parameter("dir").Build()).AsStrMap()
	must(t, err)
	var b strings.Builder
	err = filepath.WalkDir(settings["dir"], func(path string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			b.WriteString(testkit.ReadFile(t, path))
		}
		return err
	})
	must(t, err)
	for _, kind := range []string{"palmares:quota:", ":account:", ":address:", "palmares:usage:"} {
		if !strings.Contains(b.String(), kind) {
			t.Errorf("Redis was told no %s: the test does not test it", kind)
		}
	}
	return b.String()
}

// dumpDatabase is what a backup holds.
func dumpDatabase(t *testing.T, db string) string {
	t.Helper()
	dumps, err := filepath.Glob("/usr/lib/postgresql/*/bin/pg_dump")
	if err != nil || len(dumps) == 0 {
		t.Fatalf("no pg_dump beside the server: %v", err)
	}
	out, err := exec.Command(slices.Max(dumps), "--dbname="+db).Output()
	must(t, err)
	return string(out)
}
