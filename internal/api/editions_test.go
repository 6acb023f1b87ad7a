package api_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/palmares-hq/palmares/internal/api"
	"github.com/palmares-hq/palmares/internal/catalog"
)

func TestEditions_NoCatalogLoaded(t *testing.T) {
	t.Parallel()
	c := open(t, catalog.Empty())
	for _, target := range routes {
		if target == "/api/v1/openapi.json" {
			continue
		}
		for _, headers := range [][]string{nil, {"If-None-Match", "*"}, {"Accept-Encoding", "gzip"}} {
			got := c.get(t, target, headers...)
			got.wantError(t, http.StatusServiceUnavailable, "no catalog is loaded yet: try again in a moment")
			got.wantHeader(t, "Retry-After", "5")
			got.wantHeader(t, "Cache-Control", "no-store")
			got.wantHeader(t, "X-Service-Updated-At", "")
			got.wantHeader(t, "X-Attribution", "")
		}
		c.do(t, http.MethodHead, target).wantStatus(t, http.StatusServiceUnavailable)
		c.do(t, http.MethodOptions, target).wantStatus(t, http.StatusNoContent)
		c.do(t, http.MethodPost, target).wantStatus(t, http.StatusMethodNotAllowed)
	}
	c.get(t, "/nope").wantStatus(t, http.StatusNotFound)
	c.get(t, "/api/v1/openapi.json").wantStatus(t, http.StatusOK).wantHeader(t, "X-Service-Updated-At", "")
}

// zebreLives tells from an answer whether zebre lives in the edition that it was
// made from: it does in the first, and is retired in the second.
var zebreLives = map[string]func(reply) bool{
	"/api/v1/tools/zebre":                 func(r reply) bool { return r.status == http.StatusOK },
	"/api/v1/pricing/zebre":               func(r reply) bool { return r.status == http.StatusOK },
	"/api/v1/comparatifs/oeuvre-ou-zebre": func(r reply) bool { return r.status == http.StatusOK },
	"/api/v1/tools":                       func(r reply) bool { return strings.Contains(string(r.text), `"slug":"zebre"`) },
	"/api/v1/tools?limit=1":               func(r reply) bool { return r.header.Get("X-Total-Count") == "15" },
	"/api/v1/cimetiere?limit=1":           func(r reply) bool { return r.header.Get("X-Total-Count") == "5" },
	"/api/v1/categories":                  func(r reply) bool { return strings.Contains(string(r.text), `"avg_score":8.43`) },
	"/api/v1/stats":                       func(r reply) bool { return strings.Contains(string(r.text), `"tools_total":15`) },
}

// whole checks that an answer was made from one edition from end to end.
func whole(target string, got reply) error {
	day := map[bool]string{true: "2026-11-15", false: "2026-11-16"}[zebreLives[target](got)]
	if date := got.header.Get("X-Service-Updated-At"); date != day {
		return fmt.Errorf("%s: status %d of the edition of %s, but dated %s: %.120s", target, got.status, day, date, got.text)
	}
	total := got.header.Get("X-Total-Count")
	if total != "" && !strings.Contains(string(got.text), `"total":`+total+`,`) {
		return fmt.Errorf("%s: X-Total-Count is %s in %s", target, total, got.text)
	}
	return nil
}

// flipping is a catalog that has another edition each time it is asked.
type flipping struct {
	editions [2]*catalog.Snapshot
	asked    atomic.Uint64
}

func (f *flipping) Current() *catalog.Snapshot { return f.editions[f.asked.Add(1)%2] }

// An answer is made from one edition, errors included: the worst case of a swap.
func TestEditions_OneForEachAnswer(t *testing.T) {
	t.Parallel()
	first := fixture(t)
	f := &flipping{editions: [2]*catalog.Snapshot{first, amend(first, func(n *catalog.Contents) { retire(n, "zebre") })}}
	c := serve(t, api.Options{Catalog: f})
	for target := range zebreLives {
		for range 4 {
			if err := whole(target, c.get(t, target)); err != nil {
				t.Error(err)
			}
		}
	}
}

// Editions are swapped while readers read: each answer is whole, and of one of them.
func TestEditions_SwapWhileReading(t *testing.T) {
	t.Parallel()
	first := fixture(t)
	second := amend(first, func(n *catalog.Contents) { retire(n, "zebre") })
	sh := shelve(first)
	c := serve(t, api.Options{Catalog: sh})

	ctx, stop := context.WithCancel(t.Context())
	var swapping, reading sync.WaitGroup
	var swaps atomic.Int64
	swapping.Go(func() {
		for ctx.Err() == nil {
			for _, s := range []*catalog.Snapshot{second, first} {
				sh.Store(s)
				swaps.Add(1)
				time.Sleep(50 * time.Microsecond) // both cores are needed elsewhere
			}
		}
	})
	var seen [2]atomic.Int64
	for range 4 {
		reading.Go(func() {
			for range 15 {
				for target := range zebreLives {
					got, err := c.ask(ctx, http.MethodGet, target)
					if err == nil {
						err = whole(target, got)
					}
					if err != nil {
						t.Error(err)
						return
					}
					lives := 0
					if zebreLives[target](got) {
						lives = 1
					}
					seen[lives].Add(1)
				}
			}
		})
	}
	reading.Wait()
	stop()
	swapping.Wait()
	if seen[0].Load() == 0 || seen[1].Load() == 0 {
		t.Errorf("after %d swaps the readers saw one edition only: %d and %d answers", swaps.Load(), seen[0].Load(), seen[1].Load())
	}
}

// A cancellation inside the service is a fault of the service, not of a client
// that still waits: 499 is for the log, never for the wire.
func TestEditions_ForeignCancellationIs500(t *testing.T) {
	t.Parallel()
	cancelled := callers(func(*http.Request) (api.Caller, error) {
		return api.Caller{}, fmt.Errorf("looking up the key: %w", context.Canceled)
	})
	c := serve(t, api.Options{Catalog: shelve(fixture(t)), Callers: cancelled})
	c.get(t, "/api/v1/stats").wantError(t, http.StatusInternalServerError, "internal error")
}
