package node

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/palmares-hq/palmares/internal/pgtest"
	"github.com/palmares-hq/palmares/internal/postgres"
	"github.com/palmares-hq/palmares/internal/publish"
	"github.com/palmares-hq/palmares/internal/testkit"
)

// Somebody without a key polls every minute for a day, or some hours of it, in which a publication is made every hour:
// what they are charged is the publications, whatever of our caches is in front. The caches take If-None-Match away, so most
// answers are a 200.
func TestPolling_ADayIsCheap(t *testing.T) {
	t.Parallel()
	hours := testkit.Size(6, 24)
	for _, cfg := range cacheConfigurations {
		if !cfg.recommended {
			continue
		}
		t.Run(cfg.name, func(t *testing.T) {
			t.Parallel()
			db := pgtest.Migrated(t)
			dir := testkit.CopyOf(t, fixtureCatalog)
			publishDir(t, db, dir)
			settings := proxied(t)
			n := startRoles(t, []string{API}, db, settings...)
			n.ready()
			c := cfg.start(t, cfg.file, n.public)
			from := context.WithValue(t.Context(), sourceAddress{}, "127.79.1.1")
			charged := func() float64 { return n.metric(`palmares_quota_charges_total{source="shared"}`) }
			cursor, tag := "", ""
			poll := func() (status, events int) {
				t.Helper()
				path := "/api/v1/changes?limit=50"
				if cursor != "" {
					path += "&since=" + cursor
				}
				req, err := http.NewRequestWithContext(from, http.MethodGet, c.url+path, http.NoBody)
				must(t, err)
				if tag != "" {
					req.Header.Set("If-None-Match", tag)
				}
				resp, err := remote.Do(req)
				must(t, err)
				defer resp.Body.Close()
				if resp.StatusCode == http.StatusNotModified {
					return resp.StatusCode, 0
				}
				var body struct {
					Data []json.RawMessage
					Next string
					More bool
				}
				if err := json.NewDecoder(resp.Body).Decode(&body); err != nil || resp.StatusCode != http.StatusOK || c.hit(resp.Header) {
					t.Fatalf("%s: %v %v %v", path, resp.Status, err, resp.Header)
				}
				cursor, tag = body.Next, resp.Header.Get("Etag")
				return resp.StatusCode, len(body.Data)
			}
			poll()
			before := charged()
			statuses := make(map[int]int)
			for hour := range hours {
				testkit.Edit(t, dir+"/tools/oeuvre.md", price(hour-1), price(hour))
				e := republish(t, db, dir)
				testkit.EventuallyTrue(t, "the node follows", func() bool { return n.b.follower.Current().Edition().Number == e })
				events := 0
				for range 60 {
					status, found := poll()
					statuses[status]++
					events += found
				}
				if events == 0 {
					t.Fatalf("nothing is told of hour %d", hour)
				}
			}
			testkit.Equal(t, "charges", charged()-before, float64(hours))
			t.Logf("%v answers, %v charged", statuses, charged()-before)
		})
	}
}

func price(hour int) string {
	if hour < 0 {
		return "199,90 €/an"
	}
	return fmt.Sprintf("%d,90 €/an", 200+hour)
}

func republish(t *testing.T, url, dir string) int64 {
	t.Helper()
	db, err := postgres.Open(t.Context(), url, postgres.Options{})
	must(t, err)
	defer db.Close()
	out, err := publish.Run(t.Context(), db.Catalog, dir, publish.Options{Now: time.Now})
	must(t, err)
	return out.Edition.Number
}
