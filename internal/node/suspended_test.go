package node

import (
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/pgtest"
	"github.com/palmares-hq/palmares/internal/testkit"
)

// After a downgrade three of five keys work on running nodes, and the others are told why not. An
// upgrade wakes them. A node that starts from its disk copy, without the database, says the same.
func TestAccess_KeysThatSleep(t *testing.T) {
	t.Parallel()
	server := pgtest.NewServer(t)
	server.Open()
	db := server.URL()
	publishDir(t, db, fixtureCatalog)
	s := openServices(t, db)
	settings := []string{
		"PALMARES_BASE_URL=https://banc.test", "PALMARES_SNAPSHOT_FILE=" + filepath.Join(t.TempDir(), "catalog.snapshot"),
	}
	copying := start(t, db, settings...)
	nodes := []*running{copying, start(t, db, settings[0])}
	first, _ := newKey(t, s, "ada@example.org", account.Pro)
	keys := []string{first}
	a, err := s.Accounts.Find(t.Context(), account.Operator(), "ada@example.org")
	must(t, err)
	for range 4 {
		key, _, err := s.Accounts.CreateKey(t.Context(), account.Operator(), a.ID, "k")
		must(t, err)
		keys = append(keys, key.Reveal())
	}
	for _, n := range nodes {
		n.ready()
	}
	const asleep = "this API key is dormant: the account's plan allows 3 keys; " +
		"choose the active ones at https://banc.test/compte/offre, or upgrade"
	// awake waits until these keys work, and the others sleep.
	awake := func(when, works string, nodes ...*running) {
		t.Helper()
		for _, n := range nodes {
			for i, key := range keys {
				wakes := strings.ContainsRune(works, rune('0'+i))
				testkit.Eventually(t, func() error {
					r, err := testkit.Fetch(n.public+"/api/v1/openapi.json", testkit.Bearer(key)) // it is free
					if err != nil || wakes && r.OK() || !wakes && r.Status == http.StatusUnauthorized && strings.Contains(r.Body, asleep) {
						return err
					}
					return fmt.Errorf("%s: key %d: %v", when, i, r)
				})
			}
		}
	}
	setPlan := func(plan account.Plan) {
		t.Helper()
		must(t, s.Accounts.SetPlan(t.Context(), account.Operator(), a.ID, plan))
	}
	list, err := s.Accounts.Keys(t.Context(), account.Operator(), a.ID)
	must(t, err)
	keep := func(chosen ...int) {
		t.Helper()
		var ids []string
		for _, i := range chosen {
			ids = append(ids, list[i].ID)
		}
		must(t, s.Accounts.PinKeys(t.Context(), account.ByAccount(a.ID), a.ID, ids))
	}
	keep(2, 3, 4)
	awake("on Pro", "01234", nodes...)
	setPlan(account.Developer)
	awake("after a downgrade", "234", nodes...)
	keep(0, 3, 4)
	awake("another was chosen", "034", nodes...)
	setPlan(account.Pro)
	awake("after an upgrade", "01234", nodes...)
	setPlan(account.Developer)
	awake("after another downgrade", "034", nodes...)

	s.Close()
	copying.stop() // and writes its copy
	server.Stop()
	again := start(t, db, settings...)
	again.ready()
	awake("from the disk copy", "034", again)
}
