package main

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/palmares-hq/palmares/internal/pgtest"
	"github.com/palmares-hq/palmares/internal/testkit"
)

// Two nodes behind a load balancer are restarted one after the other, under load, and no client
// notices.
func TestServe_RollingRestartFailsNoRequest(t *testing.T) {
	t.Parallel()
	const clients, pause = 16, 20 * time.Millisecond
	db := pgtest.Migrated(t)
	palmares(t, database(db), "publish", fixtureCatalog)
	key := newKey(t, db, "rolling@example.org", "pro") // without a limit
	b := &balancer{transport: &http.Transport{MaxIdleConnsPerHost: clients}}
	launch := func() *backend {
		n := serve(t, db, "PALMARES_DRAIN_DELAY=2s")
		n.ready()
		return b.add(n)
	}
	nodes := []*backend{launch(), launch()}
	server := httptest.NewServer(b)

	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: clients}, Timeout: 10 * time.Minute}
	paths := []string{"/api/v1/tools", "/api/v1/tools/ame", "/api/v1/stats", "/api/v1/comparatifs"}
	done := make(chan struct{})
	var sent atomic.Int64
	var running sync.WaitGroup
	for i := range clients {
		running.Go(func() {
			for n := i; ; n++ {
				select {
				case <-done:
					return
				case <-time.After(pause):
				}
				sent.Add(1)
				if r, err := visit(client, server.URL+paths[n%len(paths)], key, ""); err != nil || !r.OK() || r.Body == "" {
					t.Errorf("request %d failed: %v %v", sent.Load(), r, err)
				}
			}
		})
	}
	running.Go(func() { // the balancer's probes
		for {
			select {
			case <-done:
				return
			case <-time.After(50 * time.Millisecond):
				b.probe()
			}
		}
	})
	served := func(x *backend) { t.Helper(); x.carries(10 * clients) }
	for i, n := range nodes {
		served(n)
		n.stop()
		served(nodes[1-i]) // one node carries it all
		nodes[i] = launch()
		served(nodes[i])
	}
	close(done)
	running.Wait()
	server.Close()
	client.CloseIdleConnections()
	b.transport.CloseIdleConnections()
	t.Logf("%d requests", sent.Load())
}

// A backend is a node as the balancer sees it.
type backend struct {
	*server
	proxy *httputil.ReverseProxy
	ready atomic.Bool
	count atomic.Int64
}

// gone reports whether its process has ended.
func (x *backend) gone() bool {
	select {
	case <-x.exited:
		return true
	default:
		return false
	}
}

// carries waits until the node has got that many requests more.
func (x *backend) carries(requests int64) {
	x.t.Helper()
	from := x.count.Load()
	testkit.EventuallyTrue(x.t, "a backend is asked", func() bool { return x.count.Load() > from+requests })
}

// A balancer sends requests in turn to the nodes that are ready. A request that fails is not sent
// again.
type balancer struct {
	transport *http.Transport
	mu        sync.RWMutex
	backends  []*backend
	turn      atomic.Int64
}

// add adds a node, as service discovery does.
func (b *balancer) add(n *server) *backend {
	target, err := url.Parse(n.public)
	must(n.t, err)
	x := &backend{server: n, proxy: &httputil.ReverseProxy{
		Rewrite:   func(r *httputil.ProxyRequest) { r.SetURL(target) },
		Transport: b.transport,
		ErrorHandler: func(w http.ResponseWriter, _ *http.Request, err error) {
			http.Error(w, fmt.Sprintf("%s: %v", target.Host, err), http.StatusBadGateway)
		},
	}}
	x.ready.Store(true)
	b.mu.Lock()
	defer b.mu.Unlock()
	b.backends = append(slices.DeleteFunc(b.backends, (*backend).gone), x)
	return x
}

func (b *balancer) current() []*backend {
	b.mu.RLock()
	defer b.mu.RUnlock()
	return slices.Clone(b.backends)
}

func (b *balancer) probe() {
	for _, x := range b.current() {
		a, err := testkit.Fetch(x.admin+"/readyz", nil)
		x.ready.Store(err == nil && a.OK())
	}
}

func (b *balancer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	ready := slices.DeleteFunc(b.current(), func(x *backend) bool { return !x.ready.Load() })
	if len(ready) == 0 {
		http.Error(w, "no backend is ready", http.StatusServiceUnavailable)
		return
	}
	x := ready[int(b.turn.Add(1))%len(ready)]
	x.count.Add(1)
	x.proxy.ServeHTTP(w, r)
}
