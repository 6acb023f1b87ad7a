package web

import (
	"bytes"
	"context"
	"log/slog"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync/atomic"
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

// logRequest writes the one line of a request.
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
	if o.lines != nil && level == slog.LevelInfo {
		rec.text = l.appendJSON(rec.text[:0], rec, r, &o.second)
		_, _ = o.lines.Write(rec.text) // as in emit
		return
	}
	record := slog.NewRecord(l.end, level, requestMessage, 0)
	record.AddAttrs(l.attrs(rec, r)...)
	emit(r.Context(), o.log, record)
}

const requestMessage = "request"

// attrs are what a line says. It goes to the slog.Handler without a slog.Logger,
// which would look up the caller's position, which never varies.
func (l line) attrs(rec *recorder, r *http.Request) []slog.Attr {
	attrs := []slog.Attr{
		slog.String("method", clean(r.Method, maxLoggedMethod)),
		// Escaped, a path is plain ASCII without control characters. The query
		// string stays out: it may hold what a client should not have put there.
		slog.String("path", clean(r.URL.EscapedPath(), maxLoggedPath)),
		slog.String("route", l.route),
		slog.Int("status", l.status),
		slog.Int64("bytes", rec.sent(r)),
		slog.Int64("duration_us", l.elapsed.Microseconds()),
		slog.String("client", Truncate(rec.client)),
		slog.String("request_id", maskKeys(rec.id)),
		slog.String("user_agent", clean(r.UserAgent(), maxLoggedUserAgent)),
	}
	if rec.err != nil {
		attrs = append(attrs, slog.String("error", clean(loggable(rec.err), maxLoggedError)))
	}
	return attrs
}

// appendJSON writes what slog.JSONHandler writes of the same attributes, byte for
// byte, in a fifth of its time: this line is written for every request.
func (l line) appendJSON(b []byte, rec *recorder, r *http.Request, second *atomic.Pointer[second]) []byte {
	b = append(b, `{"time":"`...)
	b = appendTime(b, l.end, second)
	b = append(b, `","level":"INFO","msg":"request","method":`...)
	b = appendClean(b, r.Method, maxLoggedMethod)
	b = append(b, `,"path":`...)
	b = appendClean(b, escapedPath(r.URL), maxLoggedPath)
	b = append(b, `,"route":"`...)
	b = append(b, l.route...)
	b = append(b, `","status":`...)
	b = strconv.AppendInt(b, int64(l.status), 10)
	b = append(b, `,"bytes":`...)
	b = strconv.AppendInt(b, rec.sent(r), 10)
	b = append(b, `,"duration_us":`...)
	b = strconv.AppendInt(b, l.elapsed.Microseconds(), 10)
	b = append(b, `,"client":"`...)
	b = appendTruncated(b, rec.client)
	b = append(b, `","request_id":`...)
	b = appendClean(b, rec.id, maxRequestID)
	b = append(b, `,"user_agent":`...)
	b = appendClean(b, r.UserAgent(), maxLoggedUserAgent)
	if rec.err != nil {
		b = append(b, `,"error":`...)
		b = appendClean(b, loggable(rec.err), maxLoggedError)
	}
	return append(b, "}\n"...)
}

// A second is how all moments of it begin and end when they are written.
type second struct {
	unix       int64
	date, zone string
}

// appendTime writes t as RFC 3339 with nanoseconds. Most of it is the same for a
// second, and the calendar is not cheap.
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

// appendClean writes clean(s, limit) as a JSON string. Nearly always that is s itself,
// which one look at each byte tells.
func appendClean(b []byte, s string, limit int) []byte {
	start := len(b)
	b = append(append(append(b, '"'), s...), '"')
	plain := len(s) <= limit
	for i := 0; plain && i < len(s); i++ {
		c := s[i]
		plain = c >= ' ' && c <= '~' && c != '"' && c != '\\' && (c != 'p' || !strings.HasPrefix(s[i:], keyHead))
	}
	if plain {
		return b
	}
	b = append(b[:start], '"')
	// What is clean has no control characters: nothing else needs escaping.
	for _, c := range []byte(clean(s, limit)) {
		if c == '"' || c == '\\' {
			b = append(b, '\\')
		}
		b = append(b, c)
	}
	return append(b, '"')
}

// escapedPath is u.EscapedPath(), which is the path itself where nothing in it is
// special.
func escapedPath(u *url.URL) string {
	for i := range len(u.Path) {
		switch c := u.Path[i]; {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', c == '/', c == '-', c == '_', c == '.':
		default:
			return u.EscapedPath()
		}
	}
	if u.RawPath != "" {
		return u.EscapedPath()
	}
	return u.Path
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

// keyHead is how keys begin, and maskedKey stands where one was.
const (
	keyHead   = "plm"
	maskedKey = "plm_***"
)

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
	const head = keyHead
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
