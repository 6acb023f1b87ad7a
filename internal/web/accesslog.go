package web

import (
	"context"
	"log/slog"
	"net/http"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// How much of what a client sent goes into one log line, in characters.
const (
	maxLoggedPath      = 256
	maxLoggedMethod    = 16
	maxLoggedUserAgent = 120
	maxLoggedError     = 2000
)

// A line is what the access log says beyond the recorder and the request.
type line struct {
	end     time.Time
	route   string
	status  int
	elapsed time.Duration
}

// logRequest writes the one line of a request. It speaks to the slog.Handler
// directly: slog.Logger would look up the caller's position, which never varies.
func (o *Observer) logRequest(rec *recorder, r *http.Request, l line) {
	level := slog.LevelInfo
	// An answer cut short has the status it began with; unless it was the client
	// who left, it is a failure all the same.
	cut := rec.panicked && rec.err != nil && r.Context().Err() == nil
	if l.status >= http.StatusInternalServerError || cut {
		level = slog.LevelError
	}
	if !o.log.Enabled(r.Context(), level) {
		return
	}
	written := rec.written
	if r.Method == http.MethodHead {
		written = 0 // net/http takes the body and does not send it
	}
	record := slog.NewRecord(l.end, level, "request", 0)
	attrs := [...]slog.Attr{
		slog.String("method", clean(r.Method, maxLoggedMethod)),
		// Escaped, a path is plain ASCII without control characters. The query
		// string stays out: it may hold what a client should not have put there.
		slog.String("path", clean(r.URL.EscapedPath(), maxLoggedPath)),
		slog.String("route", l.route),
		slog.Int("status", l.status),
		slog.Int64("bytes", written),
		slog.Int64("duration_us", l.elapsed.Microseconds()),
		slog.String("client", Truncate(rec.client)),
		slog.String("request_id", rec.id),
		slog.String("user_agent", clean(r.UserAgent(), maxLoggedUserAgent)),
		{}, // the error, if there is one; handlers skip an empty Attr
	}
	used := attrs[:len(attrs)-1]
	if rec.err != nil {
		attrs[len(attrs)-1] = slog.String("error", clean(loggable(rec.err), maxLoggedError))
		used = attrs[:]
	}
	record.AddAttrs(used...)
	emit(r.Context(), o.log, record)
}

// emit drops the handler's error: there is nowhere left to report it, and a full
// disk must not fail requests.
func emit(ctx context.Context, h slog.Handler, record slog.Record) { _ = h.Handle(ctx, record) }

// clean cuts s to limit characters and replaces what does not print, so that
// whatever handler writes the log, a client cannot forge a line in it.
func clean(s string, limit int) string {
	plain := len(s) <= limit
	for i := 0; plain && i < len(s); i++ {
		plain = s[i] >= ' ' && s[i] <= '~'
	}
	if plain {
		return s
	}
	var b strings.Builder
	b.Grow(min(len(s), limit))
	for _, r := range s {
		if limit == 0 {
			break
		}
		limit--
		if r != ' ' && !unicode.IsPrint(r) {
			r = utf8.RuneError
		}
		b.WriteRune(r)
	}
	return b.String()
}
