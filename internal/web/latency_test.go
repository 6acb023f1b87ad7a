package web

import (
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/palmares-hq/palmares/internal/testkit"
)

func TestLatency(t *testing.T) {
	t.Parallel()
	type answers struct {
		wait time.Duration // before them
		n    int
		took time.Duration
	}
	const ms = time.Millisecond
	for name, c := range map[string]struct {
		counted  []answers
		p50, p99 time.Duration // exactly; what is read is at most a sixteenth more
		requests uint64
	}{
		"none":            {},
		"one":             {[]answers{{0, 1, 3 * ms}}, 3 * ms, 3 * ms, 1},
		"no time":         {[]answers{{0, 5, 0}}, 0, 0, 5},
		"negative":        {[]answers{{0, 5, -ms}}, 0, 0, 5},
		"half and half":   {[]answers{{0, 50, ms}, {0, 50, 9 * ms}}, ms, 9 * ms, 100},
		"one in 100 slow": {[]answers{{0, 99, ms}, {0, 1, time.Second}}, ms, ms, 100},
		"two in 100 slow": {[]answers{{0, 98, ms}, {0, 2, time.Second}}, ms, time.Second, 100},
		"all minutes":     {[]answers{{0, 1, ms}, {30 * time.Minute, 1, 2 * ms}, {29 * time.Minute, 1, 4 * ms}}, 2 * ms, 4 * ms, 3},
		"an hour ago":     {[]answers{{0, 9, time.Second}, {time.Hour, 1, ms}}, ms, ms, 1},
		"nothing since":   {[]answers{{0, 9, time.Second}, {time.Hour, 0, 0}}, 0, 0, 0},
		"the same slot":   {[]answers{{0, 9, time.Second}, {latencySlots * time.Minute, 1, ms}}, ms, ms, 1},
		"a day later":     {[]answers{{0, 9, time.Second}, {24 * time.Hour, 1, ms}}, ms, ms, 1},
	} {
		clock := testkit.NewClock(time.Date(2026, 11, 15, 10, 20, 30, 0, time.UTC))
		l := NewLatency(clock.Now)
		for _, a := range c.counted {
			clock.Advance(a.wait)
			for range a.n {
				l.count(clock.Now().Add(-a.took), clock.Now())
			}
		}
		got := l.LastHour()
		testkit.Equal(t, name+": requests", got.Requests, c.requests)
		for percent, p := range map[string][2]time.Duration{"p50": {got.P50, c.p50}, "p99": {got.P99, c.p99}} {
			if most := p[1] + p[1]/latencySteps + time.Microsecond; p[0] < p[1] || p[0] > most {
				t.Errorf("%s: %s is %v, want %v to %v", name, percent, p[0], p[1], most)
			}
		}
		testkit.Equal(t, name+": since", l.Since(), time.Date(2026, 11, 15, 10, 20, 30, 0, time.UTC))
	}
}

// Each duration is in the bucket whose bounds are around it, up to the last, which has the rest.
func TestLatency_Buckets(t *testing.T) {
	t.Parallel()
	last := latencyBound(latencyBuckets - 2)
	for d := time.Duration(0); d < 2*last; d += d/50 + 300*time.Nanosecond {
		b := latencyBucket(d)
		above := d < latencyBound(b) || d >= last && b == latencyBuckets-1
		if !above || b > 0 && d < latencyBound(b-1) {
			t.Fatalf("%v is in bucket %d, below %v", d, b, latencyBound(b))
		}
	}
	if last < time.Minute {
		t.Errorf("the last bucket begins at %v", last)
	}
}

// Requests at once are all counted, in the minute that begins as in any other, and a panic too: alone, and
// with the clock of an Observer.
func TestLatency_Wrap(t *testing.T) {
	t.Parallel()
	observe := func(next http.Handler) http.Handler { return NewObserver(ObserverOptions{}).Wrap(next) }
	for name, wrap := range map[string]func(http.Handler) http.Handler{
		"alone": func(next http.Handler) http.Handler { return next }, "observed": observe,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				l := NewLatency(nil)
				h := wrap(l.Wrap(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
					time.Sleep(time.Minute) // of the bubble: all end with the same minute
					panic(http.ErrAbortHandler)
				})))
				var all sync.WaitGroup
				for range 200 {
					all.Go(func() {
						defer func() { _ = recover() }()
						h.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest(http.MethodGet, "/", http.NoBody))
					})
				}
				all.Wait()
				got := l.LastHour()
				testkit.Equal(t, "requests", got.Requests, uint64(200))
				if got.P50 < time.Minute || got.P50 > 64*time.Second || got.P99 != got.P50 {
					t.Errorf("they took a minute, not %v", got)
				}
			})
		})
	}
}
