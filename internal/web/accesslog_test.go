package web

import (
	"bytes"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// slogLine is the line that slog makes of a request.
func slogLine(l line, rec *recorder, r *http.Request) string {
	var out bytes.Buffer
	record := slog.NewRecord(l.end, slog.LevelInfo, requestMessage, 0)
	record.AddAttrs(l.attrs(rec, r)...)
	_ = slog.NewJSONHandler(&out, nil).Handle(r.Context(), record)
	return out.String()
}

func FuzzAccessLine(f *testing.F) {
	f.Add("GET", "/api/v1/tools/é", "curl/8", "id", "", "192.0.2.1", int64(0), 200)
	f.Add("POST", `/a"b\c`, "plm_abc \u2028 \x00<script>&", "a.b_c", "quota \"reached\"\n", "2001:db8::1", int64(1763175600123456789), 429)
	long := strings.Repeat("\\é", 2000)
	f.Add(long, long, long, "", long, "", int64(-1), 99)
	const forged = "a\r\nforged\x00\x1b[31m\u2028\u202e\x85\xff plm_secret"
	f.Add(forged, "/"+forged, forged, "plm_secret", forged, "203.0.113.9", int64(1), 200)
	f.Fuzz(func(t *testing.T, method, path, agent, id, failure, client string, at int64, status int) {
		r := httptest.NewRequest(http.MethodGet, "/", nil)
		r.Method, r.URL.Path, r.Header["User-Agent"] = method, path, []string{agent}
		rec := &recorder{written: at}
		if validRequestID(id) {
			rec.id = id
		}
		if failure != "" {
			rec.err = errors.New(failure)
		}
		rec.client, _ = netip.ParseAddr(client)
		end := time.Unix(0, at)
		if y := end.Year(); y < 0 || y > 9999 {
			t.Skip("not a year that RFC 3339 knows")
		}
		l := line{end: end, route: "/api/v1/tools/{slug}", status: status, elapsed: time.Duration(at)}
		got, want := string(l.appendJSON(nil, rec, r, new(atomic.Pointer[second]))), slogLine(l, rec, r)
		if got != want {
			t.Errorf("line:\n%s\nslog writes:\n%s", got, want)
		}
		if strings.Contains(got, "plm_secret") {
			t.Errorf("a key is shown: %s", got)
		}
	})
}
