package main

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/pgtest"
	"github.com/palmares-hq/palmares/internal/redistest"
)

// What key holders and operators were promised.
const (
	accessWithin = 5 * time.Second // a revocation or a plan change, on every node
	sharedWithin = 2 * time.Second // counting together again, once Redis is back
)

// newKey makes an account and a key of it.
func newKey(t *testing.T, db, email, plan string) string {
	t.Helper()
	palmares(t, database(db), "account", "create", email, "--plan", plan)
	return anotherKey(t, db, email)
}

// anotherKey makes a further key of an account.
func anotherKey(t *testing.T, db, email string) string {
	t.Helper()
	key, _ := palmares(t, database(db), "key", "create", email)
	return strings.TrimSpace(key)
}

func bearing(key string) http.Header { return http.Header{"Authorization": {"Bearer " + key}} }

// three starts three nodes that share the database and Redis.
func three(t *testing.T, db, redis string, settings ...string) []*node {
	t.Helper()
	palmares(t, database(db), "publish", fixtureCatalog)
	var nodes []*node
	for range 3 {
		nodes = append(nodes, serve(t, db, append(settings, "PALMARES_REDIS_URL="+redis)...))
	}
	for _, n := range nodes {
		n.ready(10 * time.Second)
		n.counts(1, sharedWithin)
	}
	return nodes
}

// counts waits for the node to count with all the others, or alone.
func (n *node) counts(shared float64, most time.Duration) time.Duration {
	n.t.Helper()
	began := time.Now()
	for n.metric("palmares_quota_shared") != shared {
		if time.Since(began) > most {
			n.t.Fatalf("palmares_quota_shared is not %v after %v", shared, most)
		}
		time.Sleep(10 * time.Millisecond)
	}
	return time.Since(began)
}

// However many clients, keys and nodes: an account is answered as often as its plan
// says, and not once more. A charge that the machine keeps from Redis for half a second
// is counted on its node, and may add or take one; there is none on a machine that is
// merely busy.
func TestQuota_IsExactOverNodesAndKeys(t *testing.T) { //nolint:paralleltest // it is the load itself
	const clients, requests = 64, 5000
	db := pgtest.Migrated(t)
	nodes := three(t, db, redistest.NewServer(t).URL(), "PALMARES_QUOTA_WAIT=500ms")
	transport := &http.Transport{MaxIdleConnsPerHost: clients}
	defer transport.CloseIdleConnections()
	const email = "exact@example.org"
	keys := []string{newKey(t, db, email, "developer"), anotherKey(t, db, email)}

	var next, answered, refused, twice, other atomic.Int64
	var remaining sync.Map
	var wg sync.WaitGroup
	for range clients {
		wg.Go(func() {
			for i := next.Add(1); i <= requests; i = next.Add(1) {
				status, left := askRemaining(transport, nodes[i%3].public+"/api/v1/tools/ame", keys[i/3%2])
				switch status {
				case http.StatusOK:
					answered.Add(1)
					if _, seen := remaining.LoadOrStore(left, true); seen {
						twice.Add(1)
					}
				case http.StatusTooManyRequests:
					refused.Add(1)
				default:
					other.Add(1)
				}
			}
		})
	}
	wg.Wait()
	alone, daily := int64(charges(nodes, "local")), int64(account.Developer.Limits().Daily)
	t.Logf("%d answered, %d refused; %d charges were counted on one node", answered.Load(), refused.Load(), alone)
	if off := answered.Load() - daily; off > alone || off < -alone || twice.Load() > alone {
		t.Errorf("%d answered, %d of them with the X-RateLimit-Remaining of another; want exactly %d, give or take %d", answered.Load(), twice.Load(), daily, alone)
	}
	if other.Load() != 0 || answered.Load()+refused.Load() != requests {
		t.Errorf("%d answered, %d refused and %d otherwise, of %d", answered.Load(), refused.Load(), other.Load(), requests)
	}
	if shared := int64(charges(nodes, "shared")); shared < 10*alone {
		t.Errorf("Redis counted %d charges and the nodes alone %d", shared, alone)
	}
}

// charges is how many requests were charged by Redis, or by one node alone.
func charges(nodes []*node, source string) (sum float64) {
	for _, n := range nodes {
		sum += n.metric(`palmares_quota_charges_total\{source="` + source + `"\}`)
	}
	return sum
}

func askRemaining(transport *http.Transport, url, key string) (status int, remaining string) {
	req, err := http.NewRequest(http.MethodGet, url, http.NoBody)
	if err != nil {
		return 0, err.Error()
	}
	req.Header = bearing(key)
	resp, err := (&http.Client{Transport: transport, Timeout: 10 * time.Second}).Do(req)
	if err != nil {
		return 0, err.Error()
	}
	defer resp.Body.Close()
	if _, err := io.Copy(io.Discard, resp.Body); err != nil {
		return 0, err.Error()
	}
	return resp.StatusCode, resp.Header.Get("X-Ratelimit-Remaining")
}

// Plans and revocations reach nodes that know the key already.
func TestQuota_NodesHearOfPlansAndRevocations(t *testing.T) {
	t.Parallel()
	db := pgtest.Migrated(t)
	nodes := three(t, db, redistest.URL(t))
	const email = "change@example.org"
	key := newKey(t, db, email, "developer")
	tier := func(want string) func(answer) bool {
		return func(a answer) bool { return ok(a) && a.header.Get("X-Ratelimit-Tier") == want }
	}
	everywhere := func(what string, wanted func(answer) bool) {
		t.Helper()
		began := time.Now()
		for _, n := range nodes {
			for { // a path that is not counted
				a, err := fetch(n.public+"/api/v1/openapi.json", bearing(key))
				if err == nil && wanted(a) {
					break
				}
				if time.Since(began) > patience(accessWithin) {
					t.Fatalf("%s: after %v a node answers %d %v %v", what, accessWithin, a.status, a.header, err)
				}
				time.Sleep(5 * time.Millisecond)
			}
		}
		t.Logf("%s: everywhere after %v", what, time.Since(began).Round(time.Millisecond))
	}
	everywhere("a new key", tier("free"))
	for range 3 {
		palmares(t, database(db), "account", "plan", email, "pro")
		everywhere("pro", tier("pro"))
		palmares(t, database(db), "account", "plan", email, "developer")
		everywhere("developer", tier("free"))
	}
	for range 3 {
		palmares(t, database(db), "key", "revoke", liveKey(t, db, email))
		everywhere("revoked", func(a answer) bool { return a.status == http.StatusUnauthorized && !limited(a) })
		key = anotherKey(t, db, email)
		everywhere("another key", tier("free"))
	}
	palmares(t, database(db), "account", "delete", email)
	everywhere("deleted", func(a answer) bool { return a.status == http.StatusUnauthorized })
}

// liveKey is the id of the account's one key that is not revoked.
func liveKey(t *testing.T, db, email string) string {
	t.Helper()
	out, _ := palmares(t, database(db), "key", "list", email, "--json")
	var keys []keyJSON
	if err := json.Unmarshal([]byte(out), &keys); err != nil {
		t.Fatal(err)
	}
	var live []string
	for _, k := range keys {
		if k.RevokedAt == nil {
			live = append(live, k.ID)
		}
	}
	if len(live) != 1 {
		t.Fatalf("live keys: %v", live)
	}
	return live[0]
}

func TestQuota_ANodeStartsWithoutItsRedis(t *testing.T) {
	t.Parallel()
	db := pgtest.Migrated(t)
	palmares(t, database(db), "publish", fixtureCatalog)
	redis := redistest.NewServer(t)
	redis.Kill()
	n := serve(t, db, "PALMARES_REDIS_URL="+redis.URL())
	n.ready(10 * time.Second)
	n.await(0, "Redis does not answer: quotas are counted on this node alone", 5*time.Second)
	n.counts(0, 0)
	key := newKey(t, db, "early@example.org", "developer")
	for i, want := range []string{"999", "998", "997"} { // counted all the same
		a, err := fetch(n.public+"/api/v1/tools/ame", bearing(key))
		if err != nil || !ok(a) || a.header.Get("X-Ratelimit-Remaining") != want {
			t.Fatalf("request %d without Redis: %d %v %v", i+1, a.status, a.header, err)
		}
	}

	for range 2 { // and again, when it goes away later
		began := time.Now()
		redis.Start()
		n.counts(1, sharedWithin)
		t.Logf("counting together %v after Redis's start", time.Since(began).Round(time.Millisecond))
		if took := time.Since(began); took > sharedWithin {
			t.Errorf("counting together after %v, want %v", took, sharedWithin)
		}
		mark := n.stderr.mark()
		redis.Kill()
		for range 5 { // requests find out
			if a, err := fetch(n.public+"/api/v1/tools/ame", bearing(key)); err != nil || !ok(a) {
				t.Fatalf("Redis being gone: %d %s %v", a.status, a.body, err)
			}
		}
		n.await(mark, "Redis does not answer", 5*time.Second)
		n.counts(0, 0)
	}
	n.stop()
	said := n.stderr.from(0)
	if away, back := strings.Count(said, "Redis does not answer"), strings.Count(said, "Redis answers again"); away != 3 || back != 2 {
		t.Errorf("the log says %d times that Redis is gone and %d times that it is back:\n%s", away, back, said)
	}
}

func TestQuota_WithoutRedisANodeSaysSoOnce(t *testing.T) {
	t.Parallel()
	db := pgtest.Migrated(t)
	palmares(t, database(db), "publish", fixtureCatalog)
	n := serve(t, db)
	n.ready(10 * time.Second)
	for i := range account.Anonymous.Limits().Daily + 1 {
		want := http.StatusOK
		if i == account.Anonymous.Limits().Daily {
			want = http.StatusTooManyRequests
		}
		if a := get(t, n.public+"/api/v1/stats"); a.status != want {
			t.Fatalf("request %d: %d %s", i+1, a.status, a.body)
		}
	}
	n.counts(0, 0)
	n.stop()
	if got := strings.Count(n.stderr.from(0), "set PALMARES_REDIS_URL"); got != 1 {
		t.Errorf("it is said %d times:\n%s", got, n.stderr.from(0))
	}
}
