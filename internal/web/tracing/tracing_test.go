package tracing

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	"go.opentelemetry.io/otel/trace"
	"go.uber.org/goleak"

	"github.com/palmares-hq/palmares/internal/testkit"
	"github.com/palmares-hq/palmares/internal/web"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func memoryTracing(t *testing.T) (*sdktrace.TracerProvider, *tracetest.InMemoryExporter) {
	t.Helper()
	exporter := tracetest.NewInMemoryExporter()
	provider := sdktrace.NewTracerProvider(
		sdktrace.WithSyncer(exporter), sdktrace.WithSampler(sdktrace.ParentBased(noLoneCalls{})))
	t.Cleanup(func() {
		if err := provider.Shutdown(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return provider, exporter
}

func request(t *testing.T) *http.Request {
	t.Helper()
	return httptest.NewRequestWithContext(t.Context(), "GET", "/x", nil)
}

func TestWrap_Sampling(t *testing.T) { //nolint:paralleltest // AllocsPerRun counts the whole process
	for _, tt := range []struct {
		name          string
		ratio, random float64
		spans         int
	}{
		{"below the ratio", 0.5, 0.4, 1},
		{"above the ratio", 0.5, 0.5, 0},
		{"always", 1, 0.999, 1},
		{"never", 0, 0, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			provider, exporter := memoryTracing(t)
			seen := false
			h := Wrap(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
				seen = trace.SpanContextFromContext(r.Context()).IsSampled()
			}), Options{Provider: provider, Ratio: tt.ratio, Rand: func() float64 { return tt.random }})
			w, r := httptest.NewRecorder(), request(t)
			r.Header.Set("Traceparent", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01") // decides nothing
			h.ServeHTTP(w, r)
			spans := exporter.GetSpans()
			if len(spans) != tt.spans || seen != (tt.spans == 1) {
				t.Fatalf("%d spans, want %d; the handler saw one: %v", len(spans), tt.spans, seen)
			}
			if tt.spans == 1 && spans[0].Parent.IsValid() {
				t.Errorf("a client's span became the parent: %v", spans[0].Parent)
			}
			if got := testing.AllocsPerRun(100, func() { h.ServeHTTP(w, r) }); got != 0 && tt.spans == 0 {
				t.Errorf("a request that is not traced makes %v allocations", got)
			}
		})
	}
	mux := http.NewServeMux()
	if Wrap(mux, Options{Ratio: 1}) != http.Handler(mux) {
		t.Error("without a provider the handler is wrapped for nothing")
	}
}

// However many want a span at once, a second has only so many, and the next as many again.
func TestWrap_PerSecond(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ most, want int }{{20, 20}, {0, 50}} {
		provider, exporter := memoryTracing(t)
		clock := testkit.NewClock(time.Unix(1_800_000_000, 999))
		var answered atomic.Int64
		h := Wrap(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { answered.Add(1) }),
			Options{Provider: provider, Ratio: 1, Most: tt.most, Now: clock.Now})
		for second := 1; second <= 3; second++ {
			var all sync.WaitGroup
			for range 8 {
				all.Go(func() {
					for range 100 {
						h.ServeHTTP(httptest.NewRecorder(), request(t))
					}
				})
			}
			all.Wait()
			if got := len(exporter.GetSpans()); got != second*tt.want || answered.Load() != int64(second)*800 {
				t.Errorf("after second %d: %d spans of %d answers, want %d", second, got, answered.Load(), second*tt.want)
			}
			clock.Advance(time.Second)
		}
		clock.Advance(-2 * time.Second) // read before the second began, used after
		h.ServeHTTP(httptest.NewRecorder(), request(t))
		clock.Advance(time.Second)
		for range 100 {
			h.ServeHTTP(httptest.NewRecorder(), request(t))
		}
		testkit.Equal(t, "spans after a stale clock", len(exporter.GetSpans()), 3*tt.want)
	}
}

// Spans go to third parties: whatever names or authorises a client stays out.
func TestWrap_SpansHoldNothingPersonal(t *testing.T) {
	t.Parallel()
	provider, exporter := memoryTracing(t)
	log := &testkit.Log{}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /api/v1/tools/{slug}", func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") == "" || r.RemoteAddr != "203.0.113.77:1234" || r.URL.RawQuery == "" ||
			!strings.Contains(r.URL.Path, "plm_inpath") {
			t.Errorf("the handler misses a part of the request: %v %v %v", r.Header, r.RemoteAddr, r.URL)
		}
		if web.RequestID(w) == "" {
			t.Error("no request id under a span")
		}
		web.SetError(w, errors.New("noted"))
		w.WriteHeader(http.StatusNotFound)
	})
	h := web.NewObserver(web.ObserverOptions{Logger: log.Logger()}).Wrap(Wrap(mux, Options{Provider: provider, Ratio: 1}))
	r := httptest.NewRequestWithContext(t.Context(), "GET", "/api/v1/tools/tournevis-plm_inpath?key=plm_inquery", nil)
	r.RemoteAddr = "203.0.113.77:1234"
	for name, value := range map[string]string{
		"Authorization": "Bearer plm_inheader", "X-Forwarded-For": "203.0.113.77", "X-Real-Ip": "203.0.113.77",
		"Forwarded": "for=203.0.113.77", "Cookie": "session=plm_incookie", "Baggage": "key=plm_inbaggage",
		"User-Agent": "curl/8.0 plm_inagent" + strings.Repeat(" ", 500),
	} {
		r.Header.Set(name, value)
	}
	h.ServeHTTP(httptest.NewRecorder(), r)

	spans := exporter.GetSpans()
	if len(spans) != 1 {
		t.Fatalf("%d spans", len(spans))
	}
	span := spans[0]
	if span.Name != "GET /api/v1/tools/{slug}" || span.SpanKind != trace.SpanKindServer {
		t.Errorf("span %q, kind %v", span.Name, span.SpanKind)
	}
	attributes := map[string]string{}
	for _, a := range span.Attributes {
		attributes[string(a.Key)] = a.Value.String()
		switch a.Key {
		case "client.address", "network.peer.address", "network.peer.port", "url.query", "url.full":
			t.Errorf("the span has %s = %s", a.Key, a.Value.String())
		}
	}
	if attributes["http.route"] != "/api/v1/tools/{slug}" || attributes["http.response.status_code"] != "404" ||
		attributes["url.path"] != "/api/v1/tools/tournevis-plm_***" || len(attributes["user_agent.original"]) != maxUserAgent {
		t.Errorf("attributes %v", attributes)
	}
	whole := fmt.Sprintf("%+v", span) + fmt.Sprint(attributes)
	for _, secret := range []string{"plm_in", "203.0.113", "for="} {
		if strings.Contains(whole, secret) {
			t.Errorf("%q is in the span: %s", secret, whole)
		}
	}
	line := log.Records(t, "request")[0]
	if line["route"] != "/api/v1/tools/{slug}" || line["error"] != "noted" || line["status"] != 404.0 {
		t.Errorf("under a span, the access line is %v", line)
	}
}

func TestWrap_Panic(t *testing.T) {
	t.Parallel()
	provider, exporter := memoryTracing(t)
	log := &testkit.Log{}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /x", func(http.ResponseWriter, *http.Request) { panic("boom") })
	w := httptest.NewRecorder()
	web.NewObserver(web.ObserverOptions{Logger: log.Logger()}).Wrap(Wrap(mux, Options{Provider: provider, Ratio: 1})).
		ServeHTTP(w, request(t))
	if w.Code != 500 || len(exporter.GetSpans()) != 1 {
		t.Errorf("answered %d, %d spans", w.Code, len(exporter.GetSpans()))
	}
	testkit.Equal(t, "the route of the access line", log.Records(t, "request")[0]["route"], any("/x"))
	if stack, _ := log.Records(t, "panic")[0]["stack"].(string); !strings.Contains(stack, "TestWrap_Panic.func1") {
		t.Errorf("the stack does not reach the handler:\n%s", stack)
	}
}

func TestNewProvider(t *testing.T) {
	for _, name := range []string{"OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "OTEL_SDK_DISABLED"} {
		t.Setenv(name, "")
	}
	provider, shutdown, err := NewProvider(t.Context(), "palmares", "test")
	if provider != nil || err != nil || shutdown(t.Context()) != nil {
		t.Fatalf("not configured: %v, %v", provider, err)
	}

	var exports atomic.Int32
	collector := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/v1/traces" {
			exports.Add(1)
		}
	}))
	t.Cleanup(collector.Close)
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", collector.URL)
	provider, shutdown, err = NewProvider(t.Context(), "palmares", "test")
	if err != nil {
		t.Fatal(err)
	}
	_, lone := provider.Tracer("test").Start(t.Context(), "query", trace.WithSpanKind(trace.SpanKindClient))
	if lone.SpanContext().IsSampled() {
		t.Error("a lone outgoing call starts a trace")
	}
	ctx, span := provider.Tracer("test").Start(t.Context(), "job")
	_, child := provider.Tracer("test").Start(ctx, "query", trace.WithSpanKind(trace.SpanKindClient))
	if !span.SpanContext().IsSampled() || !child.SpanContext().IsSampled() {
		t.Error("a job and its query are not traced")
	}
	child.End()
	span.End()
	if err := shutdown(t.Context()); err != nil || exports.Load() == 0 {
		t.Errorf("%d exports, %v", exports.Load(), err)
	}

	t.Setenv("OTEL_SDK_DISABLED", "true")
	if provider, _, err := NewProvider(t.Context(), "palmares", "test"); provider != nil || err != nil {
		t.Errorf("disabled: %v, %v", provider, err)
	}
}
