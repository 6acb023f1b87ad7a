package mcp_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// BenchmarkCall answers messages without a connection: what is measured is what a node does for an agent, beside reading
// and writing.
func BenchmarkCall(b *testing.B) {
	v := serve(b, published())
	for _, c := range []struct{ name, method, params string }{
		{"get_tool", "tools/call", `"name":"get_tool","arguments":{"slug":"alpha"}`},
		{"search_tools", "tools/call", `"name":"search_tools","arguments":{"q":"alpha"}`},
		{"check_stack", "tools/call", `"name":"check_stack","arguments":{"items":["alpha","beta","omega"]}`},
		{"refused", "tools/call", `"name":"get_tool","arguments":{"slug":7}`},
		{"list", "tools/list", ``},
	} {
		for _, revision := range []string{handshake, stateless} {
			b.Run(c.name+"/"+revision, func(b *testing.B) {
				params := c.params
				if revision == stateless {
					params += `,"_meta":{"io.modelcontextprotocol/protocolVersion":"` + stateless + `","io.modelcontextprotocol/clientCapabilities":{},` +
						`"io.modelcontextprotocol/clientInfo":{"name":"test","version":"1"}}`
				}
				body := fmt.Sprintf(`{"jsonrpc":"2.0","id":7,"method":%q,"params":{%s}}`, c.method, strings.TrimPrefix(params, ","))
				b.ReportAllocs()
				for i := 0; b.Loop(); i++ {
					r := httptest.NewRequest(http.MethodPost, "/mcp", strings.NewReader(body))
					r.RemoteAddr = fmt.Sprintf("10.%d.%d.%d:1", i>>14&255, i>>7&255, i&127) // each has its own quota
					r.Header.Set("Content-Type", "application/json")
					r.Header.Set("Accept", "application/json, text/event-stream")
					r.Header.Set("Mcp-Protocol-Version", revision)
					r.Header.Set("Mcp-Method", c.method)
					if c.method == "tools/call" {
						r.Header.Set("Mcp-Name", map[bool]string{true: "get_tool", false: c.name}[c.name == "refused"])
					}
					w := httptest.NewRecorder()
					if v.handler.ServeHTTP(w, r); w.Code != http.StatusOK {
						b.Fatalf("%d %s", w.Code, w.Body)
					}
				}
			})
		}
	}
}
