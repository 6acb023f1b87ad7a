package web

import (
	"bufio"
	"net"
	"net/http"
	"net/netip"
	"time"

	"github.com/palmares-hq/palmares/internal/web/wire"
)

// A recorder is the ResponseWriter that handlers see under an Observer. It remembers what the log
// line and the metrics need.
type recorder struct {
	http   http.ResponseWriter
	start  time.Time
	client netip.Addr
	id     string
	ids    []string // the id as a header value
	err    error    // for the log line

	status   int // 0 until the header is written
	written  int64
	hijacked bool
	panicked bool

	writeError ErrorWriter // of the Handler that answers; nil outside a Handler
	latency    *Latency    // counts the request; nil if none does
	answers    *Answers    // of its surface; nil if there is none

	conn   *wire.Conn // nil on a connection that is not package wire's
	wired  bool       // the response uses conn
	fields []string   // the names of fields that are in the header map

	// These are reused by the next request.
	fresh idBatch
	text  []byte // of the log line
}

func (rec *recorder) begin(w http.ResponseWriter, r *http.Request, proxies Proxies, now time.Time) {
	rec.http = w
	rec.start = now
	var incoming []string
	peer, ok := parseAddr(r.RemoteAddr)
	if rec.client = peer; ok && proxies.trust(peer) {
		rec.client = proxies.forwardedFor(r, peer)
		incoming = r.Header[requestIDHeader]
	}
	rec.ids = rec.fresh.choose(incoming)
	rec.id = rec.ids[0]
	rec.conn = wire.Of(r.Context())
}

// end clears the recorder for the pool, so that it keeps no request in memory.
func (rec *recorder) end() {
	*rec = recorder{fresh: rec.fresh, text: rec.text, fields: rec.fields[:0]}
}

// sent returns how many bytes of body were sent to the client.
func (rec *recorder) sent(r *http.Request) int64 {
	if r.Method == http.MethodHead {
		return 0 // net/http takes the body and does not send it
	}
	return rec.written
}

// Header implements http.ResponseWriter.
func (rec *recorder) Header() http.Header { return rec.http.Header() }

// WriteHeader implements http.ResponseWriter.
func (rec *recorder) WriteHeader(status int) {
	informational := status < http.StatusOK && status != http.StatusSwitchingProtocols
	if rec.status == 0 && !informational {
		rec.status = status
		switch {
		case rec.hijacked: // net/http sends nothing any more
		case rec.wired:
			rec.conn.Set(requestIDHeader, rec.id)
			rec.conn.ExpectHeader()
		default:
			rec.http.Header()[requestIDHeader] = rec.ids
		}
	}
	rec.http.WriteHeader(status)
}

// Write implements http.ResponseWriter.
func (rec *recorder) Write(p []byte) (int, error) {
	if rec.status == 0 {
		rec.WriteHeader(http.StatusOK)
	}
	n, err := rec.http.Write(p)
	rec.written += int64(n)
	return n, err
}

// Flush implements http.Flusher.
func (rec *recorder) Flush() { _ = rec.FlushError() }

// FlushError flushes for http.ResponseController. Leaving it to Unwrap would bypass WriteHeader,
// because a flush writes the header.
func (rec *recorder) FlushError() error {
	if rec.status == 0 {
		rec.WriteHeader(http.StatusOK)
	}
	return http.NewResponseController(rec.http).Flush()
}

// Hijack implements http.Hijacker.
func (rec *recorder) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	c, buffered, err := http.NewResponseController(rec.http).Hijack()
	rec.hijacked = rec.hijacked || err == nil
	return c, buffered, err //nolint:wrapcheck // net/http's own
}

// Unwrap lets http.ResponseController set deadlines.
func (rec *recorder) Unwrap() http.ResponseWriter { return rec.http }

// recorderOf returns the recorder that w is or wraps; nil if there is none.
func recorderOf(w http.ResponseWriter) *recorder {
	for {
		if rec, ok := w.(*recorder); ok {
			return rec
		}
		u, ok := w.(interface{ Unwrap() http.ResponseWriter })
		if !ok {
			return nil
		}
		w = u.Unwrap()
	}
}

// RequestID returns the id of the request that w answers, or "" outside an Observer.
func RequestID(w http.ResponseWriter) string {
	if rec := recorderOf(w); rec != nil {
		return rec.id
	}
	return ""
}

// ClientAddr returns the address of the client that w answers, as determined by the Observer with its
// trusted proxies. Outside an Observer it is the result of w's own method ClientAddr, which a surface
// provides when it calls another, or else the zero Addr.
func ClientAddr(w http.ResponseWriter) netip.Addr {
	if rec := recorderOf(w); rec != nil {
		return rec.client
	}
	if c, ok := w.(interface{ ClientAddr() netip.Addr }); ok {
		return c.ClientAddr()
	}
	return netip.Addr{}
}

// SetError attaches err to the request's log line; the last one set is logged. It sends nothing to the
// client.
func SetError(w http.ResponseWriter, err error) {
	if rec := recorderOf(w); rec != nil {
		rec.err = err
	}
}
