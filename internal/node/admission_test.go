package node

import (
	"fmt"
	"maps"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/pgtest"
	"github.com/palmares-hq/palmares/internal/testkit"
)

// from is a browser with the cookies of another, at an address.
func from(t *testing.T, b *testkit.Browser, address string) *testkit.Browser {
	t.Helper()
	other := testkit.NewBrowser(t, b.Base)
	other.Cookies, other.From = maps.Clone(b.Cookies), address
	return other
}

// While PostgreSQL is frozen, every request for an account page is answered: most wait for their deadline,
// those beyond what a node lets wait are told so, and whoever invented a cookie is sent to sign in. The API
// answers as ever. When PostgreSQL goes on, so do the pages.
func TestAdmission_FrozenDatabase(t *testing.T) {
	t.Parallel()
	const addresses, each = 20, 5
	server := pgtest.NewServer(t)
	publishDir(t, server.URL(), fixtureCatalog)
	n := startRoles(t, []string{API, Site}, server.URL(), "PALMARES_BASE_URL=http://localhost:8080", "PALMARES_TRUSTED_PROXIES=127.0.0.0/8")
	n.ready()
	n.metrics(map[string]float64{
		`palmares_account_refused_total\{why="node"\}`: 0, `palmares_account_refused_total\{why="client"\}`: 0,
		`palmares_account_refused_total\{why="outside"\}`: 0, "palmares_account_requests": 0, "palmares_account_requests_outside": 0,
	})
	s := openServices(t, server.URL())
	newKey(t, s, "ada@example.org", account.Developer)
	ada := n.signIn(s, "ada@example.org")
	thaw := server.FreezeAll()
	var waiting sync.WaitGroup
	var unavailable atomic.Int64
	for i := range addresses {
		for range each {
			b := from(t, ada, fmt.Sprintf("192.0.2.%d", i))
			waiting.Go(func() {
				a := b.Get("/compte/cles")
				if a.Status == http.StatusServiceUnavailable && a.Header.Get("Retry-After") != "" && strings.Contains(a.Body, "</html>") {
					unavailable.Add(1)
				}
			})
		}
		stranger := from(t, ada, fmt.Sprintf("192.0.2.%d", i))
		stranger.Cookies[sessionCookie] = strings.Repeat("A", 43)
		if a := stranger.Get("/compte/cles"); a.Status != http.StatusSeeOther {
			t.Errorf("an invented cookie: %v", a)
		}
		if a := n.get("/api/v1/stats", ""); !a.OK() {
			t.Errorf("the API beside frozen requests: %v", a)
		}
	}
	waiting.Wait()
	if got := unavailable.Load(); got != addresses*each {
		t.Errorf("%d of %d requests were told that account pages are not available", got, addresses*each)
	}
	n.metrics(map[string]float64{"palmares_account_requests": 0})
	thaw()
	testkit.EventuallyTrue(t, "account pages are back", func() bool { return ada.Get("/compte/cles").Says("ada@example.org") })
}
