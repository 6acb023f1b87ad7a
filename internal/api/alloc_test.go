//go:build !race

package api_test

import (
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/api"
	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/catalogtest"
	"github.com/palmares-hq/palmares/internal/live"
	"github.com/palmares-hq/palmares/internal/logging"
	"github.com/palmares-hq/palmares/internal/testkit"
	"github.com/palmares-hq/palmares/internal/web"
)

// discard is a ResponseWriter that costs nothing and remembers the status.
type discard struct {
	header http.Header
	status int
}

func (d *discard) Header() http.Header         { return d.header }
func (d *discard) Write(p []byte) (int, error) { return len(p), nil }
func (d *discard) WriteHeader(status int)      { d.status = status }

// TestHitAllocations counts what a request costs whose response is cached: the log line, the
// metrics, the key, the quota and the response.
func TestHitAllocations(t *testing.T) { //nolint:paralleltest // AllocsPerRun counts the whole process
	for _, x := range []struct {
		kind, target, header, value string
		status                      int
		most                        []float64 // by plan
	}{
		{"one tool", "tools/oeuvre", "", "", 200, []float64{0, 3, 1}},
		{"list", "tools?limit=10&category=image", "", "", 200, []float64{1, 4, 2}},
		{"gzip", "tools?limit=10", "Accept-Encoding", "gzip", 200, []float64{1, 4, 2}},
		{"304", "tools?limit=10", "If-None-Match", "*", 304, []float64{1, 4, 2}},
		{"429", "tools/oeuvre", "", "", 429, []float64{2, 3}},
	} {
		for i, most := range x.most {
			plan := account.Plans()[i]
			keys := live.NewKeys(live.KeysOptions{})
			c := newClient(t, func(o *api.Options) { o.Auth, o.Now = api.NewKeyAuthenticator(keys), time.Now })
			buffer := logging.NewBuffer(io.Discard)
			h := web.NewObserver(web.ObserverOptions{
				Logger:   slog.New(logging.NewHandler(buffer, true, nil)),
				Registry: prometheus.NewRegistry(), WriteError: c.api.WriteError,
			}).Wrap(c.api)
			r := httptest.NewRequest("GET", path(x.target), http.NoBody)
			r.Header.Set("User-Agent", "curl/8.0")
			if x.header != "" {
				r.Header.Set(x.header, x.value)
			}
			var charged *holder
			if plan != account.Anonymous {
				key := account.NewKey()
				held, err := account.NewLiveKey(key.Hash(), "key_test", [16]byte{1}, plan)
				if err != nil {
					t.Fatal(err)
				}
				keys.Replace(held)
				charged = &holder{held.Grant().AccountID, plan, key}
				r.Header.Set("Authorization", "Bearer "+key.Reveal())
			}
			w := &discard{header: http.Header{}}
			for range 3 {
				h.ServeHTTP(w, r)
			}
			testkit.Equal(t, "cached responses", c.cached(), 1)
			if x.status == http.StatusTooManyRequests {
				c.spend(charged, plan.Limits().Daily)
			}
			got := testing.AllocsPerRun(40, func() { h.ServeHTTP(w, r) }) // an address has 100 requests
			t.Logf("%-9s %-9v %v", plan, x.kind, got)
			if got > most {
				t.Errorf("%s, %s: %v allocations a request, want %v at most", plan, x.kind, got, most)
			}
			compressed := len(w.header["Content-Encoding"]) == 1
			if w.status != x.status || compressed != (x.kind == "gzip") {
				t.Errorf("%s, %s: status %d, compressed %v", plan, x.kind, w.status, compressed)
			}
			_ = buffer.Close()
		}
	}
}

// distinct is one of half a billion queries, all of which have a response with something in it;
// numbers that are near have little in common.
func distinct(i int) string {
	i = i * 15_485_863 % (4 * 2 * 20 * 400 * 400 * 7) // coprime: no number comes twice
	next := func(n int) int {
		digit := i % n
		i /= n
		return digit
	}
	order := catalog.ToolOrders()[next(4)]
	page, limit := 1+next(2), 1+next(20)
	score, obsolescence, category := next(400), 500+next(400), next(7)
	target := fmt.Sprintf("tools?sort=%s&page=%d&limit=%d&score_min=%d.%02d&obsolescence_max=%d.%02d",
		order, page, limit, score/100, score%100, obsolescence/100, obsolescence%100)
	if category < 6 {
		target += "&category=" + []string{"agents", "chat", "code", "image", "video", "voix"}[category]
	}
	return target
}

// heap is what is in use once everything that can go has gone.
func heap() int64 {
	for range 3 { // pools let go at the second
		runtime.GC()
	}
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// TestMemoryIsBounded asks for a million different pages (30,000 unless -long is given), each once,
// which leaves nothing, or each twice, which fills the cache.
func TestMemoryIsBounded(t *testing.T) { //nolint:paralleltest // the heap is the whole process's
	const bound, spare = 64 << 20, 8 << 20
	queries := 30_000
	if *long {
		queries = 1_000_000
	}
	served := serving(catalogtest.First(catalogtest.Generated(5_000), catalogtest.FixtureEdition()))
	for times := 1; times <= 2; times++ {
		before := heap()
		c := newClient(t, unmetered, func(o *api.Options) { o.Catalog, o.Cache = served, bound })
		var next atomic.Int64
		var wg sync.WaitGroup
		for range 2 {
			wg.Go(func() {
				w := &discard{header: http.Header{}}
				for i := int(next.Add(1)); i <= queries; i = int(next.Add(1)) {
					for range times {
						r := httptest.NewRequestWithContext(t.Context(), "GET", path(distinct(i)), http.NoBody)
						c.handler.ServeHTTP(w, r)
						total := w.header["X-Total-Count"]
						if w.status != http.StatusOK || len(total) != 1 || total[0] == "0" {
							t.Errorf("%s: %d, %v in all", r.URL, w.status, total)
							return
						}
					}
				}
			})
		}
		wg.Wait()
		grown := heap() - before
		bytes, responses := c.api.CacheStats()
		t.Logf("%d queries asked %d times: the heap grew by %.1f MB; "+
			"%d responses are cached, counted as %.1f of %d MB",
			queries, times, float64(grown)/(1<<20), responses, float64(bytes)/(1<<20), bound>>20)
		switch {
		case times == 1 && responses != 0:
			t.Errorf("%d responses are cached that were asked for once", responses)
		case times == 1 && grown > spare, grown > bound+spare:
			t.Errorf("the heap grew by %d bytes", grown)
		case bytes > bound, times == 2 && bytes < bound*9/10:
			t.Errorf("%d bytes are cached, want nearly %d", bytes, bound)
		}
		runtime.KeepAlive(c)
	}
}
