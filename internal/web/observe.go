package web

import (
	"cmp"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"runtime/debug"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/palmares-hq/palmares/internal/limit"
	"github.com/palmares-hq/palmares/internal/logging"
)

// ObserverOptions configure an Observer. Every field may be left empty.
type ObserverOptions struct {
	Logger   *slog.Logger          // nil logs nothing
	Registry prometheus.Registerer // nil registers nothing
	Proxies  Proxies               // whose X-Forwarded-For is believed
	Now      func() time.Time      // nil is time.Now

	// WriteError answers a request that panicked outside any Handler before the response began. Nil
	// is WritePlainError.
	WriteError ErrorWriter
}

// An Observer gives requests an id, recovers panics, writes the access log and updates the metrics.
// One Observer may wrap several handlers.
type Observer struct {
	log        accessLog
	proxies    Proxies
	now        func() time.Time
	writeError ErrorWriter
	metrics    *metrics
	recorders  sync.Pool
}

// NewObserver returns an Observer and registers its metrics. It panics if they are registered
// already, as Registerer.MustRegister does.
func NewObserver(opts ObserverOptions) *Observer {
	o := &Observer{
		proxies:    opts.Proxies,
		now:        opts.Now,
		writeError: opts.WriteError,
		metrics:    newMetrics(opts.Registry),
	}
	o.log.init(opts.Logger)
	if o.now == nil {
		o.now = time.Now
	}
	if o.writeError == nil {
		o.writeError = WritePlainError
	}
	o.recorders.New = func() any { return new(recorder) }
	return o
}

// Wrap observes next. The ResponseWriter that next receives is recycled: as with any handler, it
// must not be used once the handler has returned.
func (o *Observer) Wrap(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		rec := o.recorders.Get().(*recorder)
		rec.begin(w, r, o.proxies, o.now())
		o.metrics.inFlight.Inc()
		defer o.finish(rec, r)
		next.ServeHTTP(rec, r)
	})
}

// finish is deferred by Wrap itself, so that its recover works.
func (o *Observer) finish(rec *recorder, r *http.Request) {
	cause := recover()
	o.metrics.inFlight.Dec()
	if cause != nil {
		cause = o.recovered(rec, r, cause)
	}
	if rec.status == 0 && cause == nil && !rec.hijacked {
		rec.WriteHeader(http.StatusOK) // net/http sends it when the handler did not
	}
	status := cmp.Or(rec.status, StatusClientClosed)
	end := o.now()
	elapsed := end.Sub(rec.start)
	route := o.metrics.route(r.Pattern)
	route.counter(r.Method, status).Inc()
	refused := isRefused(status, rec.err)
	if !refused { // the time taken to refuse a client says nothing about how fast we are
		route.duration.Observe(elapsed.Seconds())
		if rec.latency != nil {
			rec.latency.count(rec.start, end)
		}
	}
	if rec.answers != nil {
		// When the client has left, it was not we who cut the response off.
		rec.answers.count(status, cause != nil && r.Context().Err() == nil, refused)
	}
	o.log.write(rec, r, line{end: end, route: route.name, status: status, elapsed: elapsed, refused: refused})

	if rec.panicked {
		// A goroutine that the handler left behind may still hold the recorder.
		if cause != nil {
			panic(cause)
		}
		return
	}
	rec.end()
	o.recorders.Put(rec)
}

// recovered logs and counts a panic, and answers with a 500 if the response has not begun. It returns
// what to panic with again: nil, or http.ErrAbortHandler, on which net/http cuts the connection and
// logs nothing.
func (o *Observer) recovered(rec *recorder, r *http.Request, cause any) (again any) {
	rec.panicked = true
	if cause == http.ErrAbortHandler { //nolint:errorlint // a panic with this very value
		return cause
	}
	o.metrics.panics.Inc()
	stack := debug.Stack()
	err, ok := cause.(error)
	if !ok {
		err = fmt.Errorf("%v", cause)
	}
	record := slog.NewRecord(o.now(), slog.LevelError, "panic", 0)
	record.AddAttrs(
		slog.String("request_id", rec.id),
		slog.String("error", logging.Clean(err.Error(), maxLoggedError)),
		slog.String("stack", string(stack)),
	)
	o.log.emit(r.Context(), record)

	rec.err = fmt.Errorf("panic: %w", err)
	if rec.status != 0 {
		return http.ErrAbortHandler
	}
	write := rec.writeError
	if write == nil {
		write = o.writeError
	}
	ForgetFields(rec)
	replaceByError(rec, r, Wrap(http.StatusInternalServerError, "internal error", rec.err), write)
	return nil
}

// isRefused reports whether a response is a 503 because the client had its share, rather than because
// of a failure.
func isRefused(status int, err error) bool {
	return status == http.StatusServiceUnavailable && errors.Is(err, limit.ErrShare)
}
