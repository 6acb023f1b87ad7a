package mcp_test

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"reflect"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/palmares-hq/palmares/internal/testkit"
)

// official is a server of the official SDK with a tool of ours.
func official(t *testing.T, v *service) http.Handler {
	t.Helper()
	begun := v.ask(handshake, "initialize", map[string]any{"protocolVersion": handshake})
	var self struct {
		Instructions string
		ServerInfo   struct{ Name, Version string }
	}
	testkit.Must(t, json.Unmarshal(begun.rpc.Result, &self))
	server := sdk.NewServer(&sdk.Implementation{Name: self.ServerInfo.Name, Version: self.ServerInfo.Version}, &sdk.ServerOptions{
		Instructions: self.Instructions, Capabilities: &sdk.ServerCapabilities{Tools: &sdk.ToolCapabilities{}},
		SetCacheable: func(_ context.Context, _ sdk.Request, c *sdk.Cacheable) { c.TTLMs, c.CacheScope = 3_600_000, "public" },
	})
	server.AddTool(&sdk.Tool{Name: "get_tool", InputSchema: map[string]any{"type": "object"}}, func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		return &sdk.CallToolResult{}, nil
	})
	return sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return server }, &sdk.StreamableHTTPOptions{
		Stateless: true, JSONResponse: true, DisableLocalhostProtection: true,
	})
}

// The server says what the official SDK says, for every method in every revision, whatever is wrong with the message or
// its headers: the same status, the same code, and the same result but for what tools are and return.
func TestSpeaksAsTheSDK(t *testing.T) {
	t.Parallel()
	v := serve(t, published())
	oracle := official(t, v)
	const whole = `"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}`
	call := `"name":"get_tool","arguments":{"slug":"alpha"}`
	bodies := []string{"", "null", `"x"`, `{"jsonrpc":"2.0","id":7,"result":{}}`, `{"jsonrpc":"2.0","id":7}`, `{"jsonrpc":"2.0"}`, `{"jsonrpc":"1.0","id":7,"method":"ping"}`}
	for _, method := range []string{
		"initialize", "ping", "server/discover", "tools/list", "tools/call", "prompts/list", "resources/list", "resources/templates/list",
		"notifications/initialized", "notifications/cancelled", "Tools/list", "",
	} {
		for _, id := range []string{`"id":7,`, `"id":"é<&>","`[:len(`"id":"é<&>",`)], `"id":-0,`, `"id":null,`, `"id":{},`, `"id":true,`, ""} {
			bodies = append(bodies, `{"jsonrpc":"2.0",`+id+`"method":"`+method+`","params":{`+call+`}}`)
		}
		for _, params := range []string{
			``, `,"params":null`, `,"params":{}`, `,"params":[]`, `,"params":{"cursor":""}`, `,"params":{"cursor":"x"}`,
			`,"params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"a","version":"1"}}`,
			`,"params":{"protocolVersion":"2026-07-28"}`, `,"params":{"protocolVersion":"1999-01-01"}`,
			`,"params":{"name":"nothing"}`, `,"params":{"name":7}`, `,"params":{"name":"get_tool"}`,
			`,"params":{` + call + `,"_meta":{` + whole + `}}`,
			`,"params":{` + call + `,"_meta":{` + whole + `,"io.modelcontextprotocol/clientInfo":{"name":"a","version":"1"}}}`,
			`,"params":{` + call + `,"_meta":{` + whole + `,"io.modelcontextprotocol/clientInfo":7}}`,
			`,"params":{` + call + `,"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}`,
			`,"params":{` + call + `,"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":7}}`,
			`,"params":{` + call + `,"_meta":{"io.modelcontextprotocol/protocolVersion":"2025-11-25"}}`,
			`,"params":{` + call + `,"_meta":{"io.modelcontextprotocol/protocolVersion":"2031-01-01","io.modelcontextprotocol/clientCapabilities":{}}}`,
			`,"params":{` + call + `,"_meta":{"progressToken":1}}`,
		} {
			bodies = append(bodies, `{"jsonrpc":"2.0","id":7,"method":"`+method+`"`+params+`}`, `{"jsonrpc":"2.0","method":"`+method+`"`+params+`}`)
		}
	}
	headers := []map[string]string{
		{},
		{"Mcp-Protocol-Version": "2025-03-26"},
		{"Mcp-Protocol-Version": handshake},
		{"Mcp-Protocol-Version": "1999-01-01"},
		{"Mcp-Protocol-Version": stateless, "Mcp-Method": "METHOD", "Mcp-Name": "get_tool"},
		{"Mcp-Protocol-Version": stateless, "Mcp-Method": "ping"},
		{"Mcp-Protocol-Version": stateless, "Mcp-Method": "METHOD"},
		{"Mcp-Protocol-Version": "2031-01-01", "Mcp-Method": "METHOD", "Mcp-Name": "get_tool"},
		{"Accept": ""},
		{"Accept": "application/json"},
		{"Accept": "text/*;q=0.1, APPLICATION/*"},
		{"Accept": "*/*"},
		{"Content-Type": ""},
		{"Content-Type": "Application/JSON; charset=utf-8"},
		{"Content-Type": "application/json-rpc"},
		{"Last-Event-ID": "1"},
	}
	for i, body := range bodies {
		var sent struct{ Method string }
		_ = json.Unmarshal([]byte(body), &sent)
		for j, h := range headers {
			r := func() *http.Request {
				r := httptest.NewRequest(http.MethodPost, "/mcp", strings.NewReader(body))
				r.RemoteAddr = fmt.Sprintf("10.%d.%d.%d:1", i>>8, i&255, j) // each is somebody else's, or the quota would end them
				r.Header.Set("Content-Type", "application/json")
				r.Header.Set("Accept", "application/json, text/event-stream")
				for name, value := range h {
					if r.Header.Set(name, strings.Replace(value, "METHOD", sent.Method, 1)); value == "" {
						r.Header.Del(name)
					}
				}
				return r
			}
			if ours, theirs := answerOf(v.handler, r()), answerOf(oracle, r()); !alike(body, ours, theirs) {
				t.Errorf("%s with %v: we say %.300v, and the SDK %.300v", body, h, ours, theirs)
			}
		}
	}
}

// An outcome is what a server said.
type outcome struct {
	status, code int
	id, result   any
}

// answerOf sends a request to a handler.
func answerOf(h http.Handler, r *http.Request) (o outcome) {
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	var said struct {
		ID     any
		Result any
		Error  *struct {
			Code int
			Data any
		}
	}
	o.status = w.Code
	if json.Unmarshal(w.Body.Bytes(), &said) != nil {
		return o // said in plain text
	}
	o.id, o.result = said.ID, said.Result
	if said.Error != nil {
		o.code, o.result = said.Error.Code, said.Error.Data
	}
	return o
}

// alike reports whether we said of a message what the SDK did. What differs, and why, is here.
func alike(body string, ours, theirs outcome) bool {
	refused := theirs.result == nil && theirs.status != http.StatusAccepted
	switch {
	case refused && ours.code == -32601 && (strings.Contains(body, `"Tools/list"`) || strings.Contains(body, `"method":""`)): // older clients take a 404 for the end of their session, and a 400 for their fault
		return true
	case strings.Contains(body, `"params":null`) || strings.Contains(body, `"params":[]`): // it has no code for some of these
		return refused == (ours.code != 0)
	case ours.status != theirs.status:
		return false
	case refused && theirs.code == 0: // in plain text
		return ours.code != 0
	}
	for _, o := range []*outcome{&ours, &theirs} {
		if fields, ok := o.result.(map[string]any); ok {
			rest := maps.Clone(fields)
			for _, name := range []string{"tools", "content", "structuredContent", "isError"} {
				delete(rest, name)
			}
			if o.code != 0 { // the reasons are ours alone
				delete(rest, "code")
				delete(rest, "parameter")
			}
			if o.result = rest; o.code != 0 && len(rest) == 0 {
				o.result = nil
			}
		}
	}
	return ours.code == theirs.code && reflect.DeepEqual(ours.id, theirs.id) && reflect.DeepEqual(ours.result, theirs.result)
}
