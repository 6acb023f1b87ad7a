package tracing

import (
	"cmp"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"time"

	"go.opentelemetry.io/contrib/instrumentation/net/http/otelhttp"
	"go.opentelemetry.io/otel/attribute"
	noopmetric "go.opentelemetry.io/otel/metric/noop"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"

	"github.com/palmares-hq/palmares/internal/logging"
)

// Options configure which requests are traced, and where their spans go.
type Options struct {
	Provider trace.TracerProvider // nil traces nothing
	Ratio    float64              // the share of requests to trace, 0 to 1
	Most     int                  // the most traces in a second, 50 when 0
	Rand     func() float64       // in [0,1); nil is math/rand
	Now      func() time.Time     // nil is time.Now
}

// Wrap makes a span for some of the requests to next. A request that is not chosen goes straight
// to next and allocates nothing: otelhttp would cost a quarter of the request rate even for spans that
// are dropped. A client's traceparent is ignored, or clients could have every request traced.
//
// Spans carry no client address, no query string and no header but the start of the user agent;
// what looks like an API key is masked.
func Wrap(next http.Handler, opts Options) http.Handler {
	if opts.Provider == nil || opts.Ratio <= 0 {
		return next
	}
	random := opts.Rand
	if random == nil {
		random = rand.Float64
	}
	limit := &perSecond{most: cmp.Or(opts.Most, 50), now: opts.Now}
	if limit.now == nil {
		limit.now = time.Now
	}
	spanned := otelhttp.NewMiddleware("",
		otelhttp.WithTracerProvider(opts.Provider),
		otelhttp.WithMeterProvider(noopmetric.NewMeterProvider()),             // web.Observer counts
		otelhttp.WithPropagators(propagation.NewCompositeTextMapPropagator()), // extracts nothing
	)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if random() < opts.Ratio && limit.take() {
			serveTraced(w, r, next, spanned)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// perSecond allows at most so many events in a second. It bounds the cost of tracing, which a mere share
// of the requests would let grow with the traffic.
type perSecond struct {
	most int
	now  func() time.Time

	mu     sync.Mutex
	second int64
	taken  int
}

func (p *perSecond) take() bool {
	second := p.now().Unix()
	p.mu.Lock()
	defer p.mu.Unlock()
	if second > p.second { // not when the clock was read before another request's second began
		p.second, p.taken = second, 0
	}
	if p.taken == p.most {
		return false
	}
	p.taken++
	return true
}

// maxUserAgent is how many characters of a user agent a span has.
const maxUserAgent = 120

// serveTraced gives otelhttp a copy of the request without the data that must not be recorded, because
// otelhttp has no option to leave addresses out, and gives next the complete request.
func serveTraced(
	w http.ResponseWriter, r *http.Request, next http.Handler, spanned func(http.Handler) http.Handler,
) {
	shown := r.WithContext(r.Context())
	shown.RemoteAddr = ""
	if path := logging.MaskKeys(r.URL.Path); path != r.URL.Path {
		masked := *r.URL
		masked.Path, masked.RawPath = path, ""
		shown.URL = &masked
	}
	shown.Header = make(http.Header, 1)
	if agent := r.UserAgent(); agent != "" {
		shown.Header.Set("User-Agent", logging.Clean(agent, maxUserAgent))
	}
	spanned(http.HandlerFunc(func(w http.ResponseWriter, inner *http.Request) {
		inner.RemoteAddr, inner.Header, inner.URL = r.RemoteAddr, r.Header, r.URL
		// The mux sets the pattern on the request that it gets, which is a copy: set it on r for
		// web.Observer, and on the span.
		defer func() {
			r.Pattern = inner.Pattern
			if route := inner.Pattern[strings.IndexByte(inner.Pattern, ' ')+1:]; route != "" {
				trace.SpanFromContext(inner.Context()).SetAttributes(attribute.String("http.route", route))
			}
		}()
		next.ServeHTTP(w, inner)
	})).ServeHTTP(w, shown)
}
