//go:build !race

package web

import (
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/palmares-hq/palmares/internal/logging"
)

// discard is a ResponseWriter that costs nothing.
type discard struct{ header http.Header }

func (d discard) Header() http.Header         { return d.header }
func (d discard) Write(p []byte) (int, error) { return len(p), nil }
func (d discard) WriteHeader(int)             {}

// ready answers like the read path: 466 bytes made beforehand.
func ready() http.Handler {
	body := make([]byte, 466)
	contentType := []string{"application/json"}
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header()["Content-Type"] = contentType
		_, _ = w.Write(body)
	})
}

func observedReady(tb testing.TB) http.Handler {
	buffer := logging.NewBuffer(io.Discard)
	tb.Cleanup(func() { _ = buffer.Close() })
	return NewObserver(ObserverOptions{
		Logger:   slog.New(logging.NewHandler(buffer, true, nil)),
		Registry: prometheus.NewRegistry(),
	}).Wrap(ready())
}

func typicalRequest() *http.Request {
	r := httptest.NewRequest(http.MethodGet, "/api/v1/tools/tournevis?x=y", nil)
	r.Pattern = "GET /api/v1/tools/{slug}"
	r.Header.Set("User-Agent", "curl/8.0")
	return r
}

func TestWrapAllocations(t *testing.T) { //nolint:paralleltest // AllocsPerRun counts the whole process
	w, r := discard{http.Header{}}, typicalRequest()
	for name, h := range map[string]http.Handler{
		"observed": observedReady(t), "timed": NewLatency(nil).Wrap(ready()),
	} {
		if got := testing.AllocsPerRun(1000, func() { h.ServeHTTP(w, r) }); got > 0 {
			t.Errorf("%s: %v allocations a request, want none", name, got)
		}
	}
}

// The work does not grow with the header: of a megabyte of entries, nothing is copied.
func TestClientAddrAllocations(t *testing.T) { //nolint:paralleltest // as above
	proxies := Proxies{netip.MustParsePrefix("10.0.0.0/8")}
	r := &http.Request{RemoteAddr: "10.0.0.1:1", Header: http.Header{
		"X-Forwarded-For": {strings.Repeat("10.0.0.2,", 1<<17) + "10.0.0.3"},
	}}
	if got := testing.AllocsPerRun(100, func() { proxies.ClientAddr(r) }); got > 0 {
		t.Errorf("%v allocations", got)
	}
}

func BenchmarkWrap(b *testing.B) {
	for name, h := range map[string]http.Handler{
		"bare": ready(), "observed": observedReady(b), "timed": NewLatency(nil).Wrap(ready()),
	} {
		b.Run(name, func(b *testing.B) {
			w, r := discard{http.Header{}}, typicalRequest()
			b.ReportAllocs()
			for b.Loop() {
				h.ServeHTTP(w, r)
			}
		})
	}
}
