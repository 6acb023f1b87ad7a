//go:build !race

package web

import (
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
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

func observedReady() http.Handler {
	return NewObserver(ObserverOptions{
		Logger:   slog.New(slog.NewJSONHandler(io.Discard, nil)), //nolint:sloglint // the encoding counts
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
	w, r, h := discard{http.Header{}}, typicalRequest(), observedReady()
	if got := testing.AllocsPerRun(1000, func() { h.ServeHTTP(w, r) }); got > 2 {
		t.Errorf("%v allocations a request, want 2 at most: the log record and the client address", got)
	}
}

func TestNegotiationAllocations(t *testing.T) { //nolint:paralleltest // as above
	tags := []string{`"other", W/"abc"`}
	got := testing.AllocsPerRun(1000, func() {
		if Negotiate("gzip, deflate;q=0.5, br, zstd") != Zstd || !MatchETag(tags, `"abc"`) {
			t.Error("wrong answer")
		}
	})
	if got != 0 {
		t.Errorf("%v allocations", got)
	}
}

func BenchmarkWrap(b *testing.B) {
	for name, h := range map[string]http.Handler{"bare": ready(), "observed": observedReady()} {
		b.Run(name, func(b *testing.B) {
			w, r := discard{http.Header{}}, typicalRequest()
			b.ReportAllocs()
			for b.Loop() {
				h.ServeHTTP(w, r)
			}
		})
	}
}

func BenchmarkCompress(b *testing.B) {
	body := sampleList()
	for _, e := range []Encoding{Gzip, Zstd} {
		b.Run(e.String(), func(b *testing.B) {
			b.ReportAllocs()
			b.SetBytes(int64(len(body)))
			for b.Loop() {
				Compress(e, body)
			}
		})
	}
}
