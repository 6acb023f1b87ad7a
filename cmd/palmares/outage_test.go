package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/Shopify/toxiproxy/v2"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/rs/zerolog"

	"github.com/palmares-hq/palmares/internal/pgtest"
	"github.com/palmares-hq/palmares/internal/quota"
	"github.com/palmares-hq/palmares/internal/redistest"
)

// Whatever happens between a node and Redis, at 500 requests a second: no request
// fails, none waits longer than a charge may, and once the breaker is open none
// waits at all. Each fault lasts 1.5 s; with PALMARES_LONG=1 it lasts 10 s and p99 is
// held to 10 ms over the wait until the breaker opens and 1 ms after. It measures, so it
// is not parallel.
func TestOutage_RedisIsNotFelt(t *testing.T) { //nolint:paralleltest // as said
	const opening, opened = quota.DefaultWait + 10*time.Millisecond, time.Millisecond
	long, lasts := os.Getenv("PALMARES_LONG") == "1", 1500*time.Millisecond
	if long {
		lasts = 10 * time.Second
	}
	db := pgtest.Migrated(t)
	redis := redistest.NewServer(t)
	way := toxiproxy.NewProxy(toxiproxy.NewServer(toxiproxy.NewMetricsContainer(prometheus.NewRegistry()), zerolog.Nop()),
		"redis", "127.0.0.1:0", redis.Addr())
	if err := way.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(way.Stop)
	palmares(t, database(db), "publish", fixtureCatalog)
	n := serve(t, db, "PALMARES_REDIS_URL=redis://"+way.Listen, "PALMARES_TRUSTED_PROXIES=127.0.0.0/8")
	n.ready(10 * time.Second)
	n.counts(1, sharedWithin)
	url := n.public + "/api/v1/stats"

	poison := func(toxic string) (heal func()) {
		added, err := way.Toxics.AddToxicJson(strings.NewReader(toxic))
		if err != nil {
			t.Fatal(err)
		}
		return func() {
			if err := way.Toxics.RemoveToxic(context.Background(), added.Name); err != nil {
				t.Fatal(err)
			}
		}
	}
	healthy, _ := steady(t, url, lasts)
	for _, fault := range []struct {
		name  string
		begin func() (end func())
	}{
		{"black hole", func() func() {
			return poison(`{"name":"hole","type":"timeout","stream":"downstream","attributes":{"timeout":0}}`)
		}},
		{"resets", func() func() {
			return poison(`{"name":"reset","type":"reset_peer","stream":"downstream","attributes":{"timeout":0}}`)
		}},
		{"refused", func() func() { way.Stop(); return func() { must(t, way.Start()) } }},
		{"killed with -9", func() func() { redis.Kill(); return redis.Start }},
	} {
		end := fault.begin()
		first, rest := steady(t, url, lasts)
		n.counts(0, time.Minute)
		end()
		back := n.counts(1, time.Minute)
		t.Logf("%s: p99 healthy %v, in the first half second %v, then %v; counting together %v after the end", fault.name, healthy, first, rest, back)
		if long && (first > healthy+opening || rest > healthy+opened || back > sharedWithin) {
			t.Errorf("%s: p99 %v and then %v, with %v in health", fault.name, first, rest, healthy)
		}
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// steady sends 500 requests a second, each from an address of its own, wants all of
// them answered, and gives the p99 of the first half second and of the rest.
func steady(t *testing.T, url string, lasts time.Duration) (first, rest time.Duration) {
	t.Helper()
	const workers, every = 20, 40 * time.Millisecond
	client := &http.Client{Timeout: 5 * time.Second, Transport: &http.Transport{MaxIdleConnsPerHost: workers}}
	defer client.CloseIdleConnections()
	var mu sync.Mutex
	var early, late []time.Duration
	began := time.Now()
	var wg sync.WaitGroup
	for w := range workers {
		wg.Go(func() {
			due := began.Add(every * time.Duration(w) / workers)
			for i := 0; due.Before(began.Add(lasts)); i++ {
				time.Sleep(time.Until(due))
				status := visit(client, url, fmt.Sprintf("100.%d.%d.%d", 64+w, time.Now().UnixNano()%251, i%251))
				took := time.Since(due)
				mu.Lock()
				if status != http.StatusOK {
					t.Errorf("a request was answered with %d", status)
				}
				if due.Before(began.Add(500 * time.Millisecond)) {
					early = append(early, took)
				} else {
					late = append(late, took)
				}
				mu.Unlock()
				due = due.Add(every)
			}
		})
	}
	wg.Wait()
	return p99(early), p99(late)
}

func visit(client *http.Client, url, from string) (status int) {
	r, err := http.NewRequest(http.MethodGet, url, nil)
	if err != nil {
		return 0
	}
	r.Header.Set("X-Forwarded-For", from)
	resp, err := client.Do(r)
	if err != nil {
		return 0
	}
	defer resp.Body.Close()
	if _, err := io.Copy(io.Discard, resp.Body); err != nil {
		return 0
	}
	return resp.StatusCode
}

func p99(d []time.Duration) time.Duration {
	slices.Sort(d)
	return d[len(d)*99/100]
}
