package api_test

import (
	"fmt"
	"net/http"
	"strconv"
	"testing"
	"time"

	"github.com/palmares-hq/palmares/internal/api"
	"github.com/palmares-hq/palmares/internal/web"
)

// A response is compressed at the first ask already, and not the less compressed later.
// Whatever tag a client was given, it gets a 304 for it; no tag has two bodies.
func TestCompressedAtTheFirstAsk(t *testing.T) {
	t.Parallel()
	for _, target := range []string{"/api/v1/tools", "/api/v1/tools?score_min=5", "/api/v1/pricing", "/api/v1/openapi.json"} {
		for _, x := range []struct{ accept, coding string }{
			{"gzip", "gzip"},
			{"zstd, gzip", "zstd"},
			{"gzip, identity;q=0", "gzip"},
			{"zstd, *;q=0", "zstd"},
			{"br", ""},
		} {
			c := cache(t, shelve(fixture(t)))
			if x.accept == "gzip" {
				head, err := cache(t, shelve(fixture(t))).ask(http.MethodHead, target, "Accept-Encoding", x.accept)
				if err != nil {
					t.Fatal(err)
				}
				head.wantHeader(t, "Content-Encoding", x.coding)
			}
			bodies, first := map[string]string{}, 0 // by tag
			for round := range 4 {
				got := c.get(t, target, "Accept-Encoding", x.accept)
				got.wantHeader(t, "Content-Encoding", x.coding)
				got.wantHeader(t, "Content-Length", strconv.Itoa(len(got.body)))
				tag := got.header.Get("ETag")
				if body, ok := bodies[tag]; ok && body != string(got.body) {
					t.Errorf("%s in %s: other bytes have the tag %s too", target, x.coding, tag)
				}
				bodies[tag] = string(got.body)
				if round == 0 {
					first = len(got.body)
				}
				if small, most := len(got.body), 6*first/5; small > first || first > 6*small/5 {
					t.Errorf("%s in %s: %d bytes at first and %d then, at most %d are wanted", target, x.coding, first, small, most)
				}
				for tag := range bodies {
					again := c.get(t, target, "Accept-Encoding", x.accept, "If-None-Match", tag).wantStatus(t, http.StatusNotModified)
					again.wantHeader(t, "ETag", tag)
				}
			}
			if n := c.answers(); n != 1 {
				t.Errorf("%s: %d answers are kept", target, n)
			}
			// A tag of bytes that the client does not take is no tag of its own.
			for tag := range bodies {
				if x.coding != "" {
					c.get(t, target, "If-None-Match", tag).wantStatus(t, http.StatusOK).wantHeader(t, "Content-Encoding", "")
				}
			}
		}
	}
}

// Whoever asks for ever different pages has them compressed as far as the budget goes,
// and gets them as they are beyond it.
func TestCompressionHasABudget(t *testing.T) {
	t.Parallel()
	at := noon()
	a, err := api.New(api.Options{Catalog: shelve(fixture(t)), Now: at.now})
	if err != nil {
		t.Fatal(err)
	}
	c := &cached{a, web.NewObserver(web.ObserverOptions{WriteError: a.WriteError}).Wrap(a), loadContract(t)}
	next, size := 0, 0
	ask := func(accept string) string { // a page that was not asked for before
		next++
		got := c.get(t, fmt.Sprintf("/api/v1/tools?score_min=0.%02d&obsolescence_max=9.%02d", next/100, next%100), "Accept-Encoding", accept)
		size = len(got.text)
		return got.header.Get("Content-Encoding")
	}
	if got := ask("gzip"); got != "gzip" {
		t.Fatalf("the first page comes in %q", got)
	}
	a.SpendBudget(api.BudgetAtOnce - size - size/2) // there is not enough left for one more
	if got := ask("gzip"); got != "" || a.Uncompressed() != 1 {
		t.Errorf("beyond the budget a page comes in %q; %d were not compressed", got, a.Uncompressed())
	}
	if got := ask("gzip, identity;q=0"); got != "gzip" {
		t.Errorf("who refuses identity gets %q", got)
	}
	// What is asked for again is compressed and kept, as ever.
	c.get(t, "/api/v1/tools?score_min=5", "Accept-Encoding", "zstd").wantHeader(t, "Content-Encoding", "")
	c.get(t, "/api/v1/tools?score_min=5", "Accept-Encoding", "zstd").wantHeader(t, "Content-Encoding", "zstd")
	// Each second brings as many bytes, and not more than the budget has when it is full.
	at.advance(time.Second)
	a.SpendBudget(api.BudgetPerSecond - size)
	if first, second := ask("zstd"), ask("zstd"); first != "zstd" || second != "" {
		t.Errorf("a second later two pages come in %q and %q, there is budget for one", first, second)
	}
	at.advance(1000 * time.Hour)
	a.SpendBudget(api.BudgetAtOnce - size)
	if first, second := ask("gzip"), ask("gzip"); first != "gzip" || second != "" {
		t.Errorf("long after two pages come in %q and %q, there is budget for one", first, second)
	}
}
