package node

import (
	"net/http"
	"strings"
	"testing"

	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/address"
	"github.com/palmares-hq/palmares/internal/pgtest"
	"github.com/palmares-hq/palmares/internal/services"
	"github.com/palmares-hq/palmares/internal/testkit"
)

// signIn signs an account in, by a link of the operator.
func (r *running) signIn(s *services.Services, email string) *testkit.Browser {
	r.t.Helper()
	token, err := s.SignIns.Link(r.t.Context(), account.Operator(), email)
	must(r.t, err)
	b := testkit.NewBrowser(r.t, r.public)
	b.Get("/compte/connexion/lien?jeton=" + token)
	if a := b.Submit("/compte/connexion/lien", "enter", map[string]string{"link": token}); a.Status != http.StatusSeeOther || b.Cookies[sessionCookie] == "" {
		r.t.Fatalf("signing in: %v", a)
	}
	return b
}

const sessionCookie = "__Host-session"

// While PostgreSQL is down, account pages say so, in each language, and come back by themselves.
// Public pages and the API do not notice.
func TestPortal_DatabaseGoesAndComesBack(t *testing.T) {
	t.Parallel()
	server := pgtest.NewServer(t)
	publishDir(t, server.URL(), fixtureCatalog)
	n := startRoles(t, []string{API, Site, Worker}, server.URL(), "PALMARES_BASE_URL=http://localhost:8080")
	n.ready()
	s := openServices(t, server.URL())
	key, _ := newKey(t, s, "ada@example.org", account.Pro)
	b := n.signIn(s, "ada@example.org")
	testkit.EventuallyTrue(t, "the key is known", func() bool { return n.get("/api/v1/tools/ame", key).OK() })
	public := map[string]string{"/": "", "/en/": key, "/outils/ame": "", "/api/v1/tools/ame": key, "/api/v1/tools": "", "/api/embeddings/ame": key}
	before := make(map[string]testkit.Response)
	for path, key := range public {
		if before[path] = n.get(path, key); !before[path].OK() {
			t.Fatalf("%s: %v", path, before[path])
		}
	}
	if a := b.Get("/compte/cles"); !a.Says("ada@example.org") {
		t.Fatalf("before the outage: %v", a)
	}

	server.Stop()
	for path, sentence := range map[string]string{
		"/compte/cles": "Notre base de données ne répond pas.", "/compte/webhooks": "Notre base de données ne répond pas.",
		"/en/account/keys": "Our database is not responding.", "/en/account/webhooks": "Our database is not responding.",
	} {
		a := b.Get(path)
		if a.Status != http.StatusServiceUnavailable || !strings.Contains(a.Body, sentence) || a.Header.Get("Retry-After") == "" ||
			a.Header.Get("Cache-Control") != "no-store" || b.Cookies[sessionCookie] == "" {
			t.Errorf("%s without PostgreSQL: %v %v", path, a, a.Header)
		}
	}
	stranger := testkit.NewBrowser(t, n.public)
	stranger.Get("/compte/connexion")
	if a := b.Submit("/compte/cles", "create", map[string]string{"name": "x"}); a.Status != http.StatusServiceUnavailable {
		t.Errorf("a form without PostgreSQL: %v", a)
	}
	for path, key := range public {
		if a := n.get(path, key); !a.OK() || a.Body != before[path].Body {
			t.Errorf("%s without PostgreSQL: %v", path, a)
		}
	}
	n.readyz(http.StatusOK, "")

	server.Start()
	testkit.EventuallyTrue(t, "account pages are back", func() bool { return b.Get("/compte/cles").Says("ada@example.org") })
}

// Account pages are the site's: a node of the role api alone has none of them, and the API knows
// nothing of sessions.
func TestPortal_BelongsToTheSite(t *testing.T) {
	t.Parallel()
	db := pgtest.Migrated(t)
	publishDir(t, db, fixtureCatalog)
	base := "PALMARES_BASE_URL=http://localhost:8080"
	api, site, both := startRoles(t, []string{API}, db, base), startRoles(t, []string{Site}, db, base), startRoles(t, []string{API, Site}, db, base)
	for _, n := range []*running{api, site, both} {
		n.ready()
	}
	s := openServices(t, db)
	newKey(t, s, "ada@example.org", account.Pro)
	b := both.signIn(s, "ada@example.org")
	for _, p := range []address.Page{
		address.Account, address.SignIn, address.SignInLink, address.Usage, address.Keys, address.Webhooks, address.Plan, address.Settings,
	} {
		for _, path := range []string{p.French, p.English} {
			b.Base = api.public
			if a := b.Get(path); a.Status != http.StatusNotFound || !strings.HasPrefix(a.Header.Get("Content-Type"), "application/json") || len(a.Header["Set-Cookie"]) > 0 {
				t.Errorf("%s on a node of the role api: %v", path, a)
			}
			if a := b.Submit(path, "sign-out", nil); a.Status != http.StatusNotFound && a.Status != http.StatusMethodNotAllowed {
				t.Errorf("POST %s on a node of the role api: %v", path, a)
			}
			b.Base = site.public
			if a := b.Get(path); a.Status != http.StatusOK && a.Status != http.StatusSeeOther {
				t.Errorf("%s on a node of the role site: %v", path, a)
			}
		}
	}
	b.Base = both.public
	for path, status := range map[string]int{"/api/embeddings/ame": http.StatusUnauthorized, "/api/v1/tools": http.StatusOK} {
		with, without := b.Get(path), both.get(path, "")
		if with.Status != status || with.Body != without.Body || with.Header.Get("X-RateLimit-Tier") != without.Header.Get("X-RateLimit-Tier") {
			t.Errorf("%s with a session: %v, without: %v", path, with, without)
		}
		if len(with.Header["Set-Cookie"]) > 0 || strings.Contains(with.Header.Get("Vary"), "Cookie") {
			t.Errorf("%s has to do with cookies: %v", path, with.Header)
		}
	}
	if a := b.Get("/compte/cles"); !a.OK() {
		t.Errorf("the session is gone: %v", a)
	}
}
