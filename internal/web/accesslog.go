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
		slog.String("request_id", maskKeys(rec.id)),
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

// clean masks keys in s, cuts it to limit characters and replaces what does not
// print, so that whatever handler writes the log, a client cannot forge a line in it.
func clean(s string, limit int) string {
	s = maskKeys(s)
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

// maskedKey stands where a key was.
const maskedKey = "plm_***"

// maskKeys hides what looks like an API key, or the rest of one: clients put keys
// into paths and user agents by mistake, and logs are read by more people than
// may use them.
func maskKeys(s string) string {
	start, end := findKey(s)
	if start < 0 {
		return s
	}
	var b strings.Builder
	for ; start >= 0; start, end = findKey(s) {
		b.WriteString(s[:start])
		b.WriteString(maskedKey)
		s = s[end:]
	}
	b.WriteString(s)
	return b.String()
}

// findKey tells where the first key in s begins and ends; -1 where there is none.
// The underscore may be escaped, as some clients do in URLs.
func findKey(s string) (start, end int) {
	const head = "plm"
	for from := 0; ; {
		i := strings.Index(s[from:], head)
		if i < 0 {
			return -1, -1
		}
		start, end = from+i, from+i+len(head)
		from = end
		switch rest := s[end:]; {
		case strings.HasPrefix(rest, "_"):
			end++
		case strings.HasPrefix(rest, "%5F"), strings.HasPrefix(rest, "%5f"):
			end += len("%5F")
		default:
			continue
		}
		for end < len(s) && inKey(s[end]) {
			end++
		}
		if s[start:end] != head+"_" { // the prefix alone gives nothing away
			return start, end
		}
	}
}

func inKey(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z' || c == '%'
}
