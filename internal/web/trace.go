package web

import (
	"cmp"
	"math/rand/v2"
	"net/http"
	"sync/atomic"
	"time"

	"go.opentelemetry.io/contrib/instrumentation/net/http/otelhttp"
	"go.opentelemetry.io/otel/attribute"
	noopmetric "go.opentelemetry.io/otel/metric/noop"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"
)

// TraceOptions say which requests are traced.
type TraceOptions struct {
	Provider trace.TracerProvider // nil traces nothing
	Ratio    float64              // the share of requests traced, 0 to 1
	Rand     func() float64       // in [0,1); nil is math/rand
	Most     int                  // traces a second at most, 50 when 0
	Now      func() time.Time     // nil is time.Now

	// TrustParent lets the traceparent of an incoming request decide instead of
	// Ratio, and makes its span the parent. Only behind callers of our own:
	// anybody else could have every request traced.
	TrustParent bool
}

// Trace makes a span of some of the requests to next. The choice comes first: a
// request that is not traced goes straight to next and allocates nothing, since
// otelhttp costs a quarter of the rate even for spans that nobody keeps.
//
// Spans carry no client address, no query string and no header but the start of
// the user agent; what looks like an API key is masked.
func Trace(opts TraceOptions, next http.Handler) http.Handler {
	if opts.Provider == nil || opts.Ratio <= 0 && !opts.TrustParent {
		return next
	}
	random := opts.Rand
	if random == nil {
		random = rand.Float64
	}
	few := &perSecond{most: int64(cmp.Or(opts.Most, 50)), now: opts.Now}
	if few.now == nil {
		few.now = time.Now
	}
	propagator := propagation.NewCompositeTextMapPropagator() // extracts nothing
	if opts.TrustParent {
		propagator = propagation.TraceContext{}
	}
	spanned := otelhttp.NewMiddleware("",
		otelhttp.WithTracerProvider(opts.Provider),
		otelhttp.WithMeterProvider(noopmetric.NewMeterProvider()), // the Observer counts
		otelhttp.WithPropagators(propagator),
	)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		sampled, decided := false, false
		if opts.TrustParent {
			sampled, decided = parentSampled(r.Header["Traceparent"])
		}
		if !decided {
			sampled = random() < opts.Ratio
		}
		if !sampled || !decided && !few.take() {
			next.ServeHTTP(w, r)
			return
		}
		traced(spanned, next, w, r)
	})
}

// perSecond lets so many through in a second. A share of the requests is a good
// sample of little traffic; of much, it would cost as much as the traffic does.
type perSecond struct {
	most  int64
	now   func() time.Time
	state atomic.Int64 // the second, and how many were let through in it
}

func (p *perSecond) take() bool {
	const bits = 20
	second := p.now().Unix() << bits
	for {
		old := p.state.Load()
		next := second + 1
		if of := old &^ (1<<bits - 1); of >= second { // also when the clock was read before it went on
			if old-of >= min(p.most, 1<<bits-1) {
				return false
			}
			next = old + 1
		}
		if p.state.CompareAndSwap(old, next) {
			return true
		}
	}
}

// traced shows otelhttp a request without what must not be recorded, for it has
// no option to leave addresses out, and gives next the whole one.
func traced(spanned func(http.Handler) http.Handler, next http.Handler, w http.ResponseWriter, r *http.Request) {
	shown := r.WithContext(r.Context())
	shown.RemoteAddr = ""
	if path := maskKeys(r.URL.Path); path != r.URL.Path {
		masked := *r.URL
		masked.Path, masked.RawPath = path, ""
		shown.URL = &masked
	}
	shown.Header = make(http.Header, 3)
	if agent := r.UserAgent(); agent != "" {
		shown.Header.Set("User-Agent", clean(agent, maxLoggedUserAgent))
	}
	for _, name := range [...]string{"Traceparent", "Tracestate"} {
		if values, ok := r.Header[name]; ok {
			shown.Header[name] = values
		}
	}
	spanned(http.HandlerFunc(func(w http.ResponseWriter, inner *http.Request) {
		inner.RemoteAddr, inner.Header, inner.URL = r.RemoteAddr, r.Header, r.URL
		// The mux writes the pattern into the request it gets: hand it back to
		// the Observer, which holds r, and tell the span.
		defer func() {
			r.Pattern = inner.Pattern
			if inner.Pattern != "" {
				span := trace.SpanFromContext(inner.Context())
				span.SetAttributes(attribute.String("http.route", routeName(inner.Pattern)))
			}
		}()
		next.ServeHTTP(w, inner)
	})).ServeHTTP(w, shown)
}

// parentSampled reads the sampled flag of a traceparent header (W3C Trace
// Context), "00-<32 hex>-<16 hex>-<2 hex>". A malformed one decides nothing.
func parentSampled(values []string) (sampled, ok bool) {
	const size = len("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01")
	if len(values) != 1 || len(values[0]) < size {
		return false, false
	}
	s := values[0]
	longer := len(s) > size
	if s[:2] == "ff" || longer && (s[:2] == "00" || s[size] != '-') {
		return false, false
	}
	for i := range size {
		dash := i == 2 || i == 35 || i == 52
		if dash != (s[i] == '-') || !dash && !lowerHex(s[i]) {
			return false, false
		}
	}
	flags := s[size-1]
	if flags >= 'a' {
		flags -= 'a' - 10
	}
	return flags&1 == 1, true // '0' is even, so digits need no conversion
}

func lowerHex(c byte) bool { return c >= '0' && c <= '9' || c >= 'a' && c <= 'f' }
