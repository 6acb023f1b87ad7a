package main

import (
	"encoding/json"
	"reflect"
	"testing"
	"time"

	"github.com/palmares-hq/palmares/internal/pgtest"
	"github.com/palmares-hq/palmares/internal/redistest"
)

// What a node has counted when it ends is not lost, and the command line tells what
// the interface does.
func TestUsage_SurvivesTheNodeAndIsShown(t *testing.T) {
	t.Parallel()
	db := pgtest.Migrated(t)
	redis := redistest.URL(t)
	palmares(t, database(db), "publish", fixtureCatalog)
	developer, pro := newKey(t, db, "dev@example.org", "developer"), newKey(t, db, "pro@example.org", "pro")
	ask := func(n *node, path, key string, times int) (a answer) {
		t.Helper()
		for range times {
			var err error
			if a, err = fetch(n.public+path, bearing(key)); err != nil || !ok(a) {
				t.Fatalf("%s: %d %s %v", path, a.status, a.body, err)
			}
		}
		return a
	}
	for _, times := range []int{3, 4} {
		n := serve(t, db, "PALMARES_REDIS_URL="+redis)
		n.ready(10 * time.Second)
		n.counts(1, 10*time.Second)
		ask(n, "/api/v1/stats", developer, times)
		ask(n, "/api/v1/stats", pro, times)
		n.stop() // long before the next addition is due
	}
	n := serve(t, db, "PALMARES_REDIS_URL="+redis)
	n.ready(10 * time.Second)
	n.counts(1, 10*time.Second)
	for email, key := range map[string]string{"dev@example.org": developer, "pro@example.org": pro} {
		var served, shown struct {
			Usage struct {
				Plan        string
				Limit, Used any
				Days        []struct{ Requests int }
				Keys        []struct {
					Name string
					Days []struct{ Requests int }
				}
			}
		}
		if err := json.Unmarshal([]byte(ask(n, "/api/v1/usage", key, 1).body), &served.Usage); err != nil {
			t.Fatal(err)
		}
		out, _ := palmares(t, append(database(db), "PALMARES_REDIS_URL="+redis), "account", "show", email, "--json")
		if err := json.Unmarshal([]byte(out), &shown); err != nil {
			t.Fatal(err)
		}
		u := served.Usage
		if u.Used != 7.0 || u.Days[0].Requests != 7 || len(u.Keys) != 1 || u.Keys[0].Days[0].Requests != 7 || u.Keys[0].Name == "" {
			t.Errorf("%s: %+v", email, u)
		}
		if !reflect.DeepEqual(served, shown) {
			t.Errorf("served %+v\nshown  %+v", served, shown)
		}
	}
	if n.metric("palmares_usage_lost_requests_total") != 0 || n.metric("palmares_usage_pending_requests") != 0 {
		t.Error("requests were lost")
	}
}
