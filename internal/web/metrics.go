package web

import (
	"net/http"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/prometheus/client_golang/prometheus"
)

// metrics holds the collectors, and a cache of collectors by label: looking labels up for every request
// would make observing it half as expensive again, and add two allocations.
type metrics struct {
	requests *prometheus.CounterVec
	duration *prometheus.HistogramVec
	panics   prometheus.Counter
	inFlight prometheus.Gauge

	routes sync.Map // *routeMetrics by pattern
}

func newMetrics(registry prometheus.Registerer) *metrics {
	m := &metrics{
		requests: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "palmares_http_requests_total",
			Help: "Requests answered, by route pattern, method and status code.",
		}, []string{"route", "method", "code"}),
		duration: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "palmares_http_request_duration_seconds",
			Help: "Time from the request's header to the end of its handler, by route pattern; without those that were refused because a client had its share.",
			Buckets: []float64{
				.0001, .00025, .0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10,
			},
		}, []string{"route"}),
		panics: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "palmares_http_panics_total",
			Help: "Handlers that panicked.",
		}),
		inFlight: prometheus.NewGauge(prometheus.GaugeOpts{
			Name: "palmares_http_requests_in_flight",
			Help: "Requests being handled now.",
		}),
	}
	if registry != nil {
		registry.MustRegister(m.requests, m.duration, m.panics, m.inFlight)
		m.route("").counter(http.MethodGet, http.StatusNotFound) // shown from the start; others with their first request
	}
	return m
}

// unmatched is the route of all requests that no pattern matched, so that clients cannot create series
// by inventing paths.
const unmatched = "unmatched"

// route returns the collectors for a ServeMux pattern. It keeps them forever: patterns come from our own
// code and are few.
func (m *metrics) route(pattern string) *routeMetrics {
	if known, ok := m.routes.Load(pattern); ok {
		return known.(*routeMetrics)
	}
	name := unmatched
	if pattern != "" {
		name = routeName(pattern)
	}
	made := &routeMetrics{name: name, requests: m.requests, duration: m.duration.WithLabelValues(name)}
	known, _ := m.routes.LoadOrStore(strings.Clone(pattern), made)
	return known.(*routeMetrics)
}

// routeName returns a pattern without its method, which has a label of its own.
func routeName(pattern string) string {
	return strings.TrimLeft(pattern[strings.IndexAny(pattern, " \t")+1:], " \t")
}

// routeMetrics are the collectors of one route.
type routeMetrics struct {
	name     string
	requests *prometheus.CounterVec
	duration prometheus.Observer
	byMethod [len(methods)]atomic.Pointer[codeCounters]
}

// methods are the values of the method label; the last stands for all others.
var methods = [...]string{
	http.MethodGet, http.MethodHead, http.MethodOptions, http.MethodPost, http.MethodPut,
	http.MethodPatch, http.MethodDelete, http.MethodConnect, http.MethodTrace, "OTHER",
}

func methodIndex(method string) int {
	for i, known := range methods {
		if method == known {
			return i
		}
	}
	return len(methods) - 1
}

// codeCounters has a counter for each status from 100 to 599, and a last one for all others. Each is
// made on first use.
type codeCounters [501]atomic.Pointer[prometheus.Counter]

func codeIndex(status int) (index int, label string) {
	if status < 100 || status > 599 {
		return len(codeCounters{}) - 1, "other"
	}
	return status - 100, ""
}

// counter returns the counter of a method and a status. It needs no lock: requests that race get the
// same counter, because the vector has one per set of labels.
func (rm *routeMetrics) counter(method string, status int) prometheus.Counter {
	m := methodIndex(method)
	codes := rm.byMethod[m].Load()
	if codes == nil {
		rm.byMethod[m].CompareAndSwap(nil, new(codeCounters))
		codes = rm.byMethod[m].Load()
	}
	i, label := codeIndex(status)
	if c := codes[i].Load(); c != nil {
		return *c
	}
	if label == "" {
		label = strconv.Itoa(status)
	}
	c := rm.requests.WithLabelValues(rm.name, methods[m], label)
	codes[i].Store(&c)
	return c
}
