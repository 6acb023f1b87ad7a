package main

import (
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

// Agents call tools 300 times a second, every tool in turn, beside the load of the API: all calls are answered, and with
// PALMARES_LONG=1 the 99th percentile of the API is at most 1.5 times what it is without them, in the median of rounds. What
// agents leave to the garbage collector is what the API feels (ADR 26).
func TestMCP_OthersDoNotFeelAgents(t *testing.T) { //nolint:paralleltest // measures says when
	measures(t)
	tools, rounds, lasts, rate := 400, 1, 2*time.Second, 50
	if testkit.Long() {
		tools, rounds, lasts, rate = 2000, 5, 20*time.Second, 300
	}
	db, dir := pgtest.Migrated(t), t.TempDir()
	palmares(t, nil, "generate", "--tools", fmt.Sprint(tools), dir)
	palmares(t, database(db), "publish", dir)
	n := serve(t, db, "PALMARES_TRUSTED_PROXIES=127.0.0.0/8")
	n.ready()
	slugs := n.slugs()
	calls := []func(slug string) string{
		func(string) string { return `"search_tools","arguments":{"q":"agent","limit":20}` },
		func(slug string) string { return `"get_tool","arguments":{"slug":"` + slug + `"}` },
		func(slug string) string {
			return `"compare_tools","arguments":{"slugs":["` + slug + `","` + slugs[0] + `x"]}`
		},
		func(slug string) string { return `"price_history","arguments":{"slug":"` + slug + `"}` },
		func(slug string) string { return `"alternatives","arguments":{"slug":"` + slug + `"}` },
		func(slug string) string { return `"retired","arguments":{"slug":"` + slug + `"}` },
		func(string) string { return `"what_changed","arguments":{"limit":20}` },
		func(slug string) string {
			return `"check_stack","arguments":{"items":["` + strings.Join(slugs[:20], `","`) + `","` + slug + `"]}`
		},
	}
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 64}}
	var answered, other atomic.Int64
	call := func(i int) {
		body := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":` + calls[i%len(calls)](slugs[i%len(slugs)]) + `}}`
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, n.public+"/mcp", strings.NewReader(body))
		if err != nil {
			return
		}
		req.Header.Set("Content-Type", "application/json")
		req.Header.Set("Accept", "application/json, text/event-stream")
		req.Header.Set("X-Forwarded-For", fmt.Sprintf("198.%d.%d.%d", 18+i>>16&1, i>>8&255, i&255))
		r, err := testkit.Do(client, req)
		if err != nil || !r.OK() || !strings.Contains(r.Body, `"result"`) {
			t.Logf("a call: %v %v", r, err)
			other.Add(1)
			return
		}
		answered.Add(1)
	}
	called := 0
	var serial atomic.Int64
	measure := func() (median, p99 time.Duration) { // the API under load: a few thousand requests a second
		const clients = 16
		took := make([][]time.Duration, clients)
		var all sync.WaitGroup
		for c := range clients {
			all.Go(func() {
				for end := time.Now().Add(lasts); time.Now().Before(end); time.Sleep(4 * time.Millisecond) {
					i := int(serial.Add(1))
					began := time.Now()
					r, err := visit(client, n.public+"/api/v1/tools/"+slugs[i%len(slugs)], "", fmt.Sprintf("10.%d.%d.%d", 2+i>>16&127, i>>8&255, i&255))
					if err != nil || !r.OK() {
						t.Errorf("the API: %v %v", r, err)
						return
					}
					took[c] = append(took[c], time.Since(began))
				}
			})
		}
		all.Wait()
		every := slices.Concat(took...)
		slices.Sort(every)
		return every[len(every)/2], every[len(every)*99/100]
	}
	agents := func() (wait func()) {
		var all sync.WaitGroup
		from := called
		called += rate * int(lasts/time.Second)
		all.Go(func() {
			tick := time.NewTicker(time.Second / time.Duration(rate))
			defer tick.Stop()
			for i := from; i < called; i++ {
				<-tick.C
				all.Go(func() { call(i) })
			}
		})
		return all.Wait
	}
	var ratios []float64
	for range rounds {
		median, p99 := measure()
		wait := agents()
		medianBeside, p99Beside := measure()
		wait()
		ratios = append(ratios, float64(p99Beside)/float64(p99))
		t.Logf("the API alone: median %v, p99 %v; beside agents: median %v, p99 %v, %.2f times", median, p99, medianBeside, p99Beside,
			float64(p99Beside)/float64(p99))
	}
	t.Logf("%d calls answered, %d not; ratios of p99 %.2f", answered.Load(), other.Load(), ratios)
	if other.Load() > 0 || answered.Load() != int64(called) {
		t.Errorf("%d of %d calls were answered", answered.Load(), called)
	}
	slices.Sort(ratios)
	if ratio := ratios[len(ratios)/2]; testkit.Long() && ratio > 1.5 {
		t.Errorf("the p99 of the API is %.2f times as long beside agents, want 1.5 at most", ratio)
	}
}
