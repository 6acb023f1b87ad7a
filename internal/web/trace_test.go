package web

import (
	"context"
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
)

const (
	parentOn  = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
	parentOff = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-00"
)

func memoryTracing(t *testing.T) (*sdktrace.TracerProvider, *tracetest.InMemoryExporter) {
	t.Helper()
	exporter := tracetest.NewInMemoryExporter()
	provider := sdktrace.NewTracerProvider(sdktrace.WithSyncer(exporter), sdktrace.WithSampler(sdktrace.ParentBased(noLoneCalls{})))
	t.Cleanup(func() {
		if err := provider.Shutdown(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return provider, exporter
}

func TestTraceSampling(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		ratio  float64
		random float64
		trust  bool
		parent []string
		spans  int
		child  bool
	}{
		{"below the ratio", 0.5, 0.4, false, nil, 1, false},
		{"above the ratio", 0.5, 0.5, false, nil, 0, false},
		{"always", 1, 0.999, false, nil, 1, false},
		{"never", 0, 0, false, nil, 0, false},
		{"an untrusted parent decides nothing", 0.5, 0.9, false, []string{parentOn}, 0, false},
		{"an untrusted parent is no parent", 0.5, 0.1, false, []string{parentOn}, 1, false},
		{"a trusted parent, sampled", 0, 0.9, true, []string{parentOn}, 1, true},
		{"a trusted parent, not sampled", 1, 0, true, []string{parentOff}, 0, false},
		{"trusted, but there is none", 0.5, 0.1, true, nil, 1, false},
		{"trusted, but malformed", 0.5, 0.9, true, []string{"00-01"}, 0, false},
		{"trusted, but two", 0.5, 0.9, true, []string{parentOn, parentOn}, 0, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			provider, exporter := memoryTracing(t)
			seen := false
			h := Trace(TraceOptions{
				Provider: provider, Ratio: tt.ratio, TrustParent: tt.trust, Rand: func() float64 { return tt.random },
			}, http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
				seen = trace.SpanContextFromContext(r.Context()).IsSampled()
			}))
			r := httptest.NewRequestWithContext(t.Context(), "GET", "/", nil)
			r.Header["Traceparent"] = tt.parent
			h.ServeHTTP(httptest.NewRecorder(), r)
			spans := exporter.GetSpans()
			if len(spans) != tt.spans || seen != (tt.spans == 1) {
				t.Fatalf("%d spans, want %d; the handler saw one: %v", len(spans), tt.spans, seen)
			}
			if tt.spans == 1 && spans[0].Parent.IsValid() != tt.child {
				t.Errorf("parent %v", spans[0].Parent)
			}
		})
	}
}

func TestParentSampled(t *testing.T) {
	t.Parallel()
	const ids = "0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-"
	tests := []struct {
		header      string
		sampled, ok bool
	}{
		{parentOn, true, true},
		{parentOff, false, true},
		{"00-" + ids + "0b", true, true},
		{"00-" + ids + "fa", false, true},
		{"00-" + ids + "a9", true, true},
		{"01-" + ids + "01-more", true, true},
		{"00-" + ids + "01-more", false, false},
		{"01-" + ids + "01more", false, false},
		{"ff-" + ids + "01", false, false},
		{"00-" + ids + "0", false, false},
		{"00-" + ids + "0G", false, false},
		{strings.ToUpper(parentOn), false, false},
		{strings.ReplaceAll(parentOn, "-", "0"), false, false},
		{"", false, false},
	}
	for _, tt := range tests {
		if sampled, ok := parentSampled([]string{tt.header}); sampled != tt.sampled || ok != tt.ok {
			t.Errorf("%q: got %v, %v", tt.header, sampled, ok)
		}
	}
}

func TestUntracedAllocatesNothing(t *testing.T) { //nolint:paralleltest // AllocsPerRun counts the whole process
	provider, exporter := memoryTracing(t)
	next := http.HandlerFunc(func(http.ResponseWriter, *http.Request) {})
	h := Trace(TraceOptions{Provider: provider, Ratio: 0.1, TrustParent: true, Rand: func() float64 { return 0.5 }}, next)
	w := httptest.NewRecorder()
	for _, parent := range [][]string{nil, {parentOff}} {
		r := httptest.NewRequestWithContext(t.Context(), "GET", "/", nil)
		r.Header["Traceparent"] = parent
		if got := testing.AllocsPerRun(100, func() { h.ServeHTTP(w, r) }); got != 0 {
			t.Errorf("traceparent %q: %v allocations", parent, got)
		}
	}
	if n := len(exporter.GetSpans()); n != 0 {
		t.Errorf("%d spans", n)
	}
}

// Spans go to third parties: whatever names or authorises a client stays out.
func TestSpansHoldNothingPersonal(t *testing.T) {
	t.Parallel()
	provider, exporter := memoryTracing(t)
	log := &logRecorder{}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /api/v1/tools/{slug}", func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") == "" || r.Header.Get("X-Forwarded-For") == "" || !strings.HasPrefix(r.RemoteAddr, "127.0.0.1:") ||
			r.URL.RawQuery == "" {
			t.Errorf("the handler misses a part of the request: %v %v %v", r.Header, r.RemoteAddr, r.URL)
		}
		if RequestID(w) == "" {
			t.Error("no request id under a span")
		}
		SetError(w, fmt.Errorf("noted"))
		w.WriteHeader(http.StatusNotFound)
	})
	o := NewObserver(ObserverOptions{Logger: log.logger()})
	done := make(chan struct{})
	observed := o.Wrap(Trace(TraceOptions{Provider: provider, Ratio: 1, TrustParent: true}, mux))
	url, client := start(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		observed.ServeHTTP(w, r)
		close(done)
	}))
	r, err := http.NewRequestWithContext(t.Context(), "GET", url+"/api/v1/tools/tournevis?key=plm_inquery", nil)
	if err != nil {
		t.Fatal(err)
	}
	for name, value := range map[string]string{
		"Authorization": "Bearer plm_inheader", "X-Forwarded-For": "203.0.113.77", "X-Real-Ip": "203.0.113.77",
		"Forwarded": "for=203.0.113.77", "Cookie": "session=plm_incookie", "Baggage": "key=plm_inbaggage",
		"User-Agent": "curl/8.0 " + strings.Repeat("x", 500), "Traceparent": parentOn,
	} {
		r.Header.Set(name, value)
	}
	response, err := client.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	_ = response.Body.Close()
	<-done

	spans := exporter.GetSpans()
	if len(spans) != 1 {
		t.Fatalf("%d spans", len(spans))
	}
	span := spans[0]
	if span.Name != "GET /api/v1/tools/{slug}" || span.SpanKind != trace.SpanKindServer || span.Parent.TraceID().String() != parentOn[3:35] {
		t.Errorf("span %q, kind %v, parent %v", span.Name, span.SpanKind, span.Parent)
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
		attributes["url.path"] != "/api/v1/tools/tournevis" || len(attributes["user_agent.original"]) != maxLoggedUserAgent {
		t.Errorf("attributes %v", attributes)
	}
	whole := fmt.Sprintf("%+v", span) + fmt.Sprint(attributes)
	for _, secret := range []string{"plm_", "203.0.113", "for="} {
		if strings.Contains(whole, secret) {
			t.Errorf("%q is in the span: %s", secret, whole)
		}
	}
	line := log.lines(t, "request")[0]
	if line["route"] != "/api/v1/tools/{slug}" || line["error"] != "noted" || line["status"] != 404.0 {
		t.Errorf("under a span, the access line is %v", line)
	}
}

func TestPanicUnderASpan(t *testing.T) {
	t.Parallel()
	provider, exporter := memoryTracing(t)
	log := &logRecorder{}
	o := NewObserver(ObserverOptions{Logger: log.logger()})
	mux := http.NewServeMux()
	mux.HandleFunc("GET /x", func(http.ResponseWriter, *http.Request) { panic("boom") })
	w := httptest.NewRecorder()
	o.Wrap(Trace(TraceOptions{Provider: provider, Ratio: 1}, mux)).
		ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), "GET", "/x", nil))
	if w.Code != 500 || len(exporter.GetSpans()) != 1 {
		t.Errorf("answered %d, %d spans", w.Code, len(exporter.GetSpans()))
	}
	if line := log.lines(t, "request")[0]; line["route"] != "/x" {
		t.Errorf("access line %v", line)
	}
	if stack := log.lines(t, "panic")[0]["stack"].(string); !strings.Contains(stack, "TestPanicUnderASpan.func1") {
		t.Errorf("the stack does not reach the handler:\n%s", stack)
	}
}

func TestTraceWithoutProvider(t *testing.T) {
	t.Parallel()
	mux := http.NewServeMux()
	if Trace(TraceOptions{Ratio: 1}, mux) != http.Handler(mux) {
		t.Error("the handler is wrapped for nothing")
	}
}

func TestNewTracing(t *testing.T) { //nolint:paralleltest // sets the environment
	for _, name := range []string{"OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "OTEL_SDK_DISABLED"} {
		t.Setenv(name, "")
	}
	provider, shutdown, err := NewTracing(t.Context(), "palmares", "test")
	if provider != nil || err != nil || shutdown(t.Context()) != nil {
		t.Fatalf("not configured: %v, %v", provider, err)
	}

	var exports atomic.Int32
	url, _ := start(t, http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/v1/traces" {
			exports.Add(1)
		}
	}))
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", url)
	provider, shutdown, err = NewTracing(t.Context(), "palmares", "test")
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
	if err := shutdown(t.Context()); err != nil {
		t.Fatal(err)
	}
	if exports.Load() == 0 {
		t.Error("nothing was exported")
	}

	t.Setenv("OTEL_SDK_DISABLED", "true")
	if provider, _, err := NewTracing(t.Context(), "palmares", "test"); provider != nil || err != nil {
		t.Errorf("disabled: %v, %v", provider, err)
	}
}

// However many want a span at once, a second has only so many, and the next anew.
func TestTracesPerSecond(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ most, want int }{{20, 20}, {0, 50}} {
		provider, exporter := memoryTracing(t)
		var now atomic.Int64
		now.Store(1_800_000_000)
		answered := atomic.Int64{}
		h := Trace(TraceOptions{
			Provider: provider, Ratio: 1, Most: tt.most, Now: func() time.Time { return time.Unix(now.Load(), 999) },
		}, http.HandlerFunc(func(http.ResponseWriter, *http.Request) { answered.Add(1) }))
		for second := 1; second <= 3; second++ {
			var all sync.WaitGroup
			for range 8 {
				all.Go(func() {
					for range 100 {
						h.ServeHTTP(httptest.NewRecorder(), httptest.NewRequestWithContext(t.Context(), "GET", "/", nil))
					}
				})
			}
			all.Wait()
			if got := len(exporter.GetSpans()); got != second*tt.want || answered.Load() != int64(second)*800 {
				t.Errorf("after second %d: %d spans of %d answers, want %d", second, got, answered.Load(), second*tt.want)
			}
			now.Add(1)
		}
	}
}

func TestPerSecond(t *testing.T) {
	t.Parallel()
	var now atomic.Int64
	// So many that the goroutines do get in each other's way.
	p := &perSecond{most: 200_000, now: func() time.Time { return time.Unix(now.Load(), 0) }}
	for range 3 {
		var taken atomic.Int64
		var all sync.WaitGroup
		for range 8 {
			all.Go(func() {
				n := int64(0)
				for range 100_000 {
					if p.take() {
						n++
					}
				}
				taken.Add(n)
			})
		}
		all.Wait()
		if taken.Load() != p.most {
			t.Errorf("%d in a second, want %d", taken.Load(), p.most)
		}
		now.Add(1)
	}
}
