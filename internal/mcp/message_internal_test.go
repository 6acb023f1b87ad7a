package mcp

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

func TestScan(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 5000)
	for body, want := range map[string][2]string{
		`{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{}}`:        {"tools/call", "7"},
		`{"method":"ping","params":{"method":"x","id":1},"id":"a"}`:         {"ping", `"a"`},
		` { "id" : -1 , "method" : "ping" } `:                               {"ping", "-1"},
		`{"params":{"a":[{"b":"}\"]"}]},"method":"ping"}`:                   {"ping", "null"},
		`{"params":"` + long + `","method":"ping","id":1}`:                  {"ping", "1"},
		`{"method":"tools\/call","id":1}`:                                   {"tools/call", "1"},
		`{"method":"tool\u0073/call"}`:                                      {"tools/call", "null"},
		`{"method":"ping","method":"tools/call"}`:                           {"ping", "null"}, // the first; decode compares
		`{"id":null,"method":"ping","id":3}`:                                {"ping", "3"},
		`{"id":{"a":1},"method":"ping"}`:                                    {"ping", "null"},
		`{"id":[1],"method":"ping"}`:                                        {"ping", "null"},
		`{"id":1x,"method":"ping"}`:                                         {"ping", "null"},
		`{"id":"` + long + `","method":"ping"}`:                             {"ping", "null"},
		`{"method":1}`:                                                      {"", "null"},
		`{"Method":"ping"}`:                                                 {"", "null"},
		`{"method":"ping`:                                                   {"", "null"},
		`{"params":{"method":"ping"`:                                        {"", "null"},
		`[{"method":"ping"}]`:                                               {"", "null"},
		`{"a":1}{"method":"ping"}`:                                          {"", "null"},
		"":                                                                  {"", "null"},
		"no JSON":                                                           {"", "null"},
		strings.Repeat("[", 5000):                                           {"", "null"},
		`{"a":` + strings.Repeat("[", 2000):                                 {"", "null"},
		`{"a\"method":"x","b\\":"y","method":"ping"}`:                       {"ping", "null"},
		`{"method":"\ud800"}`:                                               {"\ufffd", "null"},
		`{"method":"` + strings.Repeat(`\u0061`, 50) + `","id":1}`:          {"", "1"},
		`{"method":"notifications/initialized","params":{"_meta":{"a":1}}}`: {"notifications/initialized", "null"},
		"{\"method\":\"ping\"\r\n,\t\"id\":\n12}":                           {"ping", "12"},
	} {
		got := scan([]byte(body))
		if got.name() != want[0] || string(got.id) != want[1] {
			t.Errorf("%.80s: %q and %s, want %q and %s", body, got.name(), got.id, want[0], want[1])
		}
	}
}

func TestScan_AllocatesNothing(t *testing.T) { //nolint:paralleltest // it counts allocations
	for _, body := range []string{
		`{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"get_tool","arguments":{"slug":"alpha"}}}`,
		`{"params":{"_meta":{"x":"` + strings.Repeat("x", 4000) + `"}},"id":"abc","method":"ping"}`,
		strings.Repeat("[", 4000), `{"a":` + strings.Repeat(`{"a":`, 800),
	} {
		b := []byte(body)
		if n := testing.AllocsPerRun(100, func() { _ = scan(b).name() }); n > 0 {
			t.Errorf("%.40s: %v allocations", body, n)
		}
	}
}

// Whatever is sent, the beginning of a message tells nothing else than all of it does, and a message whose method was not
// scanned is not decoded either.
func FuzzMessage(f *testing.F) {
	for _, seed := range []string{
		`{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"get_tool","arguments":{"slug":"alpha"}}}`,
		`{"method":"ping","method":"tools/call","jsonrpc":"2.0","id":"a"}`, `{"jsonrpc":"2.0","m\u0065thod":"tools/call","id":1}`,
		`{"jsonrpc":"2.0","id":1,"result":{}}`, `[{"jsonrpc":"2.0","method":"ping"}]`, `{"a":"\"}","method":"tools\/call"}`, "", "{", `{"method":"`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		found := scan(body)
		for n := range body {
			if early := scan(body[:n]); early.method != nil && string(early.method) != string(found.method) {
				t.Fatalf("%q after %d bytes, and %q at last", early.method, n, found.method)
			}
		}
		if !json.Valid(found.id) {
			t.Fatalf("an id that is no JSON: %q", found.id)
		}
		m := &message{body: body, method: found.name(), id: null}
		err := m.decode()
		decoded, failed := jsonrpc.DecodeMessage(body)
		if request, ok := decoded.(*jsonrpc.Request); failed == nil && ok && err == nil && request.Method != found.name() {
			t.Fatalf("scanned as %q, decoded as %q", found.name(), request.Method)
		}
		if !json.Valid(m.id) || !json.Valid(errorBody(m.id, parseError, string(body), errorData{})) {
			t.Fatalf("an error that is no JSON, with the id %q", m.id)
		}
	})
}
