package node

import (
	"html"
	"strings"
	"testing"

	"github.com/palmares-hq/palmares/internal/pgtest"
	"github.com/palmares-hq/palmares/internal/testkit"
)

// Where nobody can sign up, errors of the API say so too, and the reference shows them as they are sent.
func TestNode_ClosedSignUp(t *testing.T) {
	t.Parallel()
	db := pgtest.Migrated(t)
	publishDir(t, db, fixtureCatalog)
	n := startRoles(t, []string{API, Site}, db, "PALMARES_SIGNUP=closed", "PALMARES_SMTP_URL=smtp://"+testkit.FreeAddress(t), "PALMARES_MAIL_FROM=a@example.org")
	n.ready()
	noKey := n.get("/api/embeddings", "")
	var over testkit.Response
	for over.Status != 429 {
		over = n.get("/api/v1/stats", "")
	}
	reference := html.UnescapeString(n.get("/en/docs/api/list-embeddings", "").Body)
	for _, a := range []testkit.Response{noKey, over} {
		_, text, _ := strings.Cut(a.Body, `"error":`)
		text, _, _ = strings.Cut(text, `,"code":`)
		if !strings.Contains(text, "sign-up is closed, and the operator creates accounts; "+n.public+"/en/docs/authentication says how to get one") ||
			strings.Contains(text, "free") || !strings.Contains(reference, strings.Trim(text, `"`)) {
			t.Errorf("%d: %s", a.Status, text)
		}
	}
	if page := n.get("/compte/connexion", ""); !page.Says("Les inscriptions sont fermées") || page.Says("il est créé à la première connexion") {
		t.Errorf("signing in: %v", page)
	}
}
