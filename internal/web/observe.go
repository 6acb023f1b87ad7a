package web

import (
	"cmp"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// ObserverOptions say how requests are observed. Every field may be left empty.
type ObserverOptions struct {
	Logger   *slog.Logger          // nil logs nothing
	Registry prometheus.Registerer // nil registers nothing
	Proxies  Proxies               // whose X-Forwarded-For is believed
	Now      func() time.Time      // nil is time.Now

	// WriteError answers a request that failed or panicked before it was
	// answered. Nil answers in plain text.
	WriteError func(w http.ResponseWriter, r *http.Request, err *Error)
}

// An Observer gives requests an id, recovers panics, writes the access log and
// counts. One Observer may wrap several handlers.
type Observer struct {
	log        slog.Handler
	lines      io.Writer // takes lines in JSON; nil where log must make them
	proxies    Proxies
	now        func() time.Time
	writeError func(http.ResponseWriter, *http.Request, *Error)
	metrics    *metrics
	recorders  sync.Pool
	second     atomic.Pointer[second] // of the last line
}

// NewObserver makes an Observer and registers its metrics. It panics if they are
// registered already, as Registerer.MustRegister does.
func NewObserver(opts ObserverOptions) *Observer {
	o := &Observer{
		log:        slog.DiscardHandler,
		proxies:    opts.Proxies,
		now:        opts.Now,
		writeError: opts.WriteError,
		metrics:    newMetrics(opts.Registry),
	}
	if opts.Logger != nil {
		o.log = opts.Logger.Handler()
		if h, ok := o.log.(interface{ Lines() io.Writer }); ok {
			o.lines = h.Lines()
		}
	}
	if o.now == nil {
		o.now = time.Now
	}
	if o.writeError == nil {
		o.writeError = writePlainError
	}
	o.recorders.New = func() any { return new(recorder) }
	return o
}

// Wrap observes next. The ResponseWriter that next receives is recycled: as with
// any handler, it must not be used once the handler has returned.
func (o *Observer) Wrap(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		rec := o.recorders.Get().(*recorder)
		rec.begin(w, r, o.proxies, o.now())
		o.metrics.inFlight.Add(1)
		defer o.finish(rec, r)
		next.ServeHTTP(rec, r)
	})
}

// Handler adapts a handler that returns its error. The error is attached to the
// log line and answered by WriteError, so no handler has to remember to return
// after sending one. It must run under Wrap.
func (o *Observer) Handler(fn func(w http.ResponseWriter, r *http.Request) error) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		err := fn(w, r)
		if err == nil {
			return
		}
		e := AsError(err)
		if e.Status == StatusClientClosed && r.Context().Err() == nil {
			// Something else was cancelled: this client still waits for an answer.
			e = Wrap(http.StatusInternalServerError, "internal error", err)
		}
		SetError(w, e)
		o.fail(w, r, e)
	})
}

// fail answers with e, or cuts the connection when an answer has begun: an
// answer that merely ended early would pass for a complete one.
func (o *Observer) fail(w http.ResponseWriter, r *http.Request, e *Error) {
	if rec := recorderOf(w); rec != nil && rec.status != 0 {
		panic(http.ErrAbortHandler)
	}
	ForgetFields(w)
	h := w.Header()
	for _, name := range describesBody {
		delete(h, name)
	}
	o.writeError(w, r, e)
}

// describesBody lists the headers of the answer that was being prepared, which an
// error that takes its place must not inherit.
var describesBody = [...]string{
	"Cache-Control", "Content-Encoding", "Content-Length", "Content-Type", "Etag", "Expires", "Last-Modified",
}

// finish is deferred by Wrap itself, so that its recover works.
func (o *Observer) finish(rec *recorder, r *http.Request) {
	cause := recover()
	o.metrics.inFlight.Add(-1)
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
	route.observe(r.Method, status, elapsed)
	o.logRequest(rec, r, line{end: end, route: route.name, status: status, elapsed: elapsed})

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

// recovered deals with a panic and returns what to panic with in turn: nil, or
// http.ErrAbortHandler, on which net/http cuts the connection and stays silent.
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
		slog.String("error", clean(err.Error(), maxLoggedError)),
		slog.String("stack", string(stack)),
	)
	emit(r.Context(), o.log, record)

	rec.err = fmt.Errorf("panic: %w", err)
	if rec.status != 0 {
		return http.ErrAbortHandler
	}
	o.fail(rec, r, Wrap(http.StatusInternalServerError, "internal error", rec.err))
	return nil
}
