package api_test

import (
	"crypto/rand"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/api"
	"github.com/palmares-hq/palmares/internal/live"
	"github.com/palmares-hq/palmares/internal/pgtest"
	"github.com/palmares-hq/palmares/internal/postgres"
	"github.com/palmares-hq/palmares/internal/redistest"
	"github.com/palmares-hq/palmares/internal/web"
)

// fleet makes three nodes that share PostgreSQL and Redis, and nothing else.
func fleet(t *testing.T, redis string, db *postgres.DB, trusted ...string) (nodes [3]http.Handler) {
	t.Helper()
	proxies, err := web.ParseProxies(trusted)
	if err != nil {
		t.Fatal(err)
	}
	secret, at := rand.Text(), noon()
	for i := range nodes {
		keys, _ := holdKeys(t, db, live.KeysOptions{Now: at.now})
		a, err := api.New(api.Options{
			Catalog: shelve(fixture(t)), Now: at.now,
			Callers: api.NewKeyring(keys),
			Meter:   meter(t, redis, secret, at.now),
		})
		if err != nil {
			t.Fatal(err)
		}
		nodes[i] = web.NewObserver(web.ObserverOptions{WriteError: a.WriteError, Proxies: proxies}).Wrap(a)
	}
	return nodes
}

// inside hands requests to the node that their host names without a network in
// between, which is most of what a request costs.
type inside map[string]http.Handler

func (in inside) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.RemoteAddr = "127.0.0.1:1234"
	w := httptest.NewRecorder()
	in[r.URL.Host].ServeHTTP(w, r)
	return w.Result(), nil
}

// storm sends n requests from 64 clients, in turn to each of the nodes, over the
// network or not, and counts the answers by their status. dress finishes the i-th.
func storm(t *testing.T, nodes [3]http.Handler, network bool, n int, dress func(i int, r *http.Request)) (ok, over int) {
	t.Helper()
	const clients = 64
	var urls [len(nodes)]string
	client := &http.Client{Timeout: time.Minute}
	if network {
		transport := &http.Transport{MaxIdleConnsPerHost: clients}
		defer transport.CloseIdleConnections()
		client.Transport = transport
		for i, h := range nodes {
			server := httptest.NewServer(h)
			defer server.Close()
			urls[i] = server.URL
		}
	} else {
		in := make(inside)
		for i, h := range nodes {
			host := fmt.Sprint("node-", i)
			urls[i], in[host] = "http://"+host, h
		}
		client.Transport = in
	}
	var next, answered, refused atomic.Int64
	var wg sync.WaitGroup
	for range clients {
		wg.Go(func() {
			for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
				r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, urls[i%len(urls)]+"/api/v1/stats", http.NoBody)
				if err != nil {
					t.Error(err)
					return
				}
				dress(i, r)
				response, err := client.Do(r)
				if err != nil {
					t.Error(err)
					return
				}
				io.Copy(io.Discard, response.Body)
				response.Body.Close()
				switch response.StatusCode {
				case http.StatusOK:
					answered.Add(1)
				case http.StatusTooManyRequests:
					refused.Add(1)
				default:
					t.Errorf("status %d", response.StatusCode)
				}
			}
		})
	}
	wg.Wait()
	return int(answered.Load()), int(refused.Load())
}

// Over all nodes together a quota is exact: not one request more, not one less.
func TestExact(t *testing.T) {
	t.Parallel()
	for name, redis := range map[string]func(testing.TB) string{"one Redis": redistest.URL, "a cluster": redistest.Cluster} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			url, db := redis(t), pgtest.Open(t)
			want := func(what string, network bool, quota, n int, trusted []string, dress func(i int, r *http.Request)) {
				t.Helper()
				started := time.Now()
				ok, over := storm(t, fleet(t, url, db, trusted...), network, n, dress)
				t.Logf("%s: %d of %d let through, in %v", what, ok, n, time.Since(started).Round(time.Millisecond))
				if ok != quota || over != n-quota {
					t.Errorf("%s: %d let through and %d refused of %d, want %d and %d", what, ok, over, n, quota, n-quota)
				}
			}
			const loopback = "127.0.0.0/8" // where the tests' requests come from

			first := sign(t, db, account.Developer)
			keys := []account.Key{first.key, another(t, db, first.account).key}
			want("one account with two keys", true, 1000, 5000, nil, func(i int, r *http.Request) {
				r.Header.Set("Authorization", "Bearer "+keys[i/3%2].Reveal())
			})
			want("one IPv4 address", true, 100, 400, nil, func(int, *http.Request) {})
			want("addresses of one /64", *long, 100, 10_000, []string{loopback}, func(i int, r *http.Request) {
				r.Header.Set("X-Forwarded-For", fmt.Sprintf("2001:db8:7:7:%x:%x::%x", i%7, i%11, i+1))
			})
			want("forged X-Forwarded-For, no proxy", *long, 100, 10_000, nil, func(i int, r *http.Request) {
				r.Header.Set("X-Forwarded-For", fmt.Sprintf("203.0.%d.%d", i/256, i%256))
			})
			want("forged X-Forwarded-For, behind a proxy", *long, 100, 10_000, []string{loopback}, func(i int, r *http.Request) {
				r.Header.Set("X-Forwarded-For", fmt.Sprintf("203.0.%d.%d, 198.51.100.7", i/256, i%256))
			})
			want("as many addresses as requests", true, 1_000, 1_000, []string{loopback}, func(i int, r *http.Request) {
				r.Header.Set("X-Forwarded-For", fmt.Sprintf("198.51.%d.%d", i/256, i%256))
			})
		})
	}
}
