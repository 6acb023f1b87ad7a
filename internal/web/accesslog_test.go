package web

import (
	"bytes"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/palmares-hq/palmares/internal/limit"
	"github.com/palmares-hq/palmares/internal/testkit"
)

// slogLine is the line that slog makes of a request.
func slogLine(l line, rec *recorder, r *http.Request) string {
	var out bytes.Buffer
	record := slog.NewRecord(l.end, slog.LevelInfo, requestMessage, 0)
	record.AddAttrs(l.attrs(rec, r)...)
	_ = slog.NewJSONHandler(&out, nil).Handle(r.Context(), record)
	return out.String()
}

func FuzzAccessLine(f *testing.F) {
	f.Add("GET", "/api/v1/tools/é", "curl/8", "id", "", "192.0.2.1", int64(0), 200)
	f.Add("POST", `/a"b\c`, "plm_abc \u2028 \x00<script>&", "a.b_c", "quota \"reached\"\n", "2001:db8::1", int64(1763175600123456789), 429)
	long := strings.Repeat("\\é", 2000)
	f.Add(long, long, long, "", long, "", int64(-1), 99)
	const forged = "a\r\nforged\x00\x1b[31m\u2028\u202e\x85\xff plm_secret"
	f.Add(forged, "/"+forged, forged, "plm_secret", forged, "203.0.113.9", int64(1), 200)
	f.Fuzz(func(t *testing.T, method, path, agent, id, failure, client string, at int64, status int) {
		r := httptest.NewRequest(http.MethodGet, "/", nil)
		r.Method, r.URL.Path, r.Header["User-Agent"] = method, path, []string{agent}
		rec := &recorder{written: at}
		if validRequestID(id) {
			rec.id = id
		}
		if failure != "" {
			rec.err = errors.New(failure)
		}
		rec.client, _ = netip.ParseAddr(client)
		end := time.Unix(0, at)
		if y := end.Year(); y < 0 || y > 9999 {
			t.Skip("not a year that RFC 3339 knows")
		}
		l := line{end: end, route: "/api/v1/tools/{slug}", status: status, elapsed: time.Duration(at)}
		got, want := string(l.appendJSON(nil, rec, r, new(atomic.Pointer[second]))), slogLine(l, rec, r)
		if got != want {
			t.Errorf("line:\n%s\nslog writes:\n%s", got, want)
		}
		if strings.Contains(got, "plm_secret") {
			t.Errorf("a key is shown: %s", got)
		}
	})
}

// What is refused to clients who have their share is a warning, of which a second has five lines; the next line says how many
// were left out. No time of theirs is measured. A node that is full is an error, each time.
func TestAccessLog_Refused(t *testing.T) {
	t.Parallel()
	var log testkit.Log
	clock := testkit.NewClock(time.Date(2026, 11, 15, 10, 0, 0, 0, time.UTC))
	registry, latency := prometheus.NewRegistry(), NewLatency(clock.Now)
	why := limit.ErrShare
	h := NewObserver(ObserverOptions{Logger: log.Logger(), Now: clock.Now, Registry: registry}).Wrap(latency.Wrap(Handler(
		func(http.ResponseWriter, *http.Request) error {
			return Wrap(http.StatusServiceUnavailable, "later", why)
		}, WritePlainError)))
	ask := func(times int) {
		for range times {
			h.ServeHTTP(httptest.NewRecorder(), httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/", http.NoBody))
		}
	}
	lines := func(level string) (n int, skipped float64) {
		for _, r := range log.Records(t, requestMessage) {
			if r["level"] == level {
				n++
				s, _ := r["skipped"].(float64)
				skipped += s
			}
		}
		return n, skipped
	}
	ask(100)
	clock.Advance(time.Second)
	ask(1)
	n, skipped := lines("WARN")
	testkit.Equal(t, "warnings, and how many were left out", [2]float64{float64(n), skipped}, [2]float64{6, 95})
	testkit.Equal(t, "times", latency.LastHour().Requests, uint64(0))
	why = limit.ErrFull
	ask(10)
	n, _ = lines("ERROR")
	testkit.Equal(t, "errors", n, 10)
	testkit.Equal(t, "their times", latency.LastHour().Requests, uint64(10))
}
