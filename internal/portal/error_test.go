package portal_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/testkit"
)

// An error of ours is called that: the database that refused a question did answer. One that cannot be
// reached is a 503 that tells when to come back.
func TestErrors_AreOursOrTheDatabases(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.account("owner@example.org", account.Developer)
	b := w.signedIn("owner@example.org")
	_, err := w.pool.Exec(t.Context(), `ALTER TABLE keys RENAME COLUMN name TO names`)
	testkit.Must(t, err)
	for path, says := range map[string]string{"/compte/cles": "L’erreur est de notre côté", "/en/account/keys": "Something broke on our side"} {
		p := b.get(path)
		if p.Status != http.StatusInternalServerError || !strings.Contains(p.Body, says) || p.Header.Get("Retry-After") != "" {
			t.Errorf("%s: %d, Retry-After %q:\n%s", path, p.Status, p.Header.Get("Retry-After"), p.Body)
		}
		if strings.Contains(p.Body, "base de données") || strings.Contains(p.Body, "database") || strings.Contains(p.Body, "column") {
			t.Errorf("%s blames the database, or tells too much:\n%s", path, p.Body)
		}
	}
	w.db.Close() // as a lost connection
	for path, says := range map[string]string{"/compte/cles": "Notre base de données ne répond pas.", "/en/account/keys": "Our database is not responding."} {
		p := b.get(path)
		if p.Status != http.StatusServiceUnavailable || !strings.Contains(p.Body, says) || p.Header.Get("Retry-After") == "" {
			t.Errorf("%s: %d, Retry-After %q:\n%s", path, p.Status, p.Header.Get("Retry-After"), p.Body)
		}
	}
}
