package main

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/palmares-hq/palmares/internal/pgtest"
)

const (
	rollingClients = 16
	rollingPause   = 20 * time.Millisecond // between two requests of one client
	rollingTime    = 10 * time.Second
	rollingDrain   = 500 * time.Millisecond
	probeEvery     = 50 * time.Millisecond
)

// Two nodes behind a load balancer are restarted one after the other, under load,
// and no client notices.
func TestServe_RollingRestartFailsNoRequest(t *testing.T) {
	t.Parallel()
	db := pgtest.Migrated(t)
	palmares(t, database(db), "publish", fixtureCatalog)
	launch := func() *node {
		n := serve(t, db, "PALMARES_DRAIN_DELAY="+rollingDrain.String())
		n.ready(10 * time.Second)
		return n
	}
	nodes := [2]*node{launch(), launch()}
	balancer := newBalancer(t, nodes[:])

	began := time.Now()
	requests := newLoad(t, balancer.url, newKey(t, db, "rolling@example.org", "pro")) // without a limit
	for i := range nodes {
		time.Sleep(time.Second)
		nodes[i].stop()
		time.Sleep(time.Second) // one node carries it all
		nodes[i] = launch()
		balancer.replace(i, nodes[i])
	}
	time.Sleep(max(time.Second, rollingTime-time.Since(began)))
	sent, failed := requests.end()

	t.Logf("%d requests, %d failed; by backend, in order of launch: %v", sent, len(failed), balancer.served())
	if enough := int64(rollingClients * 50); sent < enough {
		t.Errorf("only %d requests were sent, want %d at least", sent, enough)
	}
	for i, n := range balancer.served() {
		if n == 0 {
			t.Errorf("backend %d got no request", i)
		}
	}
	for i, err := range failed {
		if i == 10 {
			break
		}
		t.Errorf("failed: %v", err)
	}
}

// A backend is one node as the balancer sees it.
type backend struct {
	*node
	proxy *httputil.ReverseProxy
	ready atomic.Bool
	count atomic.Int64
}

// A balancer sends requests in turn to the nodes that are ready. A request that
// fails is not sent again.
type balancer struct {
	url       string
	transport *http.Transport
	mu        sync.RWMutex
	slots     []*backend
	all       []*backend
	turn      atomic.Int64
}

func newBalancer(t *testing.T, nodes []*node) *balancer {
	t.Helper()
	b := &balancer{
		slots:     make([]*backend, len(nodes)),
		transport: &http.Transport{MaxIdleConnsPerHost: rollingClients},
	}
	for i, n := range nodes {
		b.replace(i, n)
	}
	done := make(chan struct{})
	var prober sync.WaitGroup
	prober.Go(func() {
		tick := time.NewTicker(probeEvery)
		defer tick.Stop()
		for {
			select {
			case <-done:
				return
			case <-tick.C:
				b.probe()
			}
		}
	})
	server := httptest.NewServer(b)
	b.url = server.URL
	t.Cleanup(func() {
		server.Close()
		close(done)
		prober.Wait()
		b.transport.CloseIdleConnections()
	})
	return b
}

// replace puts a node in the place of another, as service discovery does.
func (b *balancer) replace(slot int, n *node) {
	target, err := url.Parse(n.public)
	if err != nil {
		n.t.Fatal(err)
	}
	x := &backend{node: n, proxy: &httputil.ReverseProxy{
		Rewrite:   func(r *httputil.ProxyRequest) { r.SetURL(target) },
		Transport: b.transport,
		ErrorHandler: func(w http.ResponseWriter, _ *http.Request, err error) {
			http.Error(w, fmt.Sprintf("%s: %v", target.Host, err), http.StatusBadGateway)
		},
	}}
	x.probe()
	b.mu.Lock()
	defer b.mu.Unlock()
	b.slots[slot] = x
	b.all = append(b.all, x)
}

func (x *backend) probe() {
	a, err := fetch(x.admin+"/readyz", nil)
	x.ready.Store(err == nil && ok(a))
}

func (b *balancer) current() []*backend {
	b.mu.RLock()
	defer b.mu.RUnlock()
	return append([]*backend(nil), b.slots...)
}

func (b *balancer) probe() {
	for _, x := range b.current() {
		x.probe()
	}
}

func (b *balancer) served() []int64 {
	b.mu.RLock()
	defer b.mu.RUnlock()
	var counts []int64
	for _, x := range b.all {
		counts = append(counts, x.count.Load())
	}
	return counts
}

func (b *balancer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	backends, turn := b.current(), int(b.turn.Add(1))
	for i := range backends {
		x := backends[(turn+i)%len(backends)]
		if x.ready.Load() {
			x.count.Add(1)
			x.proxy.ServeHTTP(w, r)
			return
		}
	}
	http.Error(w, "no backend is ready", http.StatusServiceUnavailable)
}

// A load is a number of clients that ask at a steady rate.
type load struct {
	done    chan struct{}
	clients sync.WaitGroup
	sent    atomic.Int64

	mu     sync.Mutex
	failed []error
}

func newLoad(t *testing.T, base, key string) *load {
	t.Helper()
	l := &load{done: make(chan struct{})}
	transport := &http.Transport{MaxIdleConnsPerHost: rollingClients}
	paths := []string{"/api/v1/tools", "/api/v1/tools/ame", "/api/v1/stats", "/api/v1/comparatifs"}
	for i := range rollingClients {
		l.clients.Go(func() {
			tick := time.NewTicker(rollingPause)
			defer tick.Stop()
			for n := i; ; n++ {
				select {
				case <-l.done:
					return
				case <-tick.C:
				}
				l.sent.Add(1)
				if err := ask(transport, base+paths[n%len(paths)], key); err != nil {
					l.mu.Lock()
					l.failed = append(l.failed, err)
					l.mu.Unlock()
				}
			}
		})
	}
	t.Cleanup(transport.CloseIdleConnections)
	t.Cleanup(sync.OnceFunc(func() { l.end() }))
	return l
}

func ask(transport *http.Transport, url, key string) error {
	req, err := http.NewRequest(http.MethodGet, url, http.NoBody)
	if err != nil {
		return err
	}
	req.Header.Set("Authorization", "Bearer "+key)
	resp, err := (&http.Client{Transport: transport, Timeout: 10 * time.Second}).Do(req)
	if err != nil {
		return err
	}
	body, err := io.ReadAll(resp.Body)
	if err = errors.Join(err, resp.Body.Close()); err != nil {
		return fmt.Errorf("%s: %w", url, err)
	}
	if resp.StatusCode != http.StatusOK || len(body) == 0 {
		return fmt.Errorf("%s: %d %s", url, resp.StatusCode, body)
	}
	return nil
}

// end stops the clients and tells what became of their requests.
func (l *load) end() (sent int64, failed []error) {
	l.mu.Lock()
	select {
	case <-l.done:
	default:
		close(l.done)
	}
	l.mu.Unlock()
	l.clients.Wait()
	return l.sent.Load(), l.failed
}
