//go:build !race

package api_test

import (
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"runtime"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/api"
	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/live"
	"github.com/palmares-hq/palmares/internal/logging"
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

// TestHitAllocations counts what a request costs whose answer is kept: the log line,
// the metrics, the key, the quota and the answer.
func TestHitAllocations(t *testing.T) { //nolint:paralleltest // AllocsPerRun counts the whole process
	const most, runs = 5, 40 // an address has 100 requests
	plans := map[string]account.Plan{"anonymous": account.Anonymous, "developer": account.Developer, "pro": account.Pro}
	for name, plan := range plans {
		for _, x := range []struct {
			kind, target, header, value string
			status                      int
		}{
			{"one tool", "/api/v1/tools/oeuvre", "", "", http.StatusOK},
			{"list raw", "/api/v1/tools?limit=10", "", "", http.StatusOK},
			{"list gzip", "/api/v1/tools?limit=10", "Accept-Encoding", "gzip, deflate", http.StatusOK},
			{"list 304", "/api/v1/tools?limit=10", "If-None-Match", "*", http.StatusNotModified},
			{"429", "/api/v1/tools/oeuvre", "", "", http.StatusTooManyRequests},
		} {
			if x.status == http.StatusTooManyRequests && plan == account.Pro {
				continue
			}
			buffer := logging.NewBuffer(io.Discard)
			t.Cleanup(func() { _ = buffer.Close() })
			meter, keys := localMeter(t), live.NewKeys(live.KeysOptions{})
			a, err := api.New(api.Options{
				Catalog: shelve(fixture(t)), Callers: api.NewKeyring(keys), Meter: meter,
			})
			if err != nil {
				t.Fatal(err)
			}
			h := web.NewObserver(web.ObserverOptions{
				Logger: slog.New(logging.NewHandler(buffer, true, nil)), Registry: prometheus.NewRegistry(), WriteError: a.WriteError,
			}).Wrap(a)

			r := httptest.NewRequest(http.MethodGet, x.target, http.NoBody)
			r.Header.Set("User-Agent", "curl/8.0")
			if x.header != "" {
				r.Header.Set(x.header, x.value)
			}
			subject := meter.Address(netip.MustParseAddr(home)) // where httptest's requests come from
			if plan != account.Anonymous {
				key := account.NewKey()
				held, err := account.NewLiveKey(key.Hash(), "key_test", [16]byte{1}, plan)
				if err != nil {
					t.Fatal(err)
				}
				keys.Hold(held)
				r.Header.Set("Authorization", "Bearer "+key.Reveal())
				subject = meter.Account(held.Grant().AccountID)
			}
			w := &discard{header: http.Header{}}
			for range 3 {
				h.ServeHTTP(w, r)
			}
			if _, answers := a.CacheStats(); answers != 1 {
				t.Fatalf("%s, %s: %d answers are kept", name, x.kind, answers)
			}
			if x.status == http.StatusTooManyRequests {
				for meter.Charge(subject, plan.Limits().Daily).Allowed {
				}
			}
			got := testing.AllocsPerRun(runs, func() { h.ServeHTTP(w, r) })
			t.Logf("%-9s %-9s %v", name, x.kind, got)
			if got > most {
				t.Errorf("%s, %s: %v allocations a request, want %d at most", name, x.kind, got, most)
			}
			if coding := w.header["Content-Encoding"]; w.status != x.status || (x.kind == "list gzip") != (len(coding) == 1) {
				t.Errorf("%s, %s: status %d, coding %q", name, x.kind, w.status, coding)
			}
		}
	}
}

// spread gives a generated catalog the categories and measures to ask it a million
// different questions.
func spread() *catalog.Snapshot {
	c := many(5_000)
	c.Categories = nil
	for i := range 20 {
		c.Categories = append(c.Categories, catalog.Category{Slug: "categorie-" + strconv.Itoa(i), Label: "Catégorie " + strconv.Itoa(i)})
	}
	for i, x := range c.Tools {
		x.Category = c.Categories[i%len(c.Categories)].Slug
		x.Score = catalog.Hundredths(1 + i*7919%1000)
		x.Obsolescence = catalog.Hundredths(i * 104_729 % 1001)
	}
	return catalog.Empty().Apply(catalog.Diff(&catalog.Contents{}, c, firstDay).Delta(firstEdition))
}

// distinct is one of half a billion questions, all of which have an answer with
// something in it; numbers that are near have little in common.
func distinct(i int) string {
	i = i * 15_485_863 % (4 * 2 * 20 * 400 * 400 * 21) // coprime: no number comes twice
	next := func(n int) int {
		digit := i % n
		i /= n
		return digit
	}
	order := catalog.ToolOrders()[next(4)]
	page, limit := 1+next(2), 1+next(20)
	score, obsolescence, category := next(400), 500+next(400), next(21)
	target := fmt.Sprintf("/api/v1/tools?sort=%s&page=%d&limit=%d&score_min=%d.%02d&obsolescence_max=%d.%02d",
		order, page, limit, score/100, score%100, obsolescence/100, obsolescence%100)
	if category < 20 {
		target += "&category=categorie-" + strconv.Itoa(category)
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

// TestMemoryIsBounded asks a million different questions (30,000 in the short form),
// each once, which leaves nothing, or each twice, which fills the cache.
func TestMemoryIsBounded(t *testing.T) { //nolint:paralleltest // the heap is the whole process's
	const bound, spare = 64 << 20, 8 << 20
	questions := 30_000
	if *long {
		questions = 1_000_000
	}
	sh := shelve(spread())
	for times := 1; times <= 2; times++ {
		before := heap()
		a, err := api.New(api.Options{Catalog: sh, Cache: bound})
		if err != nil {
			t.Fatal(err)
		}
		h := web.NewObserver(web.ObserverOptions{Registry: prometheus.NewRegistry(), WriteError: a.WriteError}).Wrap(a)
		began := time.Now()
		var next atomic.Int64
		var wg sync.WaitGroup
		for range 2 {
			wg.Go(func() {
				w := &discard{header: http.Header{}}
				for i := int(next.Add(1)); i <= questions; i = int(next.Add(1)) {
					for range times {
						r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, distinct(i), http.NoBody)
						if err != nil {
							t.Error(err)
							return
						}
						r.RemoteAddr = "192.0.2.1:1"
						h.ServeHTTP(w, r)
						if total := w.header["X-Total-Count"]; w.status != http.StatusOK || len(total) != 1 || total[0] == "0" {
							t.Errorf("%s: %d, %v in all", r.URL, w.status, total)
							return
						}
					}
				}
			})
		}
		wg.Wait()
		took := time.Since(began)
		grown := heap() - before
		bytes, answers := a.CacheStats()
		t.Logf("%d questions asked %d times: the heap grew by %.1f MB; %d answers are kept, counted as %.1f of %d MB (%.0f s, %.1f µs a request)",
			questions, times, float64(grown)/(1<<20), answers, float64(bytes)/(1<<20), bound>>20,
			took.Seconds(), float64(took.Microseconds())/float64(questions*times))
		switch {
		case times == 1 && answers != 0:
			t.Errorf("%d answers are kept that were asked for once", answers)
		case times == 1 && grown > spare, grown > bound+spare:
			t.Errorf("the heap grew by %d bytes", grown)
		case bytes > bound, times == 2 && bytes < bound*9/10:
			t.Errorf("%d bytes are kept, want nearly %d", bytes, bound)
		}
		runtime.KeepAlive(a)
	}
}
