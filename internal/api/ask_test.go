package api_test

import (
	"encoding/json"
	"fmt"
	"net/netip"
	"testing"

	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/api"
	"github.com/palmares-hq/palmares/internal/testkit"
)

// A call that a page makes for its reader is charged to the reader's address, together with the calls that
// the reader makes, and to no other.
func TestAsk_IsChargedToTheClient(t *testing.T) {
	t.Parallel()
	c := newClient(t)
	ask := func(client, target string) api.Answer {
		t.Helper()
		a, err := api.Get(t.Context(), c.api, netip.MustParseAddr(client), target, 1<<16)
		testkit.Must(t, err)
		return a
	}
	c.get("stats").want(200)
	for range account.Anonymous.Limits().Daily - 1 {
		testkit.Equal(t, "within the quota", ask(c.addr, "/api/v1/stats").Status, 200)
	}
	over := ask(c.addr, "/api/v1/stats")
	testkit.Equal(t, "over the quota", over.Status, 429)
	if over.Header.Get("Retry-After") == "" {
		t.Errorf("the answer over the quota does not say when to come back: %v", over.Header)
	}
	c.get("stats").want(429)
	testkit.Equal(t, "another reader", ask("192.0.2.99", "/api/v1/stats").Status, 200)
	testkit.Equal(t, "what needs a key", ask("192.0.2.98", keyedRoute).Status, 401)
	testkit.Equal(t, "what is free", ask(c.addr, "/api/v1/openapi.json").Status, 200)
}

// Of a file no more is unpacked than is asked for; JSON is whole. Neither leaves a place taken.
func TestAsk_Files(t *testing.T) {
	t.Parallel()
	c := newClient(t)
	whole := c.get("export/tools.jsonl").want(200)
	for most, want := range map[int]string{100: string(whole.text[:100]), len(whole.text): string(whole.text)} {
		a, err := api.Get(t.Context(), c.api, netip.MustParseAddr("192.0.2.7"), "/api/v1/export/tools.jsonl", most)
		testkit.Must(t, err)
		testkit.Equal(t, "the file", string(a.Body), want)
		testkit.Equal(t, "status, and whether it is cut", fmt.Sprint(a.Status, a.Cut), fmt.Sprint(200, most == 100))
		testkit.Equal(t, "its length", a.Header.Get("Content-Length"), fmt.Sprint(len(whole.text)))
	}
	a, err := api.Get(t.Context(), c.api, netip.MustParseAddr("192.0.2.7"), "/api/v1/tools", 100)
	testkit.Must(t, err)
	if !json.Valid(a.Body) || a.Cut {
		t.Errorf("JSON is cut: %s", a.Body)
	}
	testkit.Equal(t, "downloads", c.api.Downloads(), 0)
}
