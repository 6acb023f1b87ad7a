package main

import (
	"fmt"
	"net/http"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/palmares-hq/palmares/internal/pgtest"
	"github.com/palmares-hq/palmares/internal/quota"
	"github.com/palmares-hq/palmares/internal/redistest"
	"github.com/palmares-hq/palmares/internal/testkit"
)

// Whatever happens between a node and Redis, at 500 requests a second: no request
// fails, none waits longer than a charge may, and once the breaker is open none
// waits at all. Each fault lasts 1.5 s; with PALMARES_LONG=1 it lasts 10 s and p99 is
// held to 10 ms over the wait until the breaker opens and 1 ms after, beyond half again
// what a second node without faults takes in the same seconds: how busy the machine is, both
// feel.
func TestOutage_RedisIsNotFelt(t *testing.T) { //nolint:paralleltest // measures says when
	measures(t)
	const opening, opened = quota.DefaultWait + 10*time.Millisecond, time.Millisecond
	lasts := 1500 * time.Millisecond
	if testkit.Long() {
		lasts = 10 * time.Second
	}
	db := pgtest.Migrated(t)
	redis := redistest.NewServer(t)
	proxy := testkit.NewProxy(t, redis.Addr())
	palmares(t, database(db), "publish", fixtureCatalog)
	counting := func(address string) *server {
		n := serve(t, db, "PALMARES_REDIS_URL=redis://"+address, "PALMARES_TRUSTED_PROXIES=127.0.0.0/8")
		n.ready()
		n.counts(1)
		return n
	}
	n, control := counting(proxy.Addr), counting(redistest.NewServer(t).Addr())

	for _, fault := range []struct {
		name  string
		begin func() (end func())
	}{
		{"black hole", func() func() { return proxy.ToClient(testkit.Fault{Stall: true}) }},
		{"resets", func() func() { return proxy.ToClient(testkit.Fault{Reset: true}) }},
		{"refused", proxy.Refuse},
		{"killed with -9", func() func() { redis.Kill(); return redis.Start }},
	} {
		end := fault.begin()
		got := steady(t, lasts, n, control)
		n.counts(0)
		end()
		testkit.Within(t, fault.name+": counting together again", 2*time.Second, func() { n.counts(1) })
		felt, usual := got[0], got[1]
		t.Logf("%s: p99 in the first half second %v, then %v; without the fault %v, then %v",
			fault.name, felt.first, felt.rest, usual.first, usual.rest)
		if testkit.Long() && (felt.first > usual.first*3/2+opening || felt.rest > usual.rest*3/2+opened) {
			t.Errorf("%s: p99 %v and then %v; without the fault %v and then %v", fault.name, felt.first, felt.rest, usual.first, usual.rest)
		}
	}
}

// waits are the p99 of the first half second, and of the rest.
type waits struct{ first, rest time.Duration }

// steady sends each node 500 requests a second, each from an address of its own, and wants all of
// them answered.
func steady(t *testing.T, lasts time.Duration, nodes ...*server) []waits {
	t.Helper()
	const workers, every = 20, 40 * time.Millisecond // for each node
	client := &http.Client{Timeout: timeLimit(5 * time.Second), Transport: &http.Transport{MaxIdleConnsPerHost: workers}}
	defer client.CloseIdleConnections()
	var mu sync.Mutex
	early, late := make([][]time.Duration, len(nodes)), make([][]time.Duration, len(nodes))
	began := time.Now()
	var wg sync.WaitGroup
	for w := range workers * len(nodes) {
		wg.Go(func() {
			node := w % len(nodes)
			due := began.Add(every * time.Duration(w) / time.Duration(workers*len(nodes)))
			for i := 0; due.Before(began.Add(lasts)); i++ {
				time.Sleep(time.Until(due))
				r, err := visit(client, nodes[node].public+"/api/v1/stats", "", fmt.Sprintf("100.%d.%d.%d", 64+w, time.Now().UnixNano()%251, i%251))
				took := time.Since(due)
				mu.Lock()
				if err != nil || !r.OK() {
					t.Errorf("a request was answered with %v %v", r, err)
				}
				if due.Before(began.Add(500 * time.Millisecond)) {
					early[node] = append(early[node], took)
				} else {
					late[node] = append(late[node], took)
				}
				mu.Unlock()
				due = due.Add(every)
			}
		})
	}
	wg.Wait()
	all := make([]waits, len(nodes))
	for i := range nodes {
		all[i] = waits{p99(early[i]), p99(late[i])}
	}
	return all
}

// visit asks with a key, which may be "", from an address.
func visit(client *http.Client, url, key, from string) (testkit.Response, error) {
	req, err := http.NewRequest(http.MethodGet, url, http.NoBody)
	if err != nil {
		return testkit.Response{}, err
	}
	if key != "" {
		req.Header = testkit.Bearer(key)
	}
	req.Header.Set("X-Forwarded-For", from)
	return testkit.Do(client, req)
}

func p99(d []time.Duration) time.Duration {
	slices.Sort(d)
	return d[len(d)*99/100]
}
