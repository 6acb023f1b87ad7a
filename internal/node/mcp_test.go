package node

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/palmares-hq/palmares/internal/mcp"
	"github.com/palmares-hq/palmares/internal/pgtest"
	"github.com/palmares-hq/palmares/internal/testkit"
)

// agentCall is a call of a tool, as an agent sends it.
func agentCall(ctx context.Context, base, tool, arguments string) (*http.Request, error) {
	body := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"` + tool + `","arguments":` + arguments + `}}`
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, base+mcp.Path, strings.NewReader(body))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	req.Header.Set("Mcp-Protocol-Version", "2025-11-25")
	return req, nil
}

// asAgent calls a tool and gives the structured answer.
func asAgent(t *testing.T, base, key, tool, arguments string) (testkit.Response, map[string]any) {
	t.Helper()
	req, err := agentCall(t.Context(), base, tool, arguments)
	must(t, err)
	if key != "" {
		req.Header.Set("Authorization", "Bearer "+key)
	}
	r, err := testkit.Do(http.DefaultClient, req)
	must(t, err)
	var said struct {
		Result struct {
			Structured map[string]any `json:"structuredContent"`
		} `json:"result"`
	}
	if err := json.Unmarshal([]byte(r.Body), &said); err != nil {
		t.Fatalf("%s: %v", tool, r)
	}
	return r, said.Result.Structured
}

// agents asks through the cache: each call reaches a node, is its caller's own and is counted, and a page never
// takes its place.
func (c *cache) agents(t *testing.T) {
	for _, slug := range []string{"ame", "zebre"} {
		r, said := asAgent(t, c.url, c.developer, "get_tool", `{"slug":"`+slug+`"}`)
		tool, _ := said["tool"].(map[string]any)
		if tool["slug"] != slug || r.Header.Get("X-Ratelimit-Tier") == "" {
			t.Errorf("%s: %v", slug, r)
		}
	}
	long, err := agentCall(t.Context(), c.url, "check_stack", `{"items":["`+strings.Repeat("x", 70_000)+`"]}`)
	must(t, err)
	if r, err := testkit.Do(http.DefaultClient, long); err != nil || r.Status != http.StatusRequestEntityTooLarge || !strings.Contains(r.Body, `"jsonrpc"`) {
		t.Errorf("a message that is too long: %v, %v", r, err)
	}
	before, _ := asAgent(t, c.url, c.developer, "search_tools", `{}`)
	after, _ := asAgent(t, c.url, c.developer, "search_tools", `{}`)
	if a, b := before.Header.Get("X-Ratelimit-Remaining"), after.Header.Get("X-Ratelimit-Remaining"); a == b {
		t.Errorf("the same call twice leaves %s and %s", a, b)
	}
	if r, _ := asAgent(t, c.url, "", "search_tools", `{}`); !r.OK() || r.Header.Get("X-Ratelimit-Tier") != "" {
		t.Errorf("without a key: %v %v", r, r.Header)
	}
	for _, path := range mcp.DocumentPaths() {
		if r, err := testkit.Fetch(c.url+path, nil); err != nil || !r.OK() || !strings.Contains(r.Header.Get("Content-Type"), "json") {
			t.Errorf("%s: %v %v", path, r, err)
		}
	}
}

// A node of any public role says where programs find the API and what agents ask; only one that has the API answers
// agents. Calls are counted by tool and outcome.
func TestMCP_ByRole(t *testing.T) {
	t.Parallel()
	db := pgtest.Migrated(t)
	publishDir(t, db, fixtureCatalog)
	for _, c := range []struct {
		roles  []string
		status int
	}{{[]string{API}, 200}, {[]string{Site}, 405}, {[]string{API, Site}, 200}} {
		n := startRoles(t, c.roles, db)
		n.ready()
		for _, path := range mcp.DocumentPaths() {
			if r := n.get(path, ""); !r.OK() {
				t.Errorf("%v: %s: %v", c.roles, path, r)
			}
		}
		req, err := agentCall(t.Context(), n.public, "search_tools", `{}`)
		must(t, err)
		r, err := testkit.Do(http.DefaultClient, req)
		must(t, err)
		testkit.Equal(t, strings.Join(c.roles, " "), r.Status, c.status)
		if c.status == http.StatusOK {
			asAgent(t, n.public, "", "get_tool", `{"slug":"personne"}`)
			n.metrics(map[string]float64{
				`palmares_mcp_calls_total\{outcome="answered",tool="search_tools"\}`: 1,
				`palmares_mcp_calls_total\{outcome="refused",tool="get_tool"\}`:      1,
				`palmares_mcp_calls_total\{outcome="failed",tool="unknown"\}`:        0,
			})
		}
	}
}
