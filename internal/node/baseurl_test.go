package node

import (
	"strings"
	"testing"

	"github.com/palmares-hq/palmares/internal/pgtest"
	"github.com/palmares-hq/palmares/internal/testkit"
)

// Without PALMARES_BASE_URL a node that only this machine can reach calls itself what it listens on;
// others know nothing of their address. Both say so at each start.
func TestNode_WithoutBaseURL(t *testing.T) {
	t.Parallel()
	db := pgtest.Migrated(t)
	publishDir(t, db, fixtureCatalog)
	for name, c := range map[string]struct {
		settings []string
		own      bool // it calls itself what it listens on
		warns    bool
	}{
		"loopback":      {nil, true, true},
		"every address": {[]string{"PALMARES_LISTEN=:0"}, false, true},
		"a proxy":       {[]string{"PALMARES_TRUSTED_PROXIES=127.0.0.1"}, false, true},
		"set":           {[]string{"PALMARES_BASE_URL=https://banc.test"}, false, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			n := startRoles(t, []string{API, Site}, db, c.settings...)
			n.ready()
			public := strings.Replace(n.public, "[::]", "127.0.0.1", 1)
			link := testkit.Get(t, public+"/api/v1/tools?limit=1").Header.Get("Link")
			page := testkit.Get(t, public+"/docs/demarrage.md")
			if strings.Contains(link, "<"+public+"/api") != c.own || page.Says("curl -s "+public+"/api") != c.own {
				t.Errorf("Link is %s, and the guide: %v", link, page)
			}
			if page := testkit.Get(t, public+"/compte/connexion"); page.Says("PALMARES_BASE_URL") == (c.own || !c.warns) {
				t.Errorf("signing in: %v", page)
			}
			if warned := strings.Count(n.log.String(), "PALMARES_BASE_URL is not set"); warned != map[bool]int{true: 1}[c.warns] {
				t.Errorf("%d warnings", warned)
			}
		})
	}
}
