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
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"github.com/palmares-hq/palmares/internal/pgtest"
)

// A worker that is killed with -9 in the middle of its deliveries, to receivers that
// fail, loses none of them. What a kill repeats is what the worker had not written down
// yet. With PALMARES_LONG=1 there are 1,000 events, 20 endpoints and three kills, and some
// requests hang until they time out.
//
// After a kill nobody is at the endpoints until the dead worker's claims have run out,
// 30 s later: most of the time this takes is that.
func TestWebhooks_KilledWorkerLosesNothing(t *testing.T) {
	t.Parallel()
	events, endpoints, kills, hangs, most := 100, 5, 1, 0, 3*time.Minute
	if os.Getenv("PALMARES_LONG") == "1" {
		events, endpoints, kills, hangs, most = 1000, 20, 3, 40, 12*time.Minute
	}
	db := pgtest.Migrated(t)
	environ := append(database(db), "PALMARES_SECRET="+secret, "PALMARES_WEBHOOK_NETWORKS=127.0.0.0/8",
		"PALMARES_ADMIN_LISTEN=127.0.0.1:0")
	content := filepath.Join(t.TempDir(), "content")
	palmares(t, environ, "generate", content, "--tools", strconv.Itoa(events), "--comparisons", "0", "--retired", "0")

	// Evenly spread, and the last one while there is enough left to be in the middle of.
	r := newFlakyReceiver(t, hangs)
	for i := range kills {
		r.killAt = append(r.killAt, events*endpoints*(i+1)/(kills+1))
	}
	for i := range endpoints {
		email := fmt.Sprintf("owner%d@example.org", i/10) // an account has ten
		if i%10 == 0 {
			palmares(t, environ, "account", "create", email, "--plan", "pro")
		}
		key, _ := palmares(t, environ, "webhook", "create", email, r.url(i), "--vouch", "--type", "tool.created")
		r.expect(t, i, strings.TrimSpace(key))
	}

	began := time.Now()
	launch := func() *process {
		w := start(t, environ, "serve", "--roles", "worker")
		w.await(0, `"msg":"listening"`, 20*time.Second)
		return w
	}
	worker := launch()
	palmares(t, environ, "publish", content)
	conn, err := pgx.Connect(t.Context(), db)
	must(t, err)
	t.Cleanup(func() { conn.Close(context.Background()) })

	killed := 0
	for tick := time.NewTicker(time.Second); ; {
		select {
		case <-r.kill:
			must(t, worker.cmd.Process.Kill())
			<-worker.exited
			killed++
			worker = launch()
			continue
		case <-tick.C:
		}
		retrySoon(t, conn)
		var made, over int
		err := conn.QueryRow(t.Context(), `SELECT count(*), count(*) FILTER (WHERE state = 'delivered') FROM deliveries`).Scan(&made, &over)
		must(t, err)
		if over == events*endpoints {
			break
		}
		if time.Since(began) > most {
			t.Fatalf("after %v, %d of %d deliveries are made and %d delivered", most, made, events*endpoints, over)
		}
	}
	took := time.Since(began)
	worker.stop()

	// A kill finds, of every endpoint, at most 25 acknowledgements that wait to be
	// written down together, 4 that wait to join them and 4 on their way.
	bound := (25 + 4 + 4) * endpoints * kills
	lost, duplicates := r.check(events, endpoints)
	t.Logf("%d deliveries in %.1f s, %d kills: %d requests, %d failed (%d hung), %d lost, %d acknowledged more than once (%d at most)",
		events*endpoints, took.Seconds(), killed, r.requests, r.failed, r.hung, lost, duplicates, bound)
	if killed != kills {
		t.Errorf("%d kills, want %d", killed, kills)
	}
	if duplicates > bound {
		t.Errorf("%d deliveries were acknowledged more than once, which is more than %d kills can explain", duplicates, killed)
	}
}

// retrySoon lets what failed twice be due now, instead of in five minutes: the same as
// waiting.
func retrySoon(t *testing.T, conn *pgx.Conn) {
	t.Helper()
	for _, sql := range []string{
		`BEGIN`,
		`SELECT FROM endpoints ORDER BY id FOR NO KEY UPDATE`, // as whoever changes deliveries does
		`UPDATE deliveries SET next_at = now() WHERE state = 'pending' AND attempts >= 2 AND next_at > now()`,
		`UPDATE endpoints e SET due_at = (SELECT min(next_at) FROM deliveries d WHERE d.endpoint_id = e.id AND d.state = 'pending')`,
		`COMMIT`,
	} {
		_, err := conn.Exec(t.Context(), sql)
		must(t, err)
	}
}

// A flakyReceiver fails three requests in ten, no delivery more than twice.
type flakyReceiver struct {
	t      *testing.T
	server *httptest.Server
	done   chan struct{}
	kill   chan struct{} // gets one when it is time for a kill

	mu        sync.Mutex
	verifiers map[string]*standardwebhooks.Webhook // by path
	received  map[what]*receipt
	hangs     int   // how many more there may be: each costs a time-out
	killAt    []int // acknowledgements
	acks      int
	requests  int
	failed    int
	hung      int
}

// what is an event on its way to an endpoint.
type what struct {
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
		verifiers: make(map[string]*standardwebhooks.Webhook), received: make(map[what]*receipt),
	}
	r.server = httptest.NewServer(r)
	t.Cleanup(func() {
		close(r.done)
		r.server.Close()
	})
	return r
}

func (r *flakyReceiver) url(endpoint int) string {
	return fmt.Sprintf("%s/%d", r.server.URL, endpoint)
}

// expect says with which secret requests to an endpoint must be signed.
func (r *flakyReceiver) expect(t *testing.T, endpoint int, secret string) {
	t.Helper()
	v, err := standardwebhooks.NewWebhook(secret)
	must(t, err)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.verifiers[fmt.Sprintf("/%d", endpoint)] = v
}

// ServeHTTP implements http.Handler.
func (r *flakyReceiver) ServeHTTP(w http.ResponseWriter, q *http.Request) {
	body, err := io.ReadAll(q.Body)
	if err != nil {
		return // its sender was killed
	}
	time.Sleep(5 * time.Millisecond) // as over a network: a kill finds requests on their way
	switch r.judge(q, body) {
	case acknowledge:
		w.WriteHeader(http.StatusNoContent)
	case refuse:
		w.WriteHeader(http.StatusInternalServerError + rand.IntN(5))
	case reset:
		if conn, _, err := http.NewResponseController(w).Hijack(); err == nil {
			if tcp, ok := conn.(*net.TCPConn); ok {
				tcp.SetLinger(0)
			}
			conn.Close()
		}
	case hang:
		select {
		case <-q.Context().Done():
		case <-r.done:
		}
	}
}

// What becomes of a request.
const (
	acknowledge = iota
	refuse
	reset
	hang
)

func (r *flakyReceiver) judge(q *http.Request, body []byte) int {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.requests++
	var event struct {
		Data struct {
			Seq int64 `json:"seq"`
		} `json:"data"`
	}
	if err := json.Unmarshal(body, &event); err != nil {
		r.t.Errorf("a payload is not JSON: %v", err)
	}
	verifier := r.verifiers[q.URL.Path]
	if verifier == nil {
		r.t.Errorf("nobody asked for requests to %s", q.URL.Path)
		return refuse
	}
	if err := verifier.Verify(body, q.Header); err != nil {
		r.t.Errorf("event %d to %s: %v", event.Data.Seq, q.URL.Path, err)
	}
	id, of := q.Header.Get("webhook-id"), what{q.URL.Path, event.Data.Seq}
	got := r.received[of]
	if got == nil {
		got = &receipt{id: id}
		r.received[of] = got
	}
	if got.id != id {
		r.t.Errorf("event %d to %s was sent as %s and as %s", of.seq, of.path, got.id, id)
	}
	if got.failed < 2 && rand.IntN(10) < 3 {
		got.failed++
		r.failed++
		kind := refuse + rand.IntN(2)
		if r.hangs > 0 && rand.IntN(50) == 0 {
			r.hangs--
			r.hung++
			kind = hang
		}
		return kind
	}
	got.acks++
	r.acks++
	if len(r.killAt) > 0 && r.acks >= r.killAt[0] {
		r.killAt = r.killAt[1:]
		r.kill <- struct{}{}
	}
	return acknowledge
}

// check wants every event acknowledged by every endpoint, under an id of its own, and
// counts what was acknowledged more than once.
func (r *flakyReceiver) check(events, endpoints int) (lost, duplicates int) {
	r.t.Helper()
	r.mu.Lock()
	defer r.mu.Unlock()
	ids := make(map[string]bool)
	lost = events * endpoints
	for of, got := range r.received {
		ids[got.id] = true
		if got.acks > 0 {
			lost--
		}
		if got.acks > 1 {
			duplicates++
		}
		if got.id == "" || of.seq == 0 {
			r.t.Errorf("%s got event %d as %q", of.path, of.seq, got.id)
		}
	}
	if lost != 0 || len(r.received) != events*endpoints {
		r.t.Errorf("%d of %d were never acknowledged, %d were sent", lost, events*endpoints, len(r.received))
	}
	if len(ids) != len(r.received) {
		r.t.Errorf("%d deliveries have %d ids", len(r.received), len(ids))
	}
	return lost, duplicates
}
