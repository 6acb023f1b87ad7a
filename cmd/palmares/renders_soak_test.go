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

// One client asks for filtered lists of 100 tools, no two alike, on 256 sockets. Others ask for pages
// that are not cached and for the API, one after the other, each from an address of its own: half of
// them beside that client, half in the quiet, in turns. With PALMARES_LONG=1 their median is at most
// three times the quiet one.
func TestRenders_OthersDoNotFeelAFlood(t *testing.T) { //nolint:paralleltest // measures says when
	measures(t)
	tools, sockets, rounds, each := 300, 16, 1, 20
	if testkit.Long() {
		tools, sockets, rounds, each = 5000, 256, 3, 130
	}
	db, dir := pgtest.Migrated(t), t.TempDir()
	palmares(t, nil, "generate", "--tools", fmt.Sprint(tools), dir)
	palmares(t, database(db), "publish", dir)
	n := serve(t, db, "PALMARES_TRUSTED_PROXIES=127.0.0.0/8")
	n.ready()

	slugs, serial, seen := n.slugs(), 0, 0
	asks := []struct {
		name string
		path func() string
	}{
		{"lists", func() string {
			return fmt.Sprintf("/outils?limit=100&score_min=%d.%02d&obsolescence_max=9.%02d", 1+serial/100%5, serial%100, serial/7%100)
		}},
		{"tools", func() string {
			seen++
			if seen > len(slugs) {
				return "/en/tools/" + slugs[seen%len(slugs)]
			}
			return "/outils/" + slugs[seen-1]
		}},
		{"the API", func() string { return "/api/v1/stats" }},
		{"the API, uncached", func() string { return fmt.Sprintf("/api/v1/tools?limit=50&score_min=1.%d", serial) }},
	}
	took := make(map[string]*[2][]time.Duration) // in the quiet, and beside the flood
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 4}}
	measure := func(loud int) {
		for range each {
			for _, a := range asks {
				serial++
				path := a.path()
				began := time.Now()
				r, err := visit(client, n.public+path, "", fmt.Sprintf("10.2.%d.%d", serial>>8&255, serial&255))
				must(t, err)
				if !r.OK() {
					t.Errorf("%s: %v", path, r)
				}
				if took[a.name] == nil {
					took[a.name] = new([2][]time.Duration)
				}
				took[a.name][loud] = append(took[a.name][loud], time.Since(began))
			}
		}
	}
	var made, refused atomic.Int64
	for range rounds {
		measure(0)
		stop := n.flood(t, sockets, &made, &refused)
		measure(1)
		stop()
	}
	t.Logf("the flood: %d pages, %d times 503", made.Load(), refused.Load())
	for _, a := range asks {
		quiet, loud := median(took[a.name][0]), median(took[a.name][1])
		ratio := float64(loud) / float64(quiet)
		t.Logf("%s: median %v in the quiet, %v beside the flood: %.2f times", a.name, quiet, loud, ratio)
		if testkit.Long() && ratio > 3 {
			t.Errorf("%s: %.2f times as long beside the flood, want 3 at most", a.name, ratio)
		}
	}
}

func median(d []time.Duration) time.Duration {
	slices.Sort(d)
	return d[len(d)/2]
}

// flood asks for lists until stop is called, from one address.
func (n *server) flood(t *testing.T, sockets int, made, refused *atomic.Int64) (stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: sockets}}
	var all sync.WaitGroup
	for range sockets {
		all.Go(func() {
			for ctx.Err() == nil {
				i := floods.Add(1)
				path := fmt.Sprintf("/outils?limit=100&score_min=%d.%02d&obsolescence_max=%d.%02d", i%7, i/7%100, 5+i/700%5, i/3500%100)
				req, err := http.NewRequestWithContext(ctx, http.MethodGet, n.public+path, http.NoBody)
				if err != nil {
					continue
				}
				req.Header.Set("X-Forwarded-For", "192.0.2.1")
				switch r, err := testkit.Do(client, req); {
				case err != nil: // the end
				case r.Status == http.StatusServiceUnavailable:
					refused.Add(1)
				case r.OK():
					made.Add(1)
				}
			}
		})
	}
	time.Sleep(500 * time.Millisecond) // until they all wait
	return func() { cancel(); all.Wait(); client.CloseIdleConnections() }
}

// floods numbers the lists of all floods.
var floods atomic.Int64

// slugs are those of 400 tools at most.
func (n *server) slugs() (slugs []string) {
	n.t.Helper()
	for _, page := range []string{"1", "2"} {
		for _, part := range strings.Split(testkit.Get(n.t, n.public+"/api/v1/tools?limit=200&page="+page).Body, `"slug":"`)[1:] {
			slug, _, _ := strings.Cut(part, `"`)
			slugs = append(slugs, slug)
		}
	}
	return slugs
}
