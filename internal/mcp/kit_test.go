package mcp_test

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/api"
	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/catalogtest"
	"github.com/palmares-hq/palmares/internal/changes"
	"github.com/palmares-hq/palmares/internal/mcp"
	"github.com/palmares-hq/palmares/internal/quota"
	"github.com/palmares-hq/palmares/internal/testkit"
	"github.com/palmares-hq/palmares/internal/web"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// The revisions of the protocol that clients speak.
const (
	handshake = "2025-11-25" // begins with initialize, needs no headers
	stateless = "2026-07-28" // each message says all about itself, in headers too
)

// keys are those of a node, without a database behind them.
type keys map[account.Hash]account.Grant

func (k keys) Find(h account.Hash) (account.Grant, bool)         { g, held := k[h]; return g, held }
func (k keys) Suspended(account.Hash) bool                       { return false }
func (k keys) Refresh(ctx context.Context, _ account.Hash) error { return ctx.Err() }

// An edition is what a node serves: nothing comes after it.
type edition struct {
	atomic.Pointer[catalog.Snapshot]
}

func (e *edition) Current() *catalog.Snapshot { return e.Load() }
func (e *edition) Swapped() <-chan struct{}   { return nil }

// asked is the edition as tools see it, until it is broken.
type asked struct {
	*edition
	broken atomic.Bool
}

func (a *asked) Current() *catalog.Snapshot {
	if a.broken.Load() {
		panic("broken")
	}
	return a.edition.Current()
}

// A service answers on a real connection, with the API beside it.
type service struct {
	t       testing.TB
	url     string
	handler http.Handler // without the connection
	edition edition
	asked   asked
	meter   *quota.Meter
	key     account.Key // of a free account
	clock   *testkit.Clock

	mu    sync.Mutex
	calls []string // of tools, with their outcomes
}

func serve(t testing.TB, s *catalog.Snapshot, edits ...func(*mcp.Options)) *service {
	t.Helper()
	v := &service{t: t, key: account.NewKey(), clock: testkit.NewClock(time.Now())}
	v.edition.Store(s)
	var log testkit.Log
	v.meter = quota.New(quota.Options{Secret: []byte(rand.Text()), Logger: log.Logger()})
	held := keys{v.key.Hash(): {AccountID: "ada", KeyID: "key_ada", Plan: account.Developer}}
	listener := httptest.NewUnstartedServer(nil)
	v.url = "http://" + listener.Listener.Addr().String()
	handler, err := api.New(api.Options{Catalog: &v.edition, Auth: api.NewKeyAuthenticator(held), Meter: v.meter, BaseURL: v.url})
	testkit.Must(t, err)
	v.asked.edition = &v.edition
	o := mcp.Options{
		Catalog: &v.asked, Changes: changes.NewReader(&v.edition, nil), API: handler, BaseURL: v.url, Version: "1.2.3", Now: v.clock.Now,
		Called: func(tool, outcome string) {
			v.mu.Lock()
			defer v.mu.Unlock()
			v.calls = append(v.calls, tool+" "+outcome)
		},
	}
	for _, edit := range edits {
		edit(&o)
	}
	server := mcp.New(o)
	mux := http.NewServeMux()
	mux.Handle("/api/", handler)
	mux.Handle("/mcp", server)
	documents := mcp.NewDocuments(&v.edition, v.url, "1.2.3", false)
	for _, path := range mcp.DocumentPaths() {
		mux.Handle(path, documents)
	}
	mux.Handle("/mcp/", server)
	listener.Config.Handler = web.NewObserver(web.ObserverOptions{
		Logger: log.Logger(), WriteError: server.WriteError, Proxies: web.Proxies{netip.MustParsePrefix("127.0.0.1/32")},
	}).Wrap(mux)
	v.handler = listener.Config.Handler
	listener.Start()
	t.Cleanup(func() {
		http.DefaultClient.CloseIdleConnections()
		listener.Close()
	})
	return v
}

// A reply is what came back.
type reply struct {
	status int
	header http.Header
	body   []byte
	rpc    struct {
		Version string          `json:"jsonrpc"`
		ID      json.RawMessage `json:"id"`
		Result  json.RawMessage `json:"result"`
		Error   *struct {
			Code    int    `json:"code"`
			Message string `json:"message"`
			Data    web.Reason
		} `json:"error"`
	}
}

// send sends a request as it is, headers given as names and values in turn. An empty value takes a header away.
func (v *service) send(method, path string, body io.Reader, headers ...string) reply {
	v.t.Helper()
	r, err := http.NewRequestWithContext(v.t.Context(), method, v.url+path, body)
	testkit.Must(v.t, err)
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	for i := 0; i < len(headers); i += 2 {
		if r.Header.Set(headers[i], headers[i+1]); headers[i+1] == "" {
			r.Header.Del(headers[i])
		}
	}
	response, err := http.DefaultClient.Do(r)
	testkit.Must(v.t, err)
	defer response.Body.Close()
	got := reply{status: response.StatusCode, header: response.Header}
	got.body, err = io.ReadAll(response.Body)
	testkit.Must(v.t, err)
	if len(got.body) > 0 && path == "/mcp" {
		if err := json.Unmarshal(got.body, &got.rpc); err != nil {
			v.t.Fatalf("%s %s: no JSON: %s", method, path, got.body)
		}
		if e := got.rpc.Error; e != nil && (!slices.Contains(web.Codes(), e.Data.Code) || (e.Data.Code == web.CodeBadParameter) != (e.Data.Parameter == "message")) {
			v.t.Errorf("%s %s: no reason of an error: %s", method, path, got.body)
		}
	}
	return got
}

// ask sends a message of a revision of the protocol with what that wants.
func (v *service) ask(revision, method string, params map[string]any, headers ...string) reply {
	v.t.Helper()
	sent := map[string]any{}
	maps.Copy(sent, params)
	headers = append([]string{"Mcp-Protocol-Version", revision}, headers...)
	if revision == stateless {
		sent["_meta"] = map[string]any{
			"io.modelcontextprotocol/protocolVersion": revision, "io.modelcontextprotocol/clientCapabilities": map[string]any{},
			"io.modelcontextprotocol/clientInfo": map[string]any{"name": "test", "version": "1"},
		}
		headers = append([]string{"Mcp-Method", method}, headers...)
		if name, ok := params["name"].(string); ok {
			headers = append([]string{"Mcp-Name", name}, headers...)
		}
	}
	message, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": 7, "method": method, "params": sent})
	testkit.Must(v.t, err)
	return v.send("POST", "/mcp", bytes.NewReader(message), headers...)
}

// A result is what a call of a tool returned.
type result struct {
	IsError bool `json:"isError"`
	Content []struct {
		Type string `json:"type"`
		Text string `json:"text"`
	} `json:"content"`
	Structured map[string]any `json:"structuredContent"`
}

func (v *service) call(revision, tool string, arguments any, headers ...string) result {
	v.t.Helper()
	got := v.ask(revision, "tools/call", map[string]any{"name": tool, "arguments": arguments}, headers...)
	if got.status != http.StatusOK || got.rpc.Error != nil {
		v.t.Fatalf("%s %v: %d %s", tool, arguments, got.status, got.body)
	}
	var r result
	testkit.Must(v.t, json.Unmarshal(got.rpc.Result, &r))
	return r
}

// left is what is left of the quota of the account.
func (v *service) left() int {
	n, _ := v.meter.Remaining(v.meter.Account("ada"), account.Developer.Limits().Daily)
	return n
}

func (v *service) bearer() []string { return []string{"Authorization", "Bearer " + v.key.Reveal()} }

// world is a catalog in which every tool has something to tell.
func world() *catalog.Contents {
	c := catalogtest.Contents(
		catalogtest.Tool("alpha", catalogtest.Named("Alpha"), catalogtest.Scored(910), func(t *catalog.Tool) {
			t.Formerly = []string{"alef"}
			t.Domain, t.Facts.Price = "alpha.example", catalog.Fact{Source: "https://alpha.example/prix", Checked: "2026-11-03"}
		}, catalogtest.Reviewed("Un outil **sérieux**. "+strings.Repeat("Il tient ses promesses. ", 60)), catalogtest.Written("## Résumé\n\nUn outil **sérieux**. "+strings.Repeat("Il tient ses promesses. ", 60))),
		catalogtest.Tool("beta", catalogtest.Named("Béta"), catalogtest.Scored(870), catalogtest.Priced(catalog.Paid, "24 €/mois"),
			catalogtest.Packaged("pkg:npm/beta"), catalogtest.Tagline("Un outil"), catalogtest.Reviewed("En français."),
			catalogtest.Written("En français."), func(t *catalog.Tool) {
				t.English.Tagline.Text = "A tool"
				t.English.Review.Markdown = catalog.NewMarkdown("In English.")
			}),
		catalogtest.Tool("gamma", catalogtest.Named("Gamma"), catalogtest.Scored(420), func(t *catalog.Tool) {
			t.Ending = catalog.Ending{At: "2027-03-31", Source: "https://gamma.example/fin", Successor: "alpha"}
		}),
		catalogtest.Tool("delta", catalogtest.Named("Delta"), catalogtest.Unscored, catalogtest.Tagline("Un autre"), catalogtest.Priced(catalog.Free, "0 €/mois")),
		catalogtest.Comparison("alpha-ou-beta", "alpha", "beta", func(c *catalog.Comparison) {
			c.Title, c.English.Title.Text, c.Note, c.English.Note.Text = "Alpha ou Béta", "Alpha or Beta", "Alpha gagne.", "Alpha wins."
		}),
		catalogtest.Retired("omega", func(r *catalog.Retired) {
			r.Name, r.Category, r.Successor, r.Formerly, r.Domain = "Oméga", "code", "alpha", []string{"om"}, "omega.example"
			r.English.Note.Text = "Closed."
		}),
	)
	c.Categories[3].English.Text = "Category without tools"
	return c
}

// published is the world with a change of a price and a new tool behind it.
func published() *catalog.Snapshot {
	first := catalogtest.First(world(), catalog.Edition{Number: 1, ID: "first", PublishedAt: time.Date(2025, 1, 10, 9, 0, 0, 0, time.UTC)})
	return catalogtest.Amend(first, func(c *catalog.Contents) {
		catalogtest.Find(c, "beta").Price = "29 €/mois"
		c.Tools = append(c.Tools, catalogtest.Tool("epsilon", catalogtest.Scored(800)))
		c.Sort()
	})
}
