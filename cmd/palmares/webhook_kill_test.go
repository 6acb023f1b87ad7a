package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"github.com/palmares-hq/palmares/internal/pgtest"
	"github.com/palmares-hq/palmares/internal/testkit"
)

// A worker that is killed with -9 in the middle of its deliveries, to receivers that fail, loses
// none of them. A kill repeats what the worker had not written to the database yet. With
// PALMARES_LONG=1 there are 1,000 events, 20 endpoints and three kills, and some requests hang
// until they time out.
//
// After a kill nobody delivers to the endpoints until the dead worker's claims have run out, 30 s
// later: most of the time this takes is that.
func TestWebhooks_KilledWorkerLosesNothing(t *testing.T) {
	t.Parallel()
	events, endpoints, kills, hangs := 100, 5, 1, 0
	if testkit.Long() {
		events, endpoints, kills, hangs = 1000, 20, 3, 40
	}
	db := pgtest.Migrated(t)
	environ := onFreePorts(db, "PALMARES_WEBHOOK_NETWORKS=127.0.0.0/8")
	content := filepath.Join(t.TempDir(), "content")
	palmares(t, environ, "generate", content, "--tools", strconv.Itoa(events), "--comparisons", "0", "--retired", "0")
	r := newFlakyReceiver(t, hangs)
	for i := range kills { // evenly spread
		r.killAt = append(r.killAt, events*endpoints*(i+1)/(kills+1))
	}
	for i := range endpoints {
		email, path := fmt.Sprintf("owner%d@example.org", i/10), fmt.Sprintf("/%d", i) // an account has ten
		if i%10 == 0 {
			palmares(t, environ, "account", "create", email, "--plan", "pro")
		}
		secret, _ := palmares(t, environ, "webhook", "create", email, r.server.URL+path, "--vouch", "--type", "tool.created")
		v, err := standardwebhooks.NewWebhook(strings.TrimSpace(secret))
		must(t, err)
		r.verifiers[path] = v
	}

	worker := start(t, environ, "serve", "--roles", "worker")
	palmares(t, environ, "publish", content)
	conn, err := pgx.Connect(t.Context(), db)
	must(t, err)
	defer conn.Close(context.Background())
	killed := 0
	for delivered := 0; delivered < events*endpoints; {
		select {
		case <-r.kill:
			must(t, worker.cmd.Process.Kill())
			<-worker.exited
			killed++
			worker = start(t, environ, "serve", "--roles", "worker")
			continue
		case <-time.After(200 * time.Millisecond):
		}
		retrySoon(t, conn)
		must(t, conn.QueryRow(t.Context(), `SELECT count(*) FROM deliveries WHERE state = 'delivered'`).Scan(&delivered))
	}
	worker.stop()

	// A kill finds, of every endpoint, at most 25 acknowledgements that wait to be written
	// together, 4 that wait to join them and 4 on their way.
	bound := (25 + 4 + 4) * endpoints * kills
	duplicates := r.check(events * endpoints)
	t.Logf("%d deliveries, %d kills: %d requests, %d failed (%d hung), %d acknowledged more than once (%d at most)",
		events*endpoints, killed, r.requests, r.failed, r.hung, duplicates, bound)
	if killed != kills || duplicates > bound {
		t.Errorf("%d kills, want %d; %d deliveries were acknowledged more than once, %d at most", killed, kills, duplicates, bound)
	}
}

// retrySoon makes what failed due now, instead of in 30 s or five minutes: the same as waiting.
func retrySoon(t *testing.T, conn *pgx.Conn) {
	t.Helper()
	for _, sql := range []string{
		`BEGIN`,
		`SELECT FROM endpoints ORDER BY id FOR NO KEY UPDATE`, // as whoever changes deliveries does
		`UPDATE deliveries SET next_at = now() WHERE state = 'pending' AND attempts >= 1 AND next_at > now()`,
		`UPDATE endpoints e SET due_at = (SELECT min(next_at) FROM deliveries d WHERE d.endpoint_id = e.id AND d.state = 'pending')`,
		`COMMIT`,
	} {
		_, err := conn.Exec(t.Context(), sql)
		must(t, err)
	}
}

// A flakyReceiver fails three requests in ten, no delivery more than twice.
type flakyReceiver struct {
	t         *testing.T
	server    *httptest.Server
	done      chan struct{}
	kill      chan struct{}                        // gets one when it is time for a kill
	verifiers map[string]*standardwebhooks.Webhook // by path

	mu       sync.Mutex
	received map[delivery]*receipt
	hangs    int   // how many more there may be: each costs a time-out
	killAt   []int // acknowledgements
	acks     int
	requests int
	failed   int
	hung     int
}

// A delivery is an event on its way to an endpoint.
type delivery struct {
	path string
	seq  int64
}

type receipt struct {
	id           string
	failed, acks int
}

func newFlakyReceiver(t *testing.T, hangs int) *flakyReceiver {
	t.Helper()
	r := &flakyReceiver{
		t: t, hangs: hangs, done: make(chan struct{}), kill: make(chan struct{}, 10),
		verifiers: make(map[string]*standardwebhooks.Webhook), received: make(map[delivery]*receipt),
	}
	r.server = httptest.NewServer(r)
	t.Cleanup(func() { close(r.done); r.server.Close() })
	return r
}

// ServeHTTP implements http.Handler.
func (r *flakyReceiver) ServeHTTP(w http.ResponseWriter, q *http.Request) {
	body, err := io.ReadAll(q.Body)
	if err != nil {
		return // its sender was killed
	}
	time.Sleep(5 * time.Millisecond) // as over a network: a kill finds requests on their way
	switch r.judge(q, body) {
	case "acknowledge":
		w.WriteHeader(http.StatusNoContent)
	case "refuse":
		w.WriteHeader(http.StatusInternalServerError + rand.IntN(5))
	case "reset":
		if conn, _, err := http.NewResponseController(w).Hijack(); err == nil {
			if tcp, ok := conn.(*net.TCPConn); ok {
				tcp.SetLinger(0)
			}
			conn.Close()
		}
	case "hang":
		select {
		case <-q.Context().Done():
		case <-r.done:
		}
	}
}

// judge says what becomes of a request.
func (r *flakyReceiver) judge(q *http.Request, body []byte) string {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.requests++
	var event struct{ Data struct{ Seq int64 } }
	if err := json.Unmarshal(body, &event); err != nil {
		r.t.Errorf("a payload is not JSON: %v", err)
	}
	of, id := delivery{q.URL.Path, event.Data.Seq}, q.Header.Get("webhook-id")
	if err := r.verifiers[of.path].Verify(body, q.Header); err != nil {
		r.t.Errorf("%+v: %v", of, err)
	}
	got := r.received[of]
	if got == nil {
		got = &receipt{id: id}
		r.received[of] = got
	}
	if got.id != id {
		r.t.Errorf("%+v was sent as %s and as %s", of, got.id, id)
	}
	if got.failed < 2 && rand.IntN(10) < 3 {
		got.failed++
		r.failed++
		if r.hangs > 0 && rand.IntN(50) == 0 {
			r.hangs--
			r.hung++
			return "hang"
		}
		return []string{"refuse", "reset"}[rand.IntN(2)]
	}
	got.acks++
	r.acks++
	if len(r.killAt) > 0 && r.acks >= r.killAt[0] {
		r.killAt = r.killAt[1:]
		r.kill <- struct{}{}
	}
	return "acknowledge"
}

// check wants every delivery acknowledged, under an id of its own, and counts those that were
// acknowledged more than once.
func (r *flakyReceiver) check(deliveries int) (duplicates int) {
	r.t.Helper()
	r.mu.Lock()
	defer r.mu.Unlock()
	ids := make(map[string]bool)
	for of, got := range r.received {
		if got.acks == 0 || got.id == "" || of.seq == 0 {
			r.t.Errorf("%+v: %+v", of, got)
		}
		if got.acks > 1 {
			duplicates++
		}
		ids[got.id] = true
	}
	if len(r.received) != deliveries || len(ids) != deliveries {
		r.t.Errorf("%d deliveries arrived under %d ids, want %d", len(r.received), len(ids), deliveries)
	}
	return duplicates
}
