package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/Shopify/toxiproxy/v2"
	"github.com/jackc/pgx/v5"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/rs/zerolog"

	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/pgtest"
	"github.com/palmares-hq/palmares/internal/postgres"
)

// What docs/scale.md says of keys: a million accounts and half as many keys again, three
// nodes, one of them 2 ms away from the database, and strangers who try keys. With
// PALMARES_LONG=1 it measures at that size and holds it to the bounds; else it is small,
// and asks only that nobody is refused.
func TestKeys_AtScale(t *testing.T) { //nolint:paralleltest // it measures
	accounts, sockets, rate, lasts := 2000, 50, 200, 2*time.Second
	long := os.Getenv("PALMARES_LONG") == "1"
	if long {
		accounts, sockets, rate, lasts = 1_000_000, 1000, 2000, 20*time.Second
	}
	db := pgtest.Migrated(t)
	palmares(t, database(db), "publish", fixtureCatalog)
	far := delayed(t, db)
	nodes := []*node{
		serve(t, far, "PALMARES_TRUSTED_PROXIES=127.0.0.0/8"),
		serve(t, db), serve(t, db),
	}
	for _, n := range nodes {
		n.ready(20 * time.Second)
	}
	empty := nodes[1].heap()
	fillKeys(t, db, accounts)
	for _, n := range nodes {
		for began := time.Now(); n.metric("palmares_keys") < float64(accounts*3/2); time.Sleep(100 * time.Millisecond) {
			if time.Since(began) > 5*time.Minute {
				t.Fatalf("%v keys are held", n.metric("palmares_keys"))
			}
		}
	}
	heap := nodes[1].heap() - empty
	t.Logf("%d accounts, %d keys: %.0f MB of heap more; loading took %.2f s, 2 ms away %.2f s", accounts, accounts*3/2,
		heap/(1<<20), nodes[1].metric("palmares_keys_load_seconds_sum"), nodes[0].metric("palmares_keys_load_seconds_sum"))

	revoked := revocations(t, db, nodes)
	t.Logf("a revocation on 3 nodes: median %v, max %v", revoked[len(revoked)/2], revoked[len(revoked)-1])

	uses, strangers := firstUses(t, db, nodes[0], sockets, rate, lasts)
	t.Logf("%d first uses beside %d unknown keys in %v from %d sockets: p50 %v, p99 %v, max %v; %v looks at the database",
		len(uses), strangers, lasts, sockets, uses[len(uses)/2], p99(uses), uses[len(uses)-1], nodes[0].metric("palmares_key_refreshes_total"))
	if !long {
		return
	}
	if heap > 150<<20 {
		t.Errorf("%.0f MB of heap more, want 150 at most", heap/(1<<20))
	}
	if worst := revoked[len(revoked)-1]; worst > accessWithin {
		t.Errorf("a revocation was heard of after %v", worst)
	}
	if worst := p99(uses); worst > 50*time.Millisecond {
		t.Errorf("p99 of first uses is %v", worst)
	}
}

// delayed is the database behind a proxy that makes each way 1 ms long.
func delayed(t *testing.T, db string) string {
	t.Helper()
	u, err := url.Parse(db)
	must(t, err)
	way := toxiproxy.NewProxy(toxiproxy.NewServer(toxiproxy.NewMetricsContainer(prometheus.NewRegistry()), zerolog.Nop()),
		"postgres", "127.0.0.1:0", u.Host)
	must(t, way.Start())
	t.Cleanup(way.Stop)
	for _, stream := range []string{"upstream", "downstream"} {
		_, err := way.Toxics.AddToxicJson(strings.NewReader(
			`{"name":"` + stream + `","type":"latency","stream":"` + stream + `","attributes":{"latency":1}}`))
		must(t, err)
	}
	u.Host = way.Listen
	return u.String()
}

// heap is what is live on the node's heap.
func (n *node) heap() float64 {
	n.t.Helper()
	get(n.t, n.admin+"/debug/pprof/heap?gc=1")
	return n.metric("go_memstats_heap_alloc_bytes")
}

// fillKeys makes accounts, every second of which has two keys.
func fillKeys(t *testing.T, db string, accounts int) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), db)
	must(t, err)
	defer conn.Close(context.Background())
	began := time.Now()
	for _, statement := range []string{
		`BEGIN`,
		`ALTER TABLE keys DISABLE TRIGGER USER`, // a row for each of them is not what this is about
		fmt.Sprintf(`INSERT INTO accounts (email, plan) SELECT i || '@scale.example', 'developer' FROM generate_series(1, %d) i`, accounts),
		`INSERT INTO keys (id, account_id, slot, name, preview, hash)
			SELECT 'key_' || lpad(to_hex(row_number() OVER ()), 12, '0'), id, slot, '', '', sha256((email || slot)::bytea)
			FROM accounts, generate_series(1, 2) slot
			WHERE email LIKE '%@scale.example' AND (slot = 1 OR split_part(email, '@', 1)::integer % 2 = 0)`,
		`ALTER TABLE keys ENABLE TRIGGER USER`,
		`INSERT INTO access_changes (number) SELECT max(number) + 1 FROM access_changes`, // concerns everybody
		`UPDATE current_access SET number = number + 1`,
		`COMMIT`,
		`ANALYZE`,
	} {
		if _, err := conn.Exec(t.Context(), statement); err != nil {
			t.Fatalf("%s: %v", statement, err)
		}
	}
	t.Logf("made in %v", time.Since(began).Round(time.Second))
}

// revocations revokes keys one after the other and tells when all nodes knew.
func revocations(t *testing.T, url string, nodes []*node) (took []time.Duration) {
	t.Helper()
	db, err := postgres.Open(t.Context(), url, postgres.Options{})
	must(t, err)
	defer db.Close()
	for i := range 20 {
		email := fmt.Sprintf("revoked-%d@example.org", i)
		_, err := db.CreateAccount(t.Context(), email, account.Developer)
		must(t, err)
		key, info, err := pgtest.ByEmail(db).CreateKey(t.Context(), email, "k")
		must(t, err)
		for _, n := range nodes {
			wantStatus(t, n, key.Reveal(), http.StatusOK)
		}
		must(t, db.RevokeKey(t.Context(), account.Operator(), info.ID, time.Now()))
		began := time.Now()
		for _, n := range nodes {
			eventually(t, n.admin+"/livez", time.Minute, func(answer) bool {
				a, err := fetch(n.public+"/api/v1/openapi.json", bearing(key.Reveal()))
				return err == nil && a.status == http.StatusUnauthorized
			})
		}
		took = append(took, time.Since(began).Round(100*time.Microsecond))
	}
	slices.Sort(took)
	return took
}

// firstUses makes keys and uses each at once, while strangers try keys that nobody has
// at that rate. None of the former may be refused.
func firstUses(t *testing.T, dbURL string, n *node, sockets, rate int, lasts time.Duration) (took []time.Duration, strangers int64) {
	t.Helper()
	db, err := postgres.Open(t.Context(), dbURL, postgres.Options{})
	must(t, err)
	defer db.Close()
	transport := &http.Transport{MaxIdleConnsPerHost: sockets + 10}
	defer transport.CloseIdleConnections()
	client := &http.Client{Transport: transport, Timeout: 10 * time.Second}
	var sent, otherwise atomic.Int64
	ask := func(key string) int {
		from := sent.Add(1) // each from an address of its own: quotas are not what this is about
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, n.public+"/api/v1/stats", http.NoBody)
		if err != nil {
			return 0
		}
		r.Header.Set("Authorization", "Bearer "+key)
		r.Header.Set("X-Forwarded-For", fmt.Sprintf("100.%d.%d.%d", 64+from>>16, from>>8&255, from&255))
		resp, err := client.Do(r)
		if err != nil {
			return 0
		}
		io.Copy(io.Discard, resp.Body)
		resp.Body.Close()
		return resp.StatusCode
	}
	began := time.Now()
	every := time.Duration(sockets) * time.Second / time.Duration(rate)
	var wg sync.WaitGroup
	for i := range sockets {
		wg.Go(func() {
			for due := began.Add(every * time.Duration(i) / time.Duration(sockets)); due.Before(began.Add(lasts)); due = due.Add(every) {
				time.Sleep(time.Until(due))
				if ask(account.NewKey().Reveal()) != http.StatusUnauthorized {
					otherwise.Add(1)
				}
			}
		})
	}
	for i := 0; time.Since(began) < lasts; i++ {
		email := fmt.Sprintf("first-%d@example.org", i)
		_, err := db.CreateAccount(t.Context(), email, account.Developer)
		must(t, err)
		key, _, err := pgtest.ByEmail(db).CreateKey(t.Context(), email, "k")
		must(t, err)
		started := time.Now()
		if status := ask(key.Reveal()); status != http.StatusOK {
			t.Errorf("a key that was just made is answered %d", status)
		}
		took = append(took, time.Since(started).Round(10*time.Microsecond))
		time.Sleep(20 * time.Millisecond)
	}
	wg.Wait()
	if otherwise.Load() > 0 {
		t.Errorf("%d unknown keys were not answered 401", otherwise.Load())
	}
	slices.Sort(took)
	return took, sent.Load() - int64(len(took))
}
