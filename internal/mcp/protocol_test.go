package mcp_test

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/catalogtest"
	"github.com/palmares-hq/palmares/internal/mcp"
	"github.com/palmares-hq/palmares/internal/testkit"
	"github.com/palmares-hq/palmares/internal/web"
)

// The list of tools is the same in both revisions, in our order, with hints and schemas: answers may grow, arguments
// may not be others.
func TestList(t *testing.T) {
	t.Parallel()
	v := serve(t, published())
	var lists []json.RawMessage
	for _, revision := range []string{handshake, stateless, handshake} {
		got := v.ask(revision, "tools/list", nil)
		testkit.Equal(t, revision, got.status, http.StatusOK)
		var list struct {
			TTL   int    `json:"ttlMs"`
			Scope string `json:"cacheScope"`
			Type  string `json:"resultType"`
			Tools json.RawMessage
		}
		testkit.Must(t, json.Unmarshal(got.rpc.Result, &list))
		testkit.Equal(t, "ttlMs", list.TTL, 3_600_000)
		testkit.Equal(t, "cacheScope", list.Scope, "public")
		testkit.Equal(t, "resultType", list.Type, map[string]string{stateless: "complete"}[revision])
		lists = append(lists, list.Tools)
	}
	if !bytes.Equal(lists[0], lists[1]) || !bytes.Equal(lists[0], lists[2]) {
		t.Error("the tools are not the same each time")
	}
	var tools []struct {
		Name, Title, Description string
		Annotations              map[string]any
		InputSchema              map[string]any
		OutputSchema             json.RawMessage
	}
	testkit.Must(t, json.Unmarshal(lists[0], &tools))
	var names []string
	for _, tool := range tools {
		names = append(names, tool.Name)
		testkit.Equal(t, tool.Name+": readOnlyHint", tool.Annotations["readOnlyHint"], any(true))
		testkit.Equal(t, tool.Name+": openWorldHint", tool.Annotations["openWorldHint"], any(false))
		testkit.Equal(t, tool.Name+": closed arguments", tool.InputSchema["additionalProperties"], any(false))
		if tool.Title == "" || len(tool.Description) < 40 || bytes.Contains(tool.OutputSchema, []byte("additionalProperties")) ||
			bytes.Contains(tool.OutputSchema, []byte(`["null","array"]`)) || bytes.Contains(tool.OutputSchema, []byte(`"description"`)) ||
			!bytes.Contains(tool.OutputSchema, []byte(`"source":{"type":"string"}`)) {
			t.Errorf("%s: %s, %s: %s", tool.Name, tool.Title, tool.Description, tool.OutputSchema)
		}
	}
	testkit.Equal(t, "order", names, mcp.Names())
}

// Whatever categories there are, the list names them as far as 10 KB go, and an edition with others has another list.
func TestList_HasTheCategories(t *testing.T) {
	t.Parallel()
	v := serve(t, published())
	const most = 10 << 10
	for name, c := range map[string]struct {
		count  int
		format string
		says   []string
		never  string
	}{
		"few":  {4, "rubrique-%d", []string{"slug or label of a category: rubrique-0, rubrique-1, rubrique-2, rubrique-3\"", "rubrique-3\",\"maxLength\":300},\"limit"}, "…\""},
		"40":   {40, "une-rubrique-%02d", []string{"une-rubrique-39\"", "as of search_tools"}, "une-rubrique-39, …"},
		"many": {5000, "r-%d", []string{"r-39, …"}, "r-40"},
		"long": {5000, strings.Repeat("x", 75) + "-%04d", []string{"x-0007, …", "as of search_tools"}, "x-0009"},
		"none": {0, "", []string{"slug or label of a category\""}, "category:"},
	} {
		s := catalogtest.Amend(published(), func(k *catalog.Contents) {
			for i := range c.count {
				slug := fmt.Sprintf(c.format, i)
				k.Categories = append(k.Categories, catalog.Category{Slug: slug, Label: "Rubrique " + slug})
			}
			k.Categories = k.Categories[4:]
		})
		v.edition.Store(s)
		for _, revision := range []string{handshake, stateless} {
			body := v.ask(revision, "tools/list", nil).body
			if len(body) > most {
				t.Errorf("%s: the list has %d bytes", name, len(body))
			}
			for _, want := range c.says {
				if !bytes.Contains(body, []byte(want)) {
					t.Errorf("%s: the list does not say %s: %.900s", name, want, body)
				}
			}
			if bytes.Contains(body, []byte(c.never)) {
				t.Errorf("%s: the list says %s: %.900s", name, c.never, body)
			}
		}
	}
}

// What clients ask first, in each revision: capabilities name tools and nothing else.
func TestBeginning(t *testing.T) {
	t.Parallel()
	v := serve(t, published())
	capabilities := func(got reply) map[string]any {
		var r struct{ Capabilities map[string]any }
		testkit.Equal(t, "status", got.status, http.StatusOK)
		testkit.Must(t, json.Unmarshal(got.rpc.Result, &r))
		return r.Capabilities
	}
	params := map[string]any{"protocolVersion": handshake, "capabilities": map[string]any{}, "clientInfo": map[string]any{"name": "test", "version": "1"}}
	for name, got := range map[string]reply{
		"initialize":            v.ask(handshake, "initialize", params),
		"initialize, no header": v.ask("", "initialize", params),
		"server/discover":       v.ask(stateless, "server/discover", nil),
	} {
		testkit.Equal(t, name, fmt.Sprint(capabilities(got)), "map[tools:map[]]")
		testkit.Equal(t, name+": session", got.header.Get("Mcp-Session-Id"), "")
	}
	testkit.Equal(t, "ping", v.ask(handshake, "ping", nil).status, http.StatusOK)
	notified := v.send("POST", "/mcp", strings.NewReader(`{"jsonrpc":"2.0","method":"notifications/initialized"}`), "Mcp-Protocol-Version", handshake)
	testkit.Equal(t, "a notification", fmt.Sprint(notified.status, len(notified.body)), "202 0")
}

// Whatever is wrong is said in JSON, with the headers that let a script read it, and costs nothing.
func TestRefused(t *testing.T) {
	t.Parallel()
	v := serve(t, published())
	const list, call = `{"jsonrpc":"2.0","id":7,"method":"tools/list"}`, `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"get_tool","arguments":{"slug":"alpha"}}}`
	cases := map[string]struct {
		method, path, body string
		headers            []string
		status, code       int
	}{
		"no body":              {"POST", "/mcp", "", nil, 400, -32700},
		"no JSON":              {"POST", "/mcp", "{", nil, 400, -32700},
		"a word":               {"POST", "/mcp", "ping", nil, 400, -32700},
		"a number":             {"POST", "/mcp", "7", nil, 400, -32600},
		"no JSON-RPC":          {"POST", "/mcp", `{"a":1}`, nil, 400, -32600},
		"an array":             {"POST", "/mcp", "[" + call + "," + call + "]", nil, 400, -32600},
		"an array of one":      {"POST", "/mcp", " \n[" + list + "]", []string{"Mcp-Protocol-Version", "2025-03-26"}, 400, -32600},
		"two messages":         {"POST", "/mcp", list + list, nil, 400, -32700},
		"two methods":          {"POST", "/mcp", `{"jsonrpc":"2.0","id":7,"method":"ping","method":"tools/list"}`, nil, 400, -32600},
		"too large":            {"POST", "/mcp", "{" + strings.Repeat(" ", 64<<10) + "}", nil, 413, -32600},
		"another type":         {"POST", "/mcp", list, []string{"Content-Type", "text/plain"}, 415, -32600},
		"another answer":       {"POST", "/mcp", list, []string{"Accept", "text/html"}, 400, -32600},
		"an unknown method":    {"POST", "/mcp", `{"jsonrpc":"2.0","id":7,"method":"tools/explode"}`, nil, 200, -32601},
		"an unknown revision":  {"POST", "/mcp", list, []string{"Mcp-Protocol-Version", "2024-01-01"}, 400, -32600},
		"GET":                  {"GET", "/mcp", "", nil, 405, -32601},
		"DELETE":               {"DELETE", "/mcp", "", nil, 405, -32601},
		"a path below":         {"POST", "/mcp/tools", list, nil, 404, -32601},
		"listening":            {"POST", "/mcp", `{"jsonrpc":"2.0","id":7,"method":"subscriptions/listen"}`, nil, 404, -32601},
		"a bad key":            {"POST", "/mcp", list, []string{"Authorization", "Bearer plm_faux"}, 401, -32000},
		"a bad scheme":         {"POST", "/mcp", list, []string{"Authorization", "Basic YTpi"}, 401, -32000},
		"an unknown tool":      {"POST", "/mcp", strings.Replace(call, "get_tool", "explode", 1), nil, 200, -32602},
		"a resumed stream":     {"POST", "/mcp", list, []string{"Last-Event-ID", "1"}, 400, -32600},
		"no method in headers": {"POST", "/mcp", list, []string{"Mcp-Protocol-Version", stateless}, 400, -32602},
	}
	reasons := map[string]web.Code{
		"too large": web.CodeTooLarge, "an unknown method": web.CodeMethod, "GET": web.CodeMethod, "DELETE": web.CodeMethod,
		"a path below": web.CodeNoSuchPath, "listening": web.CodeMethod, "a bad key": web.CodeKeyInvalid, "a bad scheme": web.CodeKeyInvalid,
	}
	for name, c := range cases {
		got := v.send(c.method, c.path, strings.NewReader(c.body), c.headers...)
		if c.path != "/mcp" {
			testkit.Must(t, json.Unmarshal(got.body, &got.rpc))
		}
		if got.status != c.status || got.rpc.Error == nil || got.rpc.Error.Code != c.code || got.rpc.Error.Message == "" || got.rpc.Version != "2.0" {
			t.Errorf("%s: %d %s, want %d and %d", name, got.status, got.body, c.status, c.code)
		}
		if e := got.rpc.Error; e != nil {
			testkit.Equal(t, name, e.Data.Code, cmp.Or(reasons[name], web.CodeBadParameter))
		}
		if got.header.Get("Access-Control-Allow-Origin") != "*" || !strings.HasPrefix(got.header.Get("Content-Type"), "application/json") ||
			got.header.Get("Cache-Control") != "no-store" {
			t.Errorf("%s: %v", name, got.header)
		}
	}
	for _, method := range []string{"prompts/get", "resources/read", "logging/setLevel", "completion/complete", "tools/explode", "subscriptions/listen"} {
		got := v.ask(stateless, method, nil)
		if got.status != http.StatusNotFound || got.rpc.Error == nil || got.rpc.Error.Code != -32601 {
			t.Errorf("%s, which no capability names: %d %s", method, got.status, got.body)
		}
	}
	got := v.send("POST", "/mcp", strings.NewReader(list), "Authorization", "Bearer plm_faux")
	testkit.Equal(t, "the id of a message that was not read", string(got.rpc.ID), "null")
	testkit.Equal(t, "WWW-Authenticate", got.header.Get("Www-Authenticate"), `Bearer realm="api", error="invalid_token"`)
	testkit.Equal(t, "Allow", v.send("GET", "/mcp", nil).header.Get("Allow"), "POST, OPTIONS")
}

// The newer revision wants headers that say what the body says; the older one needs none.
func TestHeaders(t *testing.T) {
	t.Parallel()
	v := serve(t, published())
	arguments := map[string]any{"name": "get_tool", "arguments": map[string]any{"slug": "alpha"}}
	for name, headers := range map[string][]string{
		"no method":      {"Mcp-Method", ""},
		"another method": {"Mcp-Method", "tools/list"},
		"no name":        {"Mcp-Name", ""},
		"another name":   {"Mcp-Name", "search_tools"},
	} {
		got := v.ask(stateless, "tools/call", arguments, headers...)
		if got.status != http.StatusBadRequest || got.rpc.Error == nil || got.rpc.Error.Code != -32020 {
			t.Errorf("%s: %d %s", name, got.status, got.body)
		}
		if got := v.ask(handshake, "tools/call", arguments, headers...); got.status != http.StatusOK || got.rpc.Error != nil {
			t.Errorf("%s, %s: %d %s", handshake, name, got.status, got.body)
		}
	}
}

// A script of any origin may send what clients send.
func TestPreflight(t *testing.T) {
	t.Parallel()
	v := serve(t, published())
	wanted := []string{"content-type", "authorization", "mcp-protocol-version", "mcp-method", "mcp-name"}
	got := v.send("OPTIONS", "/mcp", nil, "Origin", "https://agent.example", "Access-Control-Request-Method", "POST",
		"Access-Control-Request-Headers", strings.Join(wanted, ","))
	testkit.Equal(t, "status", got.status, http.StatusNoContent)
	testkit.Equal(t, "methods", got.header.Get("Access-Control-Allow-Methods"), "POST, OPTIONS")
	testkit.Equal(t, "origin", got.header.Get("Access-Control-Allow-Origin"), "*")
	allowed := strings.Split(strings.ToLower(got.header.Get("Access-Control-Allow-Headers")), ", ")
	for _, name := range wanted {
		if !slices.Contains(allowed, name) {
			t.Errorf("%s is not allowed: %v", name, allowed)
		}
	}
	foreign := v.ask(handshake, "tools/list", nil, "Origin", "https://agent.example", "Host", "elsewhere.example")
	testkit.Equal(t, "another origin", foreign.status, http.StatusOK)
}

// A call of a tool is one charge, whatever comes of it; nothing else is. Two keys of one name do not fool who counts.
func TestCharges(t *testing.T) {
	t.Parallel()
	v := serve(t, published())
	call := func(name string) string {
		return `"params":{"name":"` + name + `","arguments":{"slug":"alpha"}}`
	}
	v.call(handshake, "get_tool", map[string]any{"slug": "alpha"}, v.bearer()...) // now the meter knows the account
	for name, c := range map[string]struct {
		body string
		cost int
	}{
		"a call":                    {`{"jsonrpc":"2.0","id":1,"method":"tools/call",` + call("get_tool") + `}`, 1},
		"one that fails":            {`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"get_tool","arguments":{"slug":"x"}}}`, 1},
		"of a tool that is not":     {`{"jsonrpc":"2.0","id":1,"method":"tools/call",` + call("explode") + `}`, 1},
		"without an id":             {`{"jsonrpc":"2.0","method":"tools/call",` + call("get_tool") + `}`, 1},
		"a list":                    {`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`, 0},
		"a ping":                    {`{"jsonrpc":"2.0","id":1,"method":"ping"}`, 0},
		"an array":                  {`[{"jsonrpc":"2.0","id":1,"method":"tools/call",` + call("get_tool") + `}]`, 0},
		"listening":                 {`{"jsonrpc":"2.0","id":1,"method":"subscriptions/listen"}`, 0},
		"a second, capital key":     {`{"jsonrpc":"2.0","id":1,"method":"tools/call",` + call("get_tool") + `,"Method":"tools/list"}`, 1},
		"an escaped method":         {`{"jsonrpc":"2.0","id":1,"method":"tools\/call",` + call("get_tool") + `}`, 1},
		"the same, by letters":      {`{"jsonrpc":"2.0","id":1,"method":"tool\u0073/call",` + call("get_tool") + `}`, 1},
		"a method with a capital":   {`{"jsonrpc":"2.0","id":1,"method":"Tools/call",` + call("get_tool") + `}`, 0},
		"a response nobody awaited": {`{"jsonrpc":"2.0","id":1,"result":{}}`, 0},
	} {
		before := v.left()
		got := v.send("POST", "/mcp", strings.NewReader(c.body), append(v.bearer(), "Mcp-Protocol-Version", handshake)...)
		cost := before - v.left()
		ran := strings.Contains(string(got.body), "structuredContent")
		if cost != c.cost || ran && cost != 1 {
			t.Errorf("%s costs %d, want %d: %d %.200s", name, cost, c.cost, got.status, got.body)
		}
	}
	for _, body := range []string{ // whichever of the two a decoder prefers, nothing runs
		`{"jsonrpc":"2.0","id":1,"method":"tools/list","method":"tools/call",` + call("get_tool") + `}`,
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","method":"tools/list",` + call("get_tool") + `}`,
	} {
		before := v.left()
		got := v.send("POST", "/mcp", strings.NewReader(body), append(v.bearer(), "Mcp-Protocol-Version", handshake)...)
		if got.status != http.StatusBadRequest || strings.Contains(string(got.body), "structuredContent") {
			t.Errorf("%s: %d %.200s, and cost %d", body, got.status, got.body, before-v.left())
		}
	}
}

// The quota of the API ends the calls of agents, with the same words and headers, and leaves the rest free.
func TestQuota(t *testing.T) {
	t.Parallel()
	v := serve(t, published())
	daily := account.Developer.Limits().Daily
	subject := v.meter.Account("ada")
	for range daily - 1 {
		v.meter.Charge(subject, daily)
	}
	first := v.ask(handshake, "tools/call", map[string]any{"name": "search_tools"}, v.bearer()...)
	testkit.Equal(t, "the last call", first.status, http.StatusOK)
	testkit.Equal(t, "what is left", first.header.Get("X-RateLimit-Remaining"), "0")
	for _, revision := range []string{handshake, stateless} {
		got := v.ask(revision, "tools/call", map[string]any{"name": "search_tools"}, v.bearer()...)
		var said struct {
			Error string `json:"error"`
		}
		api := v.send("GET", "/api/v1/stats", nil, v.bearer()...)
		testkit.Must(t, json.Unmarshal(api.body, &said))
		testkit.Equal(t, "status", got.status, http.StatusTooManyRequests)
		testkit.Equal(t, "error", got.rpc.Error.Message, said.Error)
		testkit.Equal(t, "code", got.rpc.Error.Data.Code, web.CodeQuota)
		for _, name := range []string{"X-RateLimit-Remaining", "X-RateLimit-Tier", "X-RateLimit-Reset"} {
			if got.header.Get(name) == "" || got.header.Get(name) != api.header.Get(name) {
				t.Errorf("%s: %q, and %q of the API", name, got.header.Get(name), api.header.Get(name))
			}
		}
		if got.header.Get("Retry-After") == "" {
			t.Error("no Retry-After")
		}
		testkit.Equal(t, "a list", v.ask(revision, "tools/list", nil, v.bearer()...).status, http.StatusOK)
	}
	testkit.Equal(t, "calls", v.calls, []string{"search_tools answered"})
}

// A message may come in pieces, and what comes after 64 KB is not read.
func TestBody(t *testing.T) {
	t.Parallel()
	v := serve(t, published())
	pieces := func(parts ...string) io.Reader {
		r, w := io.Pipe()
		go func() {
			for _, p := range parts {
				_, _ = io.WriteString(w, p)
			}
			w.Close()
		}()
		return r
	}
	got := v.send("POST", "/mcp", pieces(`{"jsonrpc":"2.0",`, `"id":1,"method":`, `"tools/list"}`))
	testkit.Equal(t, "in pieces", got.status, http.StatusOK)

	conn, err := net.Dial("tcp", strings.TrimPrefix(v.url, "http://"))
	testkit.Must(t, err)
	defer conn.Close()
	_, err = fmt.Fprintf(conn, "POST /mcp HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 1000000000\r\n\r\n{%s", strings.Repeat(" ", 65<<10))
	testkit.Must(t, err)
	answer := make([]byte, 100)
	n, err := io.ReadAtLeast(conn, answer, 20)
	testkit.Must(t, err)
	if !strings.HasPrefix(string(answer[:n]), "HTTP/1.1 413") {
		t.Errorf("a gigabyte that never comes: %s", answer[:n])
	}
}
