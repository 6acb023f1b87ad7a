package api_test

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"
	"go.uber.org/goleak"

	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/api"
	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/catalogtest"
	"github.com/palmares-hq/palmares/internal/quota"
	"github.com/palmares-hq/palmares/internal/testkit"
	"github.com/palmares-hq/palmares/internal/web"
)

var (
	update = flag.Bool("update", false, "rewrite the golden files")
	long   = flag.Bool("long", os.Getenv("PALMARES_LONG") == "1", "run with the full numbers")
)

func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m)
}

// routes has one target for each operation that needs no key, and exists in the fixture.
var routes = []string{
	"tools", "tools/oeuvre", "comparatifs", "comparatifs/eclair-ou-oeuvre",
	"pricing", "pricing/oeuvre", "cimetiere", "cimetiere/feu-mort", "history?on=2024-01-31", "history/oeuvre", "facts", "facts/oeuvre", "endings",
	"findings?slugs=zebre,feu-mort,oeuvre", "compare?items=zebre,oeuvre", "bill?items=zebre,oeuvre&from=2026-01&to=2026-12", "categories", "stats", "changes?since=0&limit=2",
	"export/datapackage.json",
	"openapi.json", "/api/v1",
}

// lists are the four paginated lists.
var lists = []string{"tools", "comparatifs", "pricing", "cimetiere"}

// keyedRoutes are the targets of the operations that need a key; keyedRoute is one of them.
var keyedRoutes = []string{keyedRoute, "/api/embeddings", "usage"}

// fileRoutes are the targets of files, which are made and kept apart from other responses; the last needs a key.
var fileRoutes = []string{"export/categories.jsonl", "/api/embeddings/export.jsonl"}

// The two kinds of Cache-Control that allow caching.
const (
	sharedCaching  = "s-maxage=3600, stale-while-revalidate=86400"
	privateCaching = "private, no-cache"
)

const keyedRoute = "/api/embeddings/oeuvre"

// An edition holds the snapshot that a test serves, as a node does.
type edition struct {
	atomic.Pointer[catalog.Snapshot]
}

func serving(s *catalog.Snapshot) *edition {
	e := new(edition)
	e.Store(s)
	return e
}

func (e *edition) Current() *catalog.Snapshot { return e.Load() }

// amend publishes the next edition of the fixture, a day later.
func amend(t testing.TB, edit func(*catalog.Contents)) *catalog.Snapshot {
	t.Helper()
	return catalogtest.Amend(catalogtest.Fixture(t), edit)
}

// renameZebre is an edit that changes one tool.
func renameZebre(c *catalog.Contents) { catalogtest.Find(c, "zebre").Name = "Zèbre neuf" }

// testKeys are the keys of a node, with a database behind them that has no other keys.
type testKeys struct {
	mu        sync.Mutex
	held      map[account.Hash]account.Grant
	suspended map[account.Hash]bool
	err       error // of the database
	refreshes int
}

func (k *testKeys) Find(hash account.Hash) (account.Grant, bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	g, held := k.held[hash]
	return g, held && !k.suspended[hash]
}

func (k *testKeys) Suspended(hash account.Hash) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	_, held := k.held[hash]
	return held && k.suspended[hash]
}

func (k *testKeys) Refresh(ctx context.Context, _ account.Hash) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.refreshes++
	return errors.Join(k.err, ctx.Err())
}

// A client is how every test asks. It calls the whole chain without a network in between, and
// checks each response against openapi.yaml.
type client struct {
	t        testing.TB
	api      *api.API
	handler  http.Handler
	contract *contract
	edition  *edition
	clock    *testkit.Clock
	meter    *quota.Meter
	keys     *testKeys
	addr     string
}

// newClient serves the fixture, with keys and quotas. The clock stands at noon, and the options
// can be changed.
func newClient(t testing.TB, change ...func(*api.Options)) *client {
	t.Helper()
	c := &client{t: t, addr: "192.0.2.1", contract: loadContract(t)}
	c.edition = serving(catalogtest.Fixture(t))
	// Tomorrow's noon: Redis, which has a time of its own, drops at once what expires in its past.
	c.clock = testkit.NewClock(time.Now().UTC().Truncate(24 * time.Hour).Add(36 * time.Hour))
	c.meter = quota.New(quota.Options{
		Secret: []byte(rand.Text()), Logger: discardLogger, Now: c.clock.Now,
	})
	c.keys = &testKeys{held: make(map[account.Hash]account.Grant), suspended: make(map[account.Hash]bool)}
	o := api.Options{Catalog: c.edition, Meter: c.meter, Now: c.clock.Now}
	o.Auth = api.NewKeyAuthenticator(c.keys)
	for _, f := range change {
		f(&o)
	}
	c.meter = o.Meter
	var err error
	if c.api, err = api.New(o); err != nil {
		t.Fatal(err)
	}
	c.handler = web.NewObserver(web.ObserverOptions{WriteError: c.api.WriteError}).Wrap(c.api)
	return c
}

// unmetered serves without quotas; of serves a snapshot.
func unmetered(o *api.Options) { o.Meter = nil }

func of(s *catalog.Snapshot) func(*api.Options) {
	return func(o *api.Options) { o.Catalog, o.Meter = serving(s), nil }
}

// A holder is an account with a key.
type holder struct {
	account string
	plan    account.Plan
	key     account.Key
}

func (h holder) bearer() []string { return []string{"Authorization", "Bearer " + h.key.Reveal()} }

// sign gives a new account a key.
func (c *client) sign(plan account.Plan) holder {
	h := holder{rand.Text(), plan, account.NewKey()}
	c.hold(h)
	return h
}

func (c *client) hold(h holder) {
	c.keys.mu.Lock()
	defer c.keys.mu.Unlock()
	g := account.Grant{AccountID: h.account, KeyID: "key_" + h.account, Plan: h.plan}
	c.keys.held[h.key.Hash()] = g
}

func (c *client) setAsleep(h holder, suspended bool) {
	c.keys.mu.Lock()
	defer c.keys.mu.Unlock()
	c.keys.suspended[h.key.Hash()] = suspended
}

func (c *client) revoke(h holder) {
	c.keys.mu.Lock()
	defer c.keys.mu.Unlock()
	delete(c.keys.held, h.key.Hash())
}

// in is the same client in a subtest.
func (c *client) in(t testing.TB) *client {
	other := *c
	other.t = t
	return &other
}

// at is the same client at another address.
func (c *client) at(addr string) *client {
	other := *c
	other.addr = addr
	return &other
}

// path is the path of a target: one that does not begin with a slash is below /api/v1.
func path(target string) string {
	if strings.HasPrefix(target, "/") {
		return target
	}
	return "/api/v1/" + target
}

// get asks for a target, with headers given as names and values in turn.
func (c *client) get(target string, headers ...string) reply {
	c.t.Helper()
	return c.do("GET", target, headers...)
}

func (c *client) do(method, target string, headers ...string) reply {
	c.t.Helper()
	r, err := c.ask(method, target, headers...)
	if err != nil {
		c.t.Fatalf("%s %s: %v", method, target, err)
	}
	return r
}

// ask is for goroutines, which may not stop the test.
func (c *client) ask(method, target string, headers ...string) (reply, error) {
	r := httptest.NewRequestWithContext(c.t.Context(), method, path(target), http.NoBody)
	for i := 0; i < len(headers); i += 2 {
		r.Header.Add(headers[i], headers[i+1])
	}
	return c.serve(r)
}

// raw sends a request line and header lines as they are, which no client would. They go through
// the parser that reads them from connections. It reports whether that lets them through.
func (c *client) raw(line string, headers ...string) (got reply, r *http.Request, ok bool) {
	c.t.Helper()
	head := strings.Join(append([]string{line + " HTTP/1.1", "Host: test"}, headers...), "\r\n")
	r, err := http.ReadRequest(bufio.NewReader(strings.NewReader(head + "\r\n\r\n")))
	if err != nil {
		return reply{}, nil, false
	}
	if got, err = c.serve(r); err != nil {
		c.t.Fatalf("%.200q %q: %v", line, headers, err)
	}
	return got, r, true
}

func (c *client) serve(r *http.Request) (reply, error) {
	r.RemoteAddr = netip.AddrPortFrom(netip.MustParseAddr(c.addr), 1234).String()
	w := httptest.NewRecorder()
	c.handler.ServeHTTP(w, r)
	response := w.Result()
	defer response.Body.Close()
	got := reply{t: c.t, what: r.Method + " " + r.URL.String(), status: response.StatusCode}
	got.header = make(http.Header)
	for name, values := range response.Header { // as any client reads them: names have no case
		for _, v := range values {
			got.header.Add(name, v)
		}
		if plain := strings.Replace(name, "RateLimit", "Ratelimit", 1); plain != http.CanonicalHeaderKey(name) ||
			plain == name && strings.HasPrefix(name, "X-Ratelimit-") {
			return got, fmt.Errorf("the header %s is not written as in the interface", name)
		}
	}
	var err error
	if got.body, err = io.ReadAll(response.Body); err == nil {
		got.text, err = decode(got.header.Get("Content-Encoding"), got.body)
	}
	if err == nil {
		err = c.contract.check(r, got)
	}
	return got, err
}

// decode takes the content coding off.
func decode(coding string, body []byte) ([]byte, error) {
	switch {
	case len(body) == 0 || coding == "":
		return body, nil
	case coding == "gzip":
		z, err := gzip.NewReader(bytes.NewReader(body))
		if err != nil {
			return nil, err
		}
		return io.ReadAll(z)
	case coding == "zstd":
		z, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1))
		if err != nil {
			return nil, err
		}
		defer z.Close()
		return z.DecodeAll(body, nil)
	}
	return nil, fmt.Errorf("unknown content coding %q", coding)
}

// spend takes n requests from the quota of an account, or of the client's address when h is nil.
func (c *client) spend(h *holder, n int) (remaining int) {
	subject, plan := c.meter.Address(netip.MustParseAddr(c.addr)), account.Anonymous
	if h != nil {
		subject, plan = c.meter.Account(h.account), h.plan
	}
	for range n {
		remaining = c.meter.Charge(subject, plan.Limits().Daily).Remaining
	}
	return remaining
}

// cost is by how much ask lowers what is left of a quota.
func (c *client) cost(h *holder, ask func()) int {
	before := c.spend(h, 1)
	ask()
	return before - c.spend(h, 1) - 1
}

// cached is how many responses are cached.
func (c *client) cached() int {
	_, n := c.api.CacheStats()
	return n
}

// A reply is a response that keeps the contract.
type reply struct {
	t      testing.TB
	what   string
	status int
	header http.Header
	body   []byte // as it was sent
	text   []byte // without its content coding
}

// want stops the test on another status, and checks headers as has does.
func (r reply) want(status int, headers ...string) reply {
	r.t.Helper()
	if r.status != status {
		r.t.Fatalf("%.200s: status %d, want %d: %.300s", r.what, r.status, status, r.text)
	}
	return r.has(headers...)
}

// has checks headers to the letter, given as names and values in turn; "" is for a header that is
// not there.
func (r reply) has(headers ...string) reply {
	r.t.Helper()
	for i := 0; i < len(headers); i += 2 {
		if got := strings.Join(r.header.Values(headers[i]), " | "); got != headers[i+1] {
			r.t.Errorf("%.200s: %s is %q, want %q", r.what, headers[i], got, headers[i+1])
		}
	}
	return r
}

func (r reply) wantText(text string) reply {
	r.t.Helper()
	if string(r.text) != text {
		r.t.Errorf("%.200s:\ngot  %s\nwant %s", r.what, r.text, text)
	}
	return r
}

// wantError checks an error to the letter, and headers as has does.
func (r reply) wantError(status int, text string, headers ...string) reply {
	r.t.Helper()
	if got := r.errorText(); r.status != status || got != text {
		r.t.Errorf("%.200s:\ngot  %d %s\nwant %d %s", r.what, r.status, got, status, text)
	}
	return r.has(headers...)
}

func (r reply) errorText() string {
	r.t.Helper()
	var body struct{ Error string }
	r.into(&body)
	return body.Error
}

// reason is what an error says to programs.
func (r reply) reason() web.Reason {
	r.t.Helper()
	var body web.Reason
	r.into(&body)
	return body
}

func (r reply) code() web.Code {
	r.t.Helper()
	return r.reason().Code
}

func (r reply) into(v any) {
	r.t.Helper()
	if err := json.Unmarshal(r.text, v); err != nil {
		r.t.Fatalf("%s: %v: %s", r.what, err, r.text)
	}
}

func (r reply) tag() string { return r.header.Get("ETag") }

// slugs lists what is in a list.
func (r reply) slugs() string {
	r.t.Helper()
	var list struct{ Data []struct{ Slug string } }
	r.want(200).into(&list)
	var all []string
	for _, e := range list.Data {
		all = append(all, e.Slug)
	}
	return strings.Join(all, " ")
}

func (r reply) wantSlugs(want string) {
	r.t.Helper()
	testkit.Equal(r.t, r.what, r.slugs(), want)
}

// with joins headers.
func with(headers ...[]string) []string { return slices.Concat(headers...) }
