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
	ids    []string // the id, as the header map wants it
	err    error    // for the log line

	status   int // 0 until the header is written
	written  int64
	hijacked bool
	panicked bool

	writeError ErrorWriter // of the Handler that answers; nil outside every one
	latency    *Latency    // counts the request; nil if none does
	answers    *Answers    // of its surface; nil if there is none

	conn   *wire.Conn // nil where package wire is not beneath
	wired  bool       // the handler uses it
	fields []string   // the names of fields that are in the header map

	// These outlive the request.
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

// end forgets the request, so that the pool keeps nothing of it alive.
func (rec *recorder) end() {
	*rec = recorder{fresh: rec.fresh, text: rec.text, fields: rec.fields[:0]}
}

// sent is how many bytes of body the client was sent.
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

// FlushError is what http.ResponseController calls. It stands here, rather than being reached
// through Unwrap, because a flush writes the header.
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

// Unwrap lets http.ResponseController reach deadlines.
func (rec *recorder) Unwrap() http.ResponseWriter { return rec.http }

// recorderOf finds the recorder under w, through whatever wraps it; nil if there is none.
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

// RequestID is the id of the request that w answers, or "" outside an Observer.
func RequestID(w http.ResponseWriter) string {
	if rec := recorderOf(w); rec != nil {
		return rec.id
	}
	return ""
}

// ClientAddr is the client's address as the Observer's proxies tell it. Outside an Observer it is what a
// writer that one surface calls another with says it is, or else the zero Addr.
func ClientAddr(w http.ResponseWriter) netip.Addr {
	if rec := recorderOf(w); rec != nil {
		return rec.client
	}
	if c, ok := w.(interface{ ClientAddr() netip.Addr }); ok {
		return c.ClientAddr()
	}
	return netip.Addr{}
}

// SetError attaches err to the request's log line; the last one set is logged. It answers nothing.
func SetError(w http.ResponseWriter, err error) {
	if rec := recorderOf(w); rec != nil {
		rec.err = err
	}
}
