package node

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/pgtest"
	"github.com/palmares-hq/palmares/internal/postgres"
	"github.com/palmares-hq/palmares/internal/quota"
	"github.com/palmares-hq/palmares/internal/redistest"
	"github.com/palmares-hq/palmares/internal/testkit"
)

// three starts three nodes that serve the fixture and share the database.
func three(t *testing.T, db string, settings ...string) []*running {
	t.Helper()
	publishDir(t, db, fixtureCatalog)
	nodes := []*running{start(t, db, settings...), start(t, db, settings...), start(t, db, settings...)}
	for _, n := range nodes {
		n.ready()
	}
	return nodes
}

// Whatever happens to the connections, every node hears of a revocation, of a new plan and of a
// deletion. With PALMARES_LONG=1 there are 100 of them, each heard of within 5 s.
func TestAccess_ReachesEveryNode(t *testing.T) {
	t.Parallel()
	changes, bound := 12, time.Minute
	if os.Getenv("PALMARES_LONG") == "1" {
		changes, bound = 100, 5*time.Second
	}
	db := pgtest.Migrated(t)
	nodes, s := three(t, db), openServices(t, db)
	stop := terminateFeeds(t, db)
	by := account.Operator()

	var mu sync.Mutex
	var took []time.Duration
	// everywhere waits until all nodes answer a request that is not counted with that tier; ""
	// is a key that is refused.
	everywhere := func(key, tier string) {
		t.Helper()
		began := time.Now()
		for _, n := range nodes {
			testkit.EventuallyTrue(t, "a node knows the tier "+tier, func() bool {
				a, err := testkit.Fetch(n.public+"/api/v1/openapi.json", testkit.Bearer(key))
				return err == nil && a.OK() == (tier != "") && a.Header.Get("X-Ratelimit-Tier") == tier
			})
		}
		mu.Lock()
		defer mu.Unlock()
		took = append(took, time.Since(began))
	}
	var changing sync.WaitGroup
	limit := make(chan struct{}, 4)
	for i := range changes {
		email := fmt.Sprintf("change-%d@example.org", i)
		key, info := newKey(t, s, email, account.Developer)
		limit <- struct{}{}
		changing.Go(func() {
			defer func() { <-limit }()
			everywhere(key, "free")
			time.Sleep(time.Duration(rand.IntN(1000)) * time.Millisecond) // to meet feeds in every state
			a, err := s.Accounts.Find(t.Context(), by, email)
			tier := ""
			switch {
			case err != nil:
			case i%3 == 0:
				err = s.Accounts.RevokeKey(t.Context(), by, info.ID)
			case i%3 == 1:
				err, tier = s.Accounts.SetPlan(t.Context(), by, a.ID, account.Pro), "pro"
			default:
				err = s.Accounts.Delete(t.Context(), by, a.ID)
			}
			if err != nil {
				t.Error(err)
				return
			}
			everywhere(key, tier)
		})
	}
	changing.Wait()
	if terminated := stop(); terminated == 0 || len(took) != 2*changes {
		t.Errorf("%d feeds were terminated, %d changes seen", terminated, len(took))
	}
	slices.Sort(took)
	worst := took[len(took)-1]
	t.Logf("%d changes on 3 nodes: median %v, max %v", len(took), took[len(took)/2], worst)
	if worst > bound {
		t.Errorf("a node heard of a change after %v", worst)
	}
}

// terminateFeeds ends the backends of key feeds, at random, until stop is called, which tells how
// many it ended.
func terminateFeeds(t *testing.T, url string) (stop func() int) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), url)
	must(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	var terminating sync.WaitGroup
	n := 0
	terminating.Go(func() {
		defer conn.Close(context.WithoutCancel(ctx))
		for ctx.Err() == nil {
			tag, err := conn.Exec(context.WithoutCancel(ctx), `
				SELECT pg_terminate_backend(pid) FROM pg_stat_activity
				WHERE datname = current_database() AND application_name = $1 AND random() < 0.5`, postgres.KeyFeedName)
			if err != nil {
				t.Error(err)
				return
			}
			n += int(tag.RowsAffected())
			time.Sleep(time.Duration(50+rand.IntN(400)) * time.Millisecond)
		}
	})
	return func() int { cancel(); terminating.Wait(); return n }
}

// lockTables makes everybody wait who wants to read those tables, until release.
func lockTables(t *testing.T, db string, tables ...string) (release func()) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), db)
	must(t, err)
	_, err = conn.Exec(t.Context(), `BEGIN; LOCK TABLE `+strings.Join(tables, ", "))
	must(t, err)
	release = sync.OnceFunc(func() { conn.Close(context.Background()) })
	t.Cleanup(release)
	return release
}

// Reading keys, which may take its time, delays no edition.
func TestAccess_DelaysNoEdition(t *testing.T) {
	t.Parallel()
	db, dir := pgtest.Migrated(t), testkit.CopyOf(t, fixtureCatalog)
	publishDir(t, db, dir)
	key, _ := newKey(t, openServices(t, db), "ada@example.org", account.Developer)
	n := start(t, db)
	n.ready()
	lockTables(t, db, "keys", "accounts", "current_access")
	for edition, price := range []string{"5 €/mois", "6 €/mois", "7 €/mois"} {
		if edition > 0 {
			testkit.Edit(t, filepath.Join(dir, "tools/ame.md"), []string{"5 €/mois", "6 €/mois"}[edition-1], price)
			publishDir(t, db, dir)
		}
		n.metrics(map[string]float64{"palmares_edition": float64(edition + 1)})
	}
	n.wantStatus(key, http.StatusOK)
}

// However busy the workers' connections are, a key works at its first use, and a report of usage
// has its name.
func TestAccess_DoesNotWaitForDeliveries(t *testing.T) {
	t.Parallel()
	db := pgtest.Migrated(t)
	publishDir(t, db, fixtureCatalog)
	s := openServices(t, db)
	n := start(t, db, "PALMARES_DB_CONNS=4", "PALMARES_REDIS_URL="+redistest.URL(t))
	n.ready()
	n.metrics(map[string]float64{"palmares_quota_shared": 1})
	conn, err := pgx.Connect(t.Context(), db)
	must(t, err)
	defer conn.Close(context.Background())
	// All that a worker does waits for this.
	lockTables(t, db, "endpoints", "deliveries", "events", "river_job", "river_leader", "river_queue")
	testkit.EventuallyTrue(t, "the worker's connections wait", func() bool {
		var waiting int
		must(t, conn.QueryRow(t.Context(), `
			SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`).Scan(&waiting))
		return waiting >= 3
	})
	for i := range 5 {
		key, _ := newKey(t, s, fmt.Sprintf("k%d@example.org", i), account.Developer)
		n.wantStatus(key, http.StatusOK)
		// The name is left out where the database takes longer than a reader should wait.
		testkit.EventuallyTrue(t, "usage names the key", func() bool { return n.get("/api/v1/usage", key).Says(`"name":"k"`) })
	}
	count := map[string]int{}
	rows, err := conn.Query(t.Context(), `
		SELECT application_name FROM pg_stat_activity WHERE datname = current_database() AND application_name LIKE 'palmares %'`)
	must(t, err)
	names, err := pgx.CollectRows(rows, pgx.RowTo[string])
	must(t, err)
	for _, name := range names {
		count[name]++
	}
	// River listens on a connection beside the pool.
	if count["palmares worker"] > 4+1 || count["palmares feed"] != 1 || count[postgres.KeyFeedName] != 1 || count[apiPool.name] > apiPool.conns {
		t.Errorf("the connections are %v", count)
	}
}

// However many clients, keys and nodes, programs and agents: an account is answered as often as its plan says, and
// not once more.
func TestQuota_IsExactOverNodesAndKeys(t *testing.T) { //nolint:paralleltest // it is the load itself
	const clients, requests = 64, 5000
	db := pgtest.Migrated(t)
	nodes := three(t, db, "PALMARES_REDIS_URL="+redistest.NewServer(t).URL())
	s := openServices(t, db)
	const email = "exact@example.org"
	first, _ := newKey(t, s, email, account.Developer)
	a, err := s.Accounts.Find(t.Context(), account.Operator(), email)
	must(t, err)
	second, _, err := s.Accounts.CreateKey(t.Context(), account.Operator(), a.ID, "second")
	must(t, err)
	keys := []string{first, second.Reveal()}
	for _, n := range nodes {
		n.metrics(map[string]float64{"palmares_quota_shared": 1})
	}
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: clients}, Timeout: time.Minute}
	defer client.CloseIdleConnections()
	var next, twice atomic.Int64
	var statuses [600]atomic.Int64
	var remaining sync.Map
	var asking sync.WaitGroup
	for range clients {
		asking.Go(func() {
			for i := next.Add(1); i <= requests; i = next.Add(1) {
				req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, nodes[i%3].public+"/api/v1/tools/ame", http.NoBody)
				if i%5 == 0 {
					req, err = agentCall(t.Context(), nodes[i%3].public, "get_tool", `{"slug":"ame"}`)
				}
				if err != nil {
					t.Error(err)
					return
				}
				req.Header.Set("Authorization", "Bearer "+keys[i/3%2])
				r, err := testkit.Do(client, req)
				if err != nil {
					t.Error(err)
				}
				statuses[r.Status].Add(1)
				if r.OK() {
					if _, seen := remaining.LoadOrStore(r.Header.Get("X-Ratelimit-Remaining"), true); seen {
						twice.Add(1)
					}
				}
			}
		})
	}
	asking.Wait()
	answered, refused, daily := statuses[200].Load(), statuses[429].Load(), int64(account.Developer.Limits().Daily)
	if answered != daily || twice.Load() > 0 || answered+refused != requests {
		t.Errorf("%d answered, %d of them with the X-RateLimit-Remaining of another, and %d refused of %d; want exactly %d answered",
			answered, twice.Load(), refused, requests, daily)
	}
}

// A node that starts without its Redis, or loses it, counts alone, says so once each time, and
// counts with the others again as soon as Redis is back.
func TestQuota_WithoutRedis(t *testing.T) {
	t.Parallel()
	db := pgtest.Migrated(t)
	publishDir(t, db, fixtureCatalog)
	redis := redistest.NewServer(t)
	redis.Kill()
	n := start(t, db, "PALMARES_REDIS_URL="+redis.URL(), "PALMARES_QUOTA_WAIT=500ms")
	n.ready()
	n.logs("Redis does not answer: quotas are counted on this node alone")
	key, _ := newKey(t, openServices(t, db), "early@example.org", account.Developer)
	for i, want := range []string{"999", "998", "997"} { // counted all the same
		if a := n.get("/api/v1/tools/ame", key); !a.OK() || a.Header.Get("X-Ratelimit-Remaining") != want {
			t.Fatalf("request %d without Redis: %v %v", i+1, a, a.Header)
		}
	}
	for away := 2; away <= 3; away++ {
		redis.Start()
		n.metrics(map[string]float64{"palmares_quota_shared": 1})
		redis.Kill()
		testkit.EventuallyTrue(t, "a request finds out", func() bool {
			if a := n.get("/api/v1/tools/ame", key); !a.OK() {
				t.Fatalf("Redis being gone: %v", a)
			}
			return strings.Count(n.log.String(), "Redis does not answer") == away
		})
		n.metrics(map[string]float64{"palmares_quota_shared": 0})
	}
	n.stop()
	if back := strings.Count(n.log.String(), "Redis answers again"); back != 2 {
		t.Errorf("the log says %d times that Redis is back", back)
	}
}

// What a node has counted when it ends is not lost, and the services tell what the API does.
func TestUsage_SurvivesTheNode(t *testing.T) {
	t.Parallel()
	db, redis := pgtest.Migrated(t), redistest.URL(t)
	publishDir(t, db, fixtureCatalog)
	s := openServices(t, db, "PALMARES_REDIS_URL="+redis)
	keys := map[string]string{}
	keys["dev@example.org"], _ = newKey(t, s, "dev@example.org", account.Developer)
	keys["pro@example.org"], _ = newKey(t, s, "pro@example.org", account.Pro)
	counting := func() *running {
		n := start(t, db, "PALMARES_REDIS_URL="+redis)
		n.ready()
		n.metrics(map[string]float64{"palmares_quota_shared": 1})
		return n
	}
	for _, times := range []int{3, 4} {
		n := counting()
		for range times {
			for _, key := range keys {
				n.wantStatus(key, http.StatusOK)
			}
		}
		n.stop() // long before the next addition is due
	}
	n := counting()
	for email, key := range keys {
		a, err := s.Accounts.Find(t.Context(), account.Operator(), email)
		must(t, err)
		list, err := s.Accounts.Keys(t.Context(), account.Operator(), a.ID)
		must(t, err)
		if list[0].LastUsed.IsZero() {
			t.Errorf("%s: the use of the key was not written down", email)
		}
		report, err := s.Usage(t.Context(), a, list, time.Now())
		must(t, err)
		if report.Days[0].Requests != 7 || len(report.Keys) != 1 || report.Keys[0].Days[0].Requests != 7 {
			t.Errorf("%s: %+v", email, report)
		}
		var served, told quota.Report
		testkit.EventuallyTrue(t, "the usage has names of keys", func() bool { // PostgreSQL may take too long on a busy machine
			served = quota.Report{}
			must(t, json.Unmarshal([]byte(n.get("/api/v1/usage", key).Body), &served))
			return len(served.Keys) == 1 && served.Keys[0].Name != nil
		})
		text, err := json.Marshal(report)
		must(t, err)
		must(t, json.Unmarshal(text, &told))
		if !reflect.DeepEqual(served, told) {
			t.Errorf("served %+v\ntold   %+v", served, told)
		}
	}
	n.metrics(map[string]float64{"palmares_usage_lost_requests_total": 0, "palmares_usage_pending_requests": 0})
}
