package mcp_test

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/mcp"
	"github.com/palmares-hq/palmares/internal/testkit"
)

// sized is a message of a method with as many bytes, whose method comes before or after what makes it long.
func sized(method string, bytes int, last bool) string {
	head, tail := `{"jsonrpc":"2.0","id":7,"method":"`+method+`","params":{"name":"get_tool","arguments":{"slug":"alpha"},"_meta":{"x":"`, `"}}}`
	if last {
		head, tail = `{"jsonrpc":"2.0","id":7,"params":{"name":"get_tool","arguments":{"slug":"alpha"},"_meta":{"x":"`, `"}},"method":"`+method+`"}`
	}
	return head + strings.Repeat("x", bytes-len(head)-len(tail)) + tail
}

// How long a message may be follows from its method, wherever that stands and whether or not the length is told.
func TestSizes(t *testing.T) {
	t.Parallel()
	v := serve(t, published())
	for method, most := range map[string]int{
		"tools/call": 64 << 10, "initialize": 16 << 10, "server/discover": 16 << 10, "ping": 4 << 10, "tools/list": 4 << 10,
		"tools/explode": 4 << 10, "notifications/initialized": 4 << 10,
	} {
		for _, last := range []bool{false, true} {
			for _, over := range []int{0, 1} {
				body := sized(method, most+over, last)
				for name, sent := range map[string]io.Reader{"known": strings.NewReader(body), "unknown": io.MultiReader(strings.NewReader(body))} {
					left := v.left()
					got := v.send("POST", "/mcp", sent, v.bearer()...)
					if large := got.status == http.StatusRequestEntityTooLarge; large != (over == 1) {
						t.Errorf("%s of %d bytes, method last: %t, length %s: %d %.100s", method, len(body), last, name, got.status, got.body)
					}
					if cost := left - v.left(); cost != 0 && (over == 1 || method != "tools/call") {
						t.Errorf("%s of %d bytes costs %d", method, len(body), cost)
					}
				}
			}
		}
	}
}

// What costs nothing is bounded by the minute, for each caller alone. An account is one wherever it comes from, and a /64
// is one.
func TestFreeMessages(t *testing.T) {
	t.Parallel()
	v := serve(t, published())
	v.clock.Set(time.Date(2026, 11, 18, 12, 0, 20, 0, time.UTC))
	const most = mcp.FreeAMinute
	ping, junk := `{"jsonrpc":"2.0","id":7,"method":"ping"}`, strings.Repeat("[", 6000)
	send := func(body string, headers ...string) reply {
		return v.send("POST", "/mcp", strings.NewReader(body), headers...)
	}
	from := func(addr string) []string { return []string{"X-Forwarded-For", addr} }
	for i := range most {
		body := []string{ping, junk, `{"jsonrpc":"2.0","id":7,"method":"no/such"}`, `{"jsonrpc":"2.0","method":"notifications/initialized"}`}[i%4]
		if got := send(body, from(fmt.Sprintf("2001:db8:0:1::%x", i))...); got.status == http.StatusTooManyRequests {
			t.Fatalf("message %d: %s", i, got.body)
		}
		send(ping, append(v.bearer(), from(fmt.Sprintf("203.0.113.%d", i%250))...)...)
	}
	for what, headers := range map[string][]string{"a /64": from("2001:db8:0:1::ffff"), "an account": append(v.bearer(), from("198.51.100.1")...)} {
		for _, body := range []string{ping, junk, sized("ping", 60<<10, false)} {
			got := send(body, headers...)
			testkit.Equal(t, what+", status", got.status, http.StatusTooManyRequests)
			testkit.Equal(t, what+", Retry-After", got.header.Get("Retry-After"), "40")
		}
		testkit.Equal(t, what+", a call", v.ask(handshake, "tools/call", map[string]any{"name": "search_tools"}, headers...).status, http.StatusOK)
	}
	testkit.Equal(t, "another /64", send(ping, from("2001:db8:0:2::1")...).status, http.StatusOK)
	testkit.Equal(t, "an address", send(ping, from("203.0.113.1")...).status, http.StatusOK)
	v.clock.Advance(40 * time.Second)
	testkit.Equal(t, "the next minute", send(ping, from("2001:db8:0:1::1")...).status, http.StatusOK)
}

// Over the quota a call is refused without being decoded, and what is free stays free until it is used up: then nothing is
// read any more.
func TestOverQuota(t *testing.T) {
	t.Parallel()
	v := serve(t, published())
	daily := account.Developer.Limits().Daily
	for range daily {
		v.meter.Charge(v.meter.Account("ada"), daily)
	}
	send := func(body string) reply { return v.send("POST", "/mcp", strings.NewReader(body), v.bearer()...) }
	for _, body := range []string{
		`{"jsonrpc":"2.0","id":7,"method":"tools/call"`, `{"id":7,"method":"tools/call"}`, sized("tools/call", 60<<10, false), sized("tools/call", 60<<10, true),
		sized("tools/call", 70<<10, false),
	} {
		got := send(body)
		testkit.Equal(t, fmt.Sprintf("%.60s", body), got.status, http.StatusTooManyRequests)
		testkit.Equal(t, "X-RateLimit-Remaining", got.header.Get("X-RateLimit-Remaining"), "0")
	}
	const ping = `{"jsonrpc":"2.0","id":7,"method":"ping"}`
	testkit.Equal(t, "a ping", send(ping).status, http.StatusOK)
	for range 300 {
		send(ping)
	}
	for _, body := range []string{ping, "no JSON", sized("ping", 60<<10, false), ""} {
		if got := send(body); got.status != http.StatusTooManyRequests || !bytes.Contains(got.body, []byte("daily quota")) {
			t.Errorf("%.60s: %d %s", body, got.status, got.body)
		}
	}
}

// A bad key is charged to its address whatever the message, those that cost nothing included.
func TestBadKeys_AreCharged(t *testing.T) {
	t.Parallel()
	v := serve(t, published())
	send := func(from string, headers ...string) int {
		return v.send("POST", "/mcp", strings.NewReader(`{"jsonrpc":"2.0","id":7,"method":"ping"}`), append(headers, "X-Forwarded-For", from)...).status
	}
	bad := []string{"Authorization", "Bearer plm_faux"}
	for range account.Anonymous.Limits().Daily {
		testkit.Equal(t, "a bad key", send("192.0.2.1", bad...), http.StatusUnauthorized)
	}
	testkit.Equal(t, "one more", send("192.0.2.1", bad...), http.StatusTooManyRequests)
	testkit.Equal(t, "without a key", send("192.0.2.1"), http.StatusOK)
	testkit.Equal(t, "with a good one", send("192.0.2.1", v.bearer()...), http.StatusOK)
	testkit.Equal(t, "from another address", send("192.0.2.2", bad...), http.StatusUnauthorized)
}
