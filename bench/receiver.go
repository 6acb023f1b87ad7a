package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/postgres"
	"github.com/palmares-hq/palmares/internal/secrets"
	"github.com/palmares-hq/palmares/internal/webhook"
)

const receiverHosts = 1000 // endpoints are at different servers, as a rule

// receiverAddress returns the address of an endpoint, from 127.1.0.1 on.
func receiverAddress(endpoint, port int) string {
	i := endpoint % receiverHosts
	return fmt.Sprintf("127.1.%d.%d:%d", i/250, 1+i%250, port)
}

func receiverCommand(flags *flag.FlagSet) func(context.Context) {
	port := flags.Int("port", 18090, "the port")
	file := flags.String("secrets", "", "the file of lines with a path and the secret of its endpoint")
	return func(ctx context.Context) {
		server := &http.Server{
			Handler: newReceiver(*file), ReadHeaderTimeout: 10 * time.Second,
			BaseContext: func(net.Listener) context.Context { return ctx },
		}
		failed := make(chan error, receiverHosts)
		for i := range receiverHosts {
			var lc net.ListenConfig
			l := must(lc.Listen(ctx, "tcp", receiverAddress(i, *port)))
			go func() { failed <- server.Serve(l) }()
		}
		select {
		case err := <-failed:
			check(err)
		case <-ctx.Done():
			check(server.Close())
		}
	}
}

// A receiver is the other end of webhooks under load. The first element of the path says how it responds: /ok/1
// is acknowledged, /hang/1 is never answered.
type receiver struct {
	verifiers map[string]*standardwebhooks.Webhook // by path

	mu    sync.Mutex
	kinds map[string]*stats
}

// stats are what /stats reports of one kind of endpoint.
type stats struct {
	Count      int `json:"count"`
	Distinct   int `json:"distinct"`   // webhook-ids
	Duplicates int `json:"duplicates"` // deliveries of a webhook-id beyond the first
	Forged     int `json:"forged"`     // wrong signatures
	Unchecked  int `json:"unchecked"`  // requests for endpoints whose secret is not known

	// Latency is how long after the query's time deliveries arrived, in seconds, by percentile.
	Latency map[string]float64 `json:"latency,omitempty"`

	arrivals map[string]time.Time // the first of each webhook-id
}

// newReceiver reads a file of lines with a path and the secret of its endpoint.
func newReceiver(file string) *receiver {
	r := &receiver{kinds: make(map[string]*stats), verifiers: make(map[string]*standardwebhooks.Webhook)}
	for line := range strings.Lines(string(must(os.ReadFile(file)))) {
		path, secret, _ := strings.Cut(strings.TrimSpace(line), " ")
		r.verifiers[path] = must(standardwebhooks.NewWebhook(secret))
	}
	return r
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
	r.note(kind, q, body)
	if kind == "hang" {
		<-q.Context().Done()
	}
	w.WriteHeader(http.StatusNoContent)
}

// note counts a request, and whether its signature is good.
func (r *receiver) note(kind string, q *http.Request, body []byte) {
	now, id := time.Now(), q.Header.Get("Webhook-Id")
	v := r.verifiers[q.URL.Path]
	forged := v != nil && v.Verify(body, q.Header) != nil
	r.mu.Lock()
	defer r.mu.Unlock()
	t := r.kinds[kind]
	if t == nil {
		t = &stats{arrivals: make(map[string]time.Time)}
		r.kinds[kind] = t
	}
	t.Count++
	switch {
	case v == nil:
		t.Unchecked++
	case forged:
		t.Forged++
	}
	if _, again := t.arrivals[id]; !again {
		t.arrivals[id] = now
	}
}

// since returns the statistics, with latencies if the time, in nanoseconds of Unix, is not zero.
func (t stats) since(began int64) stats {
	t.Distinct, t.Duplicates = len(t.arrivals), t.Count-len(t.arrivals)
	if began == 0 || len(t.arrivals) == 0 {
		return t
	}
	var seconds []float64
	for _, at := range t.arrivals {
		seconds = append(seconds, at.Sub(time.Unix(0, began)).Seconds())
	}
	t.Latency = map[string]float64{
		"p50": percentile(seconds, 50), "p95": percentile(seconds, 95), "p99": percentile(seconds, 99), "max": percentile(seconds, 100),
	}
	return t
}

// serveStats writes the statistics so far, by kind; DELETE resets them.
func (r *receiver) serveStats(w http.ResponseWriter, q *http.Request) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if q.Method == http.MethodDelete {
		r.kinds = make(map[string]*stats)
		return
	}
	since, _ := strconv.ParseInt(q.URL.Query().Get("since"), 10, 64) // 0 if it is not asked for
	all := make(map[string]stats)
	for kind, t := range r.kinds {
		all[kind] = t.since(since)
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(all) // the client may have gone
}

// endpointsCommand creates active endpoints, in accounts of their own.
func endpointsCommand(flags *flag.FlagSet) func(context.Context) {
	n := flags.Int("n", 10_000, "how many endpoints")
	kind := flags.String("kind", "ok", "how the receiver treats them: ok, hang")
	port := flags.Int("port", 18090, "the receiver's port")
	file := flags.String("secrets", "", "the file to add lines to, with a path and the secret of its endpoint")
	return func(ctx context.Context) {
		keyring := webhook.NewKeyring(must(secrets.New([]byte(os.Getenv("PALMARES_SECRET")))))
		db := must(postgres.Open(ctx, os.Getenv("PALMARES_DATABASE_URL"), postgres.Options{}))
		defer db.Close()
		each := account.Pro.Limits().Endpoints
		lines := make([]string, *n)
		check(fourAtATime(ctx, (*n+each-1)/each, func(ctx context.Context, i int) error {
			email := fmt.Sprintf("%s-%s-%d@example.org", *kind, time.Now().Format("150405"), i)
			last := (i + 1) * each
			a, err := db.Accounts.Create(ctx, email, account.Pro)
			for i := i * each; err == nil && i < min(last, *n); i++ {
				secret, path := webhook.NewSecret(), fmt.Sprintf("/%s/%d", *kind, i)
				lines[i] = path + " " + secret.Reveal() + "\n"
				made := webhook.Endpoint{
					ID: webhook.NewEndpointID(), Account: a.ID, URL: "http://" + receiverAddress(i, *port) + path,
					State: webhook.Active, Types: []catalog.EventType{catalog.ToolUpdated}, // one for each tool that changes
				}
				made.Secret = keyring.Seal(secret, made.ID)
				err = db.Webhooks.CreateEndpoint(ctx, account.Operator(), made, time.Now())
			}
			return err
		}))
		appendTo(*file, strings.Join(lines, ""))
	}
}
