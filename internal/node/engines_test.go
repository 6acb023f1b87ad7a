package node

import (
	"strings"
	"testing"

	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/pgtest"
	"github.com/palmares-hq/palmares/internal/redistest"
	"github.com/palmares-hq/palmares/internal/testkit"
)

// A frozen engine says nothing of itself. A node that nobody asks for anything says on /readyz which one it is, stays ready all the
// time, and says no more of it once it goes on. What is known of a frozen Redis holds for account pages: none waits for it.
func TestEngines_Freeze(t *testing.T) {
	t.Parallel()
	pg, redis := pgtest.NewServer(t), redistest.NewServer(t)
	publishDir(t, pg.URL(), fixtureCatalog)
	n := startRoles(t, []string{API, Site}, pg.URL(), "PALMARES_REDIS_URL="+redis.URL(), "PALMARES_QUOTA_WAIT=500ms",
		"PALMARES_BASE_URL=http://localhost:8080")
	n.ready()
	s := openServices(t, pg.URL())
	newKey(t, s, "ada@example.org", account.Developer)
	ada := n.signIn(s, "ada@example.org")
	says := func(what string, said func(body string) bool) {
		t.Helper()
		testkit.EventuallyTrue(t, what, func() bool {
			a := testkit.Get(t, n.admin+"/readyz")
			if !a.OK() {
				t.Errorf("%s: a frozen engine makes the node unready: %v", what, a)
			}
			return said(a.Body)
		})
		if a := n.get("/api/v1/stats", ""); !a.OK() {
			t.Errorf("%s: %v", what, a)
		}
	}
	ready := func(body string) bool { return body == "ready" }
	names := func(engine, other string) func(string) bool {
		return func(body string) bool {
			return strings.HasPrefix(body, "ready, but "+engine+" does not answer") && !strings.Contains(body, other)
		}
	}
	says("before", ready)

	thaw := pg.FreezeAll()
	says("PostgreSQL is frozen", names("PostgreSQL", "Redis"))
	thaw()
	says("PostgreSQL goes on", ready)

	thaw = redis.Freeze()
	defer thaw() // a frozen process cannot be ended
	says("Redis is frozen", names("Redis", "PostgreSQL"))
	paths := []string{"/compte/utilisation", "/compte/cles", "/compte/utilisation", "/compte/cles"}
	for _, path := range paths {
		if a := ada.Get(path); !a.OK() || !a.Says("ada@example.org") {
			t.Errorf("%s beside a frozen Redis: %v", path, a)
		}
	}
	// A page that had asked Redis would say that it waited in vain.
	testkit.EventuallyTrue(t, "pages know without asking that Redis does not answer", func() bool {
		return strings.Count(n.log.String(), `"error":"the shared counter does not answer"`) == len(paths)
	})
	thaw()
	says("Redis goes on", ready)
}

// The page that tells an operator is not later than it promises.
func TestEngines_AreAskedInTime(t *testing.T) {
	t.Parallel()
	const promised = 5
	if late := engineEvery + engineWait; late.Seconds() >= promised {
		t.Errorf("a frozen PostgreSQL is named after %v, want within %d s", late, promised)
	}
}
