package main

import (
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
)

// A receiver receives deliveries. The first element of the path says how it responds: /ok/1 is acknowledged,
// /fail-30/1 is refused in 30 cases of 100, /reset-30/1 has its connection reset as often, /hang/1 is never
// answered.
type receiver struct {
	verifiers map[string]*standardwebhooks.Webhook // by path

	mu    sync.Mutex
	kinds map[string]*tally
}

// A tally counts the deliveries of one kind by their outcome.
type tally struct {
	requests     int
	acknowledged int
	forged       int
	unchecked    int
	times        map[string]int // acknowledgements by webhook-id
	arrivals     []time.Time    // of those that were acknowledged for the first time
}

func newReceiver() *receiver { return &receiver{kinds: make(map[string]*tally)} }

// readSecrets reads a file of lines with a path and the secret of its endpoint.
func (r *receiver) readSecrets(name string) error {
	text, err := os.ReadFile(name) //nolint:gosec // the path is the command line's
	if err != nil {
		return err
	}
	r.verifiers = make(map[string]*standardwebhooks.Webhook)
	for line := range strings.Lines(string(text)) {
		path, secret, _ := strings.Cut(strings.TrimSpace(line), " ")
		if r.verifiers[path], err = standardwebhooks.NewWebhook(secret); err != nil {
			return fmt.Errorf("the secret of %s: %w", path, err)
		}
	}
	return nil
}

// ServeHTTP implements http.Handler.
func (r *receiver) ServeHTTP(w http.ResponseWriter, q *http.Request) {
	kind, _, _ := strings.Cut(strings.TrimPrefix(q.URL.Path, "/"), "/")
	if kind == "stats" {
		r.serveStats(w, q)
		return
	}
	body, err := io.ReadAll(io.LimitReader(q.Body, 1<<20))
	if err != nil {
		return // the sender hung up
	}
	what, share, _ := strings.Cut(kind, "-")
	percent, err := strconv.Atoi(share)
	unlucky := err == nil && rand.IntN(100) < percent //nolint:gosec // chance, not secrecy
	signature := r.verify(q, body)
	switch {
	case what == "hang":
		r.note(kind, q, signature, false)
		<-q.Context().Done()
	case what == "fail" && unlucky:
		r.note(kind, q, signature, false)
		w.WriteHeader(http.StatusServiceUnavailable)
	case what == "reset" && unlucky:
		r.note(kind, q, signature, false)
		reset(w)
	case what == "ok", what == "fail", what == "reset":
		r.note(kind, q, signature, true)
		w.WriteHeader(http.StatusNoContent)
	default:
		http.NotFound(w, q)
	}
}

// reset closes the connection with a TCP reset, without a response.
func reset(w http.ResponseWriter) {
	conn, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		return
	}
	if tcp, ok := conn.(*net.TCPConn); ok {
		_ = tcp.SetLinger(0) // otherwise the connection would close in good order
	}
	_ = conn.Close()
}

// A signature is the result of checking a signature: unchecked if the endpoint's secret is not known.
type signature int

const (
	unchecked signature = iota
	good
	forged
)

func (r *receiver) verify(q *http.Request, body []byte) signature {
	v := r.verifiers[q.URL.Path]
	switch {
	case v == nil:
		return unchecked
	case v.Verify(body, q.Header) != nil:
		return forged
	}
	return good
}

// note counts a request.
func (r *receiver) note(kind string, q *http.Request, s signature, acknowledged bool) {
	now, id := time.Now(), q.Header.Get("Webhook-Id")
	r.mu.Lock()
	defer r.mu.Unlock()
	t := r.kinds[kind]
	if t == nil {
		t = &tally{times: make(map[string]int)}
		r.kinds[kind] = t
	}
	t.requests++
	switch s {
	case forged:
		t.forged++
	case unchecked:
		t.unchecked++
	case good:
	}
	if !acknowledged {
		return
	}
	t.acknowledged++
	if t.times[id]++; t.times[id] == 1 {
		t.arrivals = append(t.arrivals, now)
	}
}

// serveStats writes the statistics so far, by kind; DELETE resets them.
func (r *receiver) serveStats(w http.ResponseWriter, q *http.Request) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if q.Method == http.MethodDelete {
		r.kinds = make(map[string]*tally)
		return
	}
	var since time.Time
	if text := q.URL.Query().Get("since"); text != "" {
		nanoseconds, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			http.Error(w, "since is a time in nanoseconds of Unix", http.StatusBadRequest)
			return
		}
		since = time.Unix(0, nanoseconds)
	}
	all := make(map[string]stats)
	for kind, t := range r.kinds {
		all[kind] = t.stats(since)
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(all) // the client may have gone
}
