package main

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/palmares-hq/palmares/internal/pgtest"
	"github.com/palmares-hq/palmares/internal/testkit"
)

// A stranger sends requests on many sockets until the end.
type stranger struct {
	method, path, body string
	from               []string // addresses, in turn
	sockets            int
	pause              time.Duration // between two requests on a socket
}

// begin begins to send. What is answered does not matter.
func (s stranger) begin(t *testing.T, n *server) (stop func() (sent int64)) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: s.sockets}}
	var all sync.WaitGroup
	var sent atomic.Int64
	for i := range s.sockets {
		all.Go(func() {
			for ctx.Err() == nil {
				req, err := http.NewRequestWithContext(ctx, s.method, n.public+s.path, strings.NewReader(s.body))
				if err != nil {
					return
				}
				req.Header.Set("X-Forwarded-For", s.from[i%len(s.from)])
				req.Header.Set("Content-Type", "application/json")
				req.Header.Set("Accept", "application/json, text/event-stream")
				if _, err := testkit.Do(client, req); err == nil {
					sent.Add(1)
				}
				if s.pause > 0 {
					time.Sleep(s.pause)
				}
			}
		})
	}
	return func() int64 { cancel(); all.Wait(); client.CloseIdleConnections(); return sent.Load() }
}

// One address that has used up its quota sends messages to /mcp on 256 sockets: what is no JSON, and what is long. With
// PALMARES_LONG=1 the median of the API for others is at most twice what it is beside as many sockets that get a 429.
func TestMCP_OthersDoNotFeelAFlood(t *testing.T) { //nolint:paralleltest // measures says when
	measures(t)
	sockets, rounds, each := 16, 1, 20
	if testkit.Long() {
		sockets, rounds, each = 256, 3, 100
	}
	db := pgtest.Migrated(t)
	palmares(t, database(db), "publish", exampleCatalog)
	n := serve(t, db, "PALMARES_TRUSTED_PROXIES=127.0.0.0/8")
	n.ready()
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 4}}
	const over = "192.0.2.1"
	for range 101 {
		_, err := visit(client, n.public+"/api/v1/stats", "", over)
		must(t, err)
	}
	long := strings.Repeat("x", 60_000)
	kinds := map[string]string{
		"429s":       `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"search_tools","arguments":{}}}`,
		"no JSON":    strings.Repeat("[", 60_000),
		"long pings": `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"_meta":{"x":"` + long + `"}}}`,
		"pings":      `{"jsonrpc":"2.0","id":1,"method":"ping"}`,
		"no method":  `{"jsonrpc":"2.0","id":1,"method":"no/such","params":{` + strings.Repeat(`"a":{},`, 8_000) + `"b":1}}`,
	}
	took, answered, serial := make(map[string][]time.Duration), make(map[string]int64), 0
	for range rounds {
		for _, kind := range []string{"", "429s", "no JSON", "long pings", "pings", "no method"} {
			stop := func() int64 { return 0 }
			if kind != "" {
				stop = stranger{http.MethodPost, "/mcp", kinds[kind], []string{over}, sockets, 0}.begin(t, n)
				time.Sleep(500 * time.Millisecond) // until they all send
			}
			for range each {
				serial++
				began := time.Now()
				r, err := visit(client, n.public+"/api/v1/tools/tournevis", "", fmt.Sprintf("10.3.%d.%d", serial>>8&255, serial&255))
				must(t, err)
				testkit.Equal(t, "the API", r.Status, http.StatusOK)
				took[kind] = append(took[kind], time.Since(began))
			}
			answered[kind] += stop()
		}
	}
	control := median(took["429s"])
	t.Logf("the API: median %v in the quiet, %v beside 429s", median(took[""]), control)
	for _, kind := range []string{"no JSON", "long pings", "pings", "no method"} {
		ratio := float64(median(took[kind])) / float64(control)
		t.Logf("%s: median %v, %.2f times that beside 429s; %d answered, %d of 429s", kind, median(took[kind]), ratio, answered[kind], answered["429s"])
		if testkit.Long() && ratio > 2 {
			t.Errorf("%s: the API takes %.2f times as long as beside 429s, want 2 at most", kind, ratio)
		}
	}
}

// PostgreSQL does not answer. Two addresses send what only PostgreSQL can answer, by the form of the reference and as
// agents, four times a second each. With PALMARES_LONG=1 the medians of others' pages, searches and calls are at most 1.5
// times what they are without them, in alternating slices.
func TestFrozen_OthersDoNotFeelThoseWhoWait(t *testing.T) { //nolint:paralleltest // measures says when
	measures(t)
	rounds, slice := 1, 200*time.Millisecond
	if testkit.Long() {
		rounds, slice = 5, 4*time.Second
	}
	pg := pgtest.NewServer(t)
	palmares(t, database(pg.URL()), "migrate")
	palmares(t, database(pg.URL()), "publish", exampleCatalog)
	n := serve(t, pg.URL(), "PALMARES_TRUSTED_PROXIES=127.0.0.0/8", "PALMARES_BASE_URL=http://localhost:8080")
	n.ready()
	slugs, serial := n.slugs(), 0
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 4}}
	asks := []struct {
		name, method string
		path, body   func() string
	}{
		{"pages", http.MethodGet, func() string { return fmt.Sprintf("/outils?limit=20&score_min=1.%03d", serial) }, nil},
		{"searches", http.MethodGet, func() string { return "/recherche?q=" + slugs[serial%len(slugs)] }, nil},
		{"calls", http.MethodPost, func() string { return "/mcp" }, func() string {
			return `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"get_tool","arguments":{"slug":"` + slugs[serial%len(slugs)] + `"}}}`
		}},
	}
	defer pg.FreezeAll()()
	took, failed := make(map[string]*[2][]time.Duration), make(map[string]int)
	measure := func(with int) {
		for end := time.Now().Add(slice); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
			for _, a := range asks {
				serial++
				body := ""
				if a.body != nil {
					body = a.body()
				}
				req, err := http.NewRequestWithContext(t.Context(), a.method, n.public+a.path(), strings.NewReader(body))
				must(t, err)
				req.Header.Set("X-Forwarded-For", fmt.Sprintf("10.4.%d.%d", serial>>8&255, serial&255))
				req.Header.Set("Content-Type", "application/json")
				req.Header.Set("Accept", "application/json, text/event-stream")
				began := time.Now()
				r, err := testkit.Do(client, req)
				must(t, err)
				if !r.OK() {
					failed[a.name]++
				}
				if took[a.name] == nil {
					took[a.name] = new([2][]time.Duration)
				}
				took[a.name][with] = append(took[a.name][with], time.Since(began))
			}
		}
	}
	const cursor = "1-0123456789abcdef" // of no edition that the node has
	attackers := []stranger{
		{http.MethodGet, "/docs/api/appel/list-changes?send=1&since=" + cursor, "", []string{"192.0.2.1", "192.0.2.2"}, 8, time.Second},
		{
			http.MethodPost, "/mcp", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"what_changed","arguments":{"since":"` + cursor + `"}}}`,
			[]string{"192.0.2.1", "192.0.2.2"},
			8, time.Second,
		},
	}
	var sent int64
	for range rounds {
		measure(0)
		var stops []func() int64
		for _, a := range attackers {
			stops = append(stops, a.begin(t, n))
		}
		time.Sleep(200 * time.Millisecond)
		measure(1)
		for _, stop := range stops {
			sent += stop()
		}
	}
	t.Logf("%d of the attackers' requests were answered", sent)
	for _, a := range asks {
		without, with := took[a.name][0], took[a.name][1]
		ratio := float64(median(with)) / float64(median(without))
		t.Logf("%s: median %v without, %v with those who wait: %.2f times; longest %v and %v; %d of %d failed", a.name, median(without),
			median(with), ratio, slices.Max(without), slices.Max(with), failed[a.name], len(without)+len(with))
		if failed[a.name] > 0 || testkit.Long() && ratio > 1.5 {
			t.Errorf("%s: %.2f times as long, want 1.5 at most; %d failed", a.name, ratio, failed[a.name])
		}
	}
}

// One /48 asks on 128 sockets for what follows a cursor that only PostgreSQL knows. Others who do the same have their answer, and
// what a /48 is refused is no failure. With PALMARES_LONG=1 the median of others is at most three times what it is without
// them, in alternating slices: they share the CPU.
func TestChanges_OthersDoNotFeelAFlood(t *testing.T) { //nolint:paralleltest // measures says when
	measures(t)
	sockets, rounds, each := 32, 1, 20
	if testkit.Long() {
		sockets, rounds, each = 128, 4, 100
	}
	db := pgtest.Migrated(t)
	palmares(t, database(db), "publish", exampleCatalog)
	n := serve(t, db, "PALMARES_TRUSTED_PROXIES=127.0.0.0/8")
	n.ready()
	const old = "/api/v1/changes?since=1-0123456789abcdef" // of no edition: only PostgreSQL can say so
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 4}}
	var took [2][]time.Duration
	var sent int64
	serial, answers := 0, make(map[int]int)
	measure := func(with int) {
		for range each {
			serial++
			began := time.Now()
			r, err := visit(client, n.public+old, "", fmt.Sprintf("10.5.%d.%d", serial>>8&255, serial&255))
			must(t, err)
			took[with] = append(took[with], time.Since(began))
			answers[r.Status]++
		}
	}
	for round := range rounds {
		measure(0)
		from := make([]string, sockets) // each with a quota of its own
		for i := range from {
			from[i] = fmt.Sprintf("2001:db8:1:%x::1", round*sockets+i)
		}
		stop := stranger{http.MethodGet, old, "", from, sockets, 0}.begin(t, n)
		time.Sleep(200 * time.Millisecond) // until they all send
		measure(1)
		sent += stop()
	}
	ratio := float64(median(took[1])) / float64(median(took[0]))
	t.Logf("old pages of the change log: median %v without, %v beside %d sockets of a /48, %.2f times; longest %v and %v; others were answered %v; "+
		"of %d from the /48, %v were refused", median(took[0]), median(took[1]), sockets, ratio, slices.Max(took[0]), slices.Max(took[1]), answers, sent,
		n.metric(`palmares_changes_total{outcome="busy"}`))
	testkit.Equal(t, "answers to others", answers, map[int]int{http.StatusGone: 2 * rounds * each})
	testkit.Equal(t, "failures of the API", n.metric(`palmares_http_answers_total{class="5xx",surface="api"}`), 0.0)
	if testkit.Long() && ratio > 3 {
		t.Errorf("others take %.2f times as long, want 3 at most", ratio)
	}
}
