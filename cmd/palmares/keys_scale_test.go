package main

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/pgtest"
	"github.com/palmares-hq/palmares/internal/postgres"
	"github.com/palmares-hq/palmares/internal/testkit"
)

// What docs/scale.md says of keys: a million accounts and half as many keys again, three
// nodes, one of them 2 ms away from the database, and strangers who try keys. With
// PALMARES_LONG=1 it measures at that size and holds it to the bounds; else it is small,
// and asks only that nobody is refused.
func TestKeys_AtScale(t *testing.T) { //nolint:paralleltest // it measures
	testkit.Night(t)
	accounts, sockets, rate, lasts := 2000, 50, 200, 2*time.Second
	if testkit.Long() {
		accounts, sockets, rate, lasts = 1_000_000, 1000, 2000, 20*time.Second
	}
	db := pgtest.Migrated(t)
	palmares(t, database(db), "publish", fixtureCatalog)
	far := delayed(t, db)
	nodes := []*server{
		serve(t, far, "PALMARES_TRUSTED_PROXIES=127.0.0.0/8"),
		serve(t, db), serve(t, db),
	}
	for _, n := range nodes {
		n.ready()
	}
	empty := nodes[1].heap()
	fillKeys(t, db, accounts)
	for _, n := range nodes {
		testkit.EventuallyTrue(t, "the node has all keys", func() bool { return n.metric("palmares_keys") >= float64(accounts*3/2) })
	}
	heap := nodes[1].heap() - empty
	t.Logf("%d accounts, %d keys: %.0f MB of heap more; loading took %.2f s, 2 ms away %.2f s", accounts, accounts*3/2,
		heap/(1<<20), nodes[1].metric("palmares_keys_load_seconds_sum"), nodes[0].metric("palmares_keys_load_seconds_sum"))

	revoked := revocations(t, db, nodes)
	t.Logf("a revocation on 3 nodes: median %v, max %v", revoked[len(revoked)/2], revoked[len(revoked)-1])

	uses, strangers := firstUses(t, db, nodes[0], sockets, rate, lasts)
	t.Logf("%d first uses beside %d unknown keys in %v from %d sockets: p50 %v, p99 %v, max %v; %v looks at the database",
		len(uses), strangers, lasts, sockets, uses[len(uses)/2], p99(uses), uses[len(uses)-1], nodes[0].metric("palmares_key_refreshes_total"))
	if !testkit.Long() {
		return
	}
	if heap > 150<<20 {
		t.Errorf("%.0f MB of heap more, want 150 at most", heap/(1<<20))
	}
	if worst := revoked[len(revoked)-1]; worst > 5*time.Second {
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
	proxy := testkit.NewProxy(t, u.Host)
	proxy.ToServer(testkit.Fault{Delay: time.Millisecond})
	proxy.ToClient(testkit.Fault{Delay: time.Millisecond})
	u.Host = proxy.Addr
	return u.String()
}

// heap is what is live on the node's heap.
func (n *server) heap() float64 {
	n.t.Helper()
	testkit.Get(n.t, n.admin+"/debug/pprof/heap?gc=1")
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
func revocations(t *testing.T, url string, nodes []*server) (took []time.Duration) {
	t.Helper()
	db, err := postgres.Open(t.Context(), url, postgres.Options{})
	must(t, err)
	defer db.Close()
	for i := range 20 {
		email := fmt.Sprintf("revoked-%d@example.org", i)
		_, err := db.Accounts.Create(t.Context(), email, account.Developer)
		must(t, err)
		key, info, err := pgtest.ByEmail(db).CreateKey(t.Context(), email, "k")
		must(t, err)
		everywhere := func(status int) {
			for _, n := range nodes {
				testkit.EventuallyTrue(t, "a node knows of it", func() bool {
					a, err := testkit.Fetch(n.public+"/api/v1/openapi.json", testkit.Bearer(key.Reveal()))
					return err == nil && a.Status == status
				})
			}
		}
		everywhere(http.StatusOK)
		must(t, db.Keys.Revoke(t.Context(), account.Operator(), info.ID, time.Now()))
		began := time.Now()
		everywhere(http.StatusUnauthorized)
		took = append(took, time.Since(began).Round(100*time.Microsecond))
	}
	slices.Sort(took)
	return took
}

// firstUses makes keys and uses each at once, while strangers try keys that nobody has
// at that rate. None of the former may be refused.
func firstUses(t *testing.T, dbURL string, n *server, sockets, rate int, lasts time.Duration) (took []time.Duration, strangers int64) {
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
		r, err := visit(client, n.public+"/api/v1/stats", key, fmt.Sprintf("100.%d.%d.%d", 64+from>>16, from>>8&255, from&255))
		if err != nil {
			return 0
		}
		return r.Status
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
		_, err := db.Accounts.Create(t.Context(), email, account.Developer)
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
