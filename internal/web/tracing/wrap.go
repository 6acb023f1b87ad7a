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

// Options say which requests are traced.
type Options struct {
	Provider trace.TracerProvider // nil traces nothing
	Ratio    float64              // the share of requests traced, 0 to 1
	Most     int                  // traces a second at most, 50 when 0
	Rand     func() float64       // in [0,1); nil is math/rand
	Now      func() time.Time     // nil is time.Now
}

// Wrap makes a span of some of the requests to next. A request that is not chosen goes straight
// to next and allocates nothing: otelhttp costs a quarter of the rate even for spans that nobody
// keeps. A traceparent that a client sends is ignored, or it could have every request traced.
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

// perSecond allows so many events in a second. A share of the requests is a good sample of little
// traffic; of much, it would cost as much as the traffic does.
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

// serveTraced shows otelhttp a request without what must not be recorded, for it has no option to
// leave addresses out, and gives next the whole one.
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
		// The mux writes the pattern into the request it gets: hand it back to web.Observer, which
		// holds r, and tell the span.
		defer func() {
			r.Pattern = inner.Pattern
			if route := inner.Pattern[strings.IndexByte(inner.Pattern, ' ')+1:]; route != "" {
				trace.SpanFromContext(inner.Context()).SetAttributes(attribute.String("http.route", route))
			}
		}()
		next.ServeHTTP(w, inner)
	})).ServeHTTP(w, shown)
}
