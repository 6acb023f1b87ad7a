package web

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"net/http"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/palmares-hq/palmares/internal/logging"
)

// The limits on text in a log line, in characters.
const (
	maxLoggedPath      = 256
	maxLoggedMethod    = 16
	maxLoggedUserAgent = 120
	maxLoggedError     = 2000
)

// A line is what a line of the access log needs besides the recorder and the request.
type line struct {
	end     time.Time
	route   string
	status  int
	elapsed time.Duration
	refused bool  // see limit.ErrShare
	skipped int64 // lines of refused requests that were left out since the last one written
}

// An accessLog writes one line for each request, and a sample of those that were refused.
type accessLog struct {
	handler slog.Handler
	lines   io.Writer              // takes finished lines in JSON; nil when handler must format them
	second  atomic.Pointer[second] // of the last line
	refused sample
}

// refusedPerSecond is how many refused requests are logged in a second. A refused client may ask as often as it likes:
// the metrics count every request, and a few lines are enough to say who it is.
const refusedPerSecond = 5

// A sample lets refusedPerSecond events pass in each second. It is safe for concurrent use.
type sample struct {
	mu      sync.Mutex
	second  int64
	passed  int
	skipped int64
}

// take reports whether another event passes, and if so how many were skipped since the last that did.
func (s *sample) take(now time.Time) (skipped int64, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if second := now.Unix(); second != s.second {
		s.second, s.passed = second, 0
	}
	if s.passed == refusedPerSecond {
		s.skipped++
		return 0, false
	}
	s.passed++
	skipped, s.skipped = s.skipped, 0
	return skipped, true
}

// init prepares the log; nil logs nothing.
func (a *accessLog) init(logger *slog.Logger) {
	a.handler = slog.DiscardHandler
	if logger == nil {
		return
	}
	a.handler = logger.Handler()
	if h, ok := a.handler.(interface{ Lines() io.Writer }); ok {
		a.lines = h.Lines()
	}
}

func (a *accessLog) write(rec *recorder, r *http.Request, l line) {
	level := slog.LevelInfo
	// A response that was cut off has the status it began with, but unless the client has left it is a
	// failure.
	cut := rec.panicked && rec.err != nil && r.Context().Err() == nil
	switch {
	case l.refused:
		level = slog.LevelWarn
	case l.status >= http.StatusInternalServerError || cut:
		level = slog.LevelError
	}
	if !a.handler.Enabled(r.Context(), level) {
		return
	}
	if l.refused {
		var ok bool
		if l.skipped, ok = a.refused.take(l.end); !ok {
			return
		}
	}
	if a.lines != nil && level == slog.LevelInfo {
		rec.text = l.appendJSON(rec.text[:0], rec, r, &a.second)
		_, _ = a.lines.Write(rec.text) // as in emit
		return
	}
	record := slog.NewRecord(l.end, level, requestMessage, 0)
	record.AddAttrs(l.attrs(rec, r)...)
	a.emit(r.Context(), record)
}

const requestMessage = "request"

// attrs returns the attributes of a log line.
func (l line) attrs(rec *recorder, r *http.Request) []slog.Attr {
	attrs := []slog.Attr{
		slog.String("method", logging.Clean(r.Method, maxLoggedMethod)),
		// The query string stays out: it may hold what a client should not have put there.
		slog.String("path", logging.Clean(r.URL.EscapedPath(), maxLoggedPath)),
		slog.String("route", l.route),
		slog.Int("status", l.status),
		slog.Int64("bytes", rec.sent(r)),
		slog.Int64("duration_us", l.elapsed.Microseconds()),
		slog.String("client", logging.Network(rec.client)),
		slog.String("request_id", logging.MaskKeys(rec.id)),
		slog.String("user_agent", logging.Clean(r.UserAgent(), maxLoggedUserAgent)),
	}
	if rec.err != nil {
		attrs = append(attrs, slog.String("error", logging.Clean(loggable(rec.err), maxLoggedError)))
	}
	if l.skipped > 0 {
		attrs = append(attrs, slog.Int64("skipped", l.skipped))
	}
	return attrs
}

// appendJSON appends what slog.JSONHandler would write for the same attributes, byte for byte. slog
// would nearly triple the cost of observing a request, and allocate five times.
func (l line) appendJSON(b []byte, rec *recorder, r *http.Request, second *atomic.Pointer[second]) []byte {
	b = append(b, `{"time":"`...)
	b = appendTime(b, l.end, second)
	b = append(b, `","level":"INFO","msg":"request","method":`...)
	b = logging.AppendJSON(b, r.Method, maxLoggedMethod)
	b = append(b, `,"path":`...)
	b = logging.AppendJSON(b, r.URL.EscapedPath(), maxLoggedPath)
	b = append(b, `,"route":"`...)
	b = append(b, l.route...)
	b = append(b, `","status":`...)
	b = strconv.AppendInt(b, int64(l.status), 10)
	b = append(b, `,"bytes":`...)
	b = strconv.AppendInt(b, rec.sent(r), 10)
	b = append(b, `,"duration_us":`...)
	b = strconv.AppendInt(b, l.elapsed.Microseconds(), 10)
	b = append(b, `,"client":"`...)
	b = logging.AppendNetwork(b, rec.client)
	b = append(b, `","request_id":`...)
	b = logging.AppendJSON(b, rec.id, maxRequestID)
	b = append(b, `,"user_agent":`...)
	b = logging.AppendJSON(b, r.UserAgent(), maxLoggedUserAgent)
	if rec.err != nil {
		b = append(b, `,"error":`...)
		b = logging.AppendJSON(b, loggable(rec.err), maxLoggedError)
	}
	return append(b, "}\n"...)
}

// A second holds the formatted text that all times within one second share.
type second struct {
	unix       int64
	date, zone string
}

// appendTime appends t in RFC 3339 with nanoseconds. It reuses the part that stays the same for a
// second: formatting it again costs a tenth of observing a request.
func appendTime(b []byte, t time.Time, last *atomic.Pointer[second]) []byte {
	s := last.Load()
	if s == nil || s.unix != t.Unix() {
		s = &second{unix: t.Unix(), date: t.Format("2006-01-02T15:04:05"), zone: t.Format("Z07:00")}
		last.Store(s)
	}
	b = append(b, s.date...)
	if nanos := t.Nanosecond(); nanos != 0 {
		digits := [10]byte{'.'}
		for i := 9; i > 0; i-- {
			digits[i] = byte('0' + nanos%10)
			nanos /= 10
		}
		b = append(b, bytes.TrimRight(digits[:], "0")...)
	}
	return append(b, s.zone...)
}

// emit drops the handler's error: there is nowhere left to report it, and a full disk must not fail
// requests.
func (a *accessLog) emit(ctx context.Context, record slog.Record) { _ = a.handler.Handle(ctx, record) }
