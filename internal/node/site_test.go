package node

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/palmares-hq/palmares/internal/pgtest"
	"github.com/palmares-hq/palmares/internal/testkit"
)

// A catalog that leads elsewhere than to the node is a warning once, not with every edition.
func TestSite_WarnsOfOtherAddresses(t *testing.T) {
	t.Parallel()
	db, dir := pgtest.Migrated(t), testkit.CopyOf(t, fixtureCatalog)
	publishDir(t, db, dir)
	n := startRoles(t, []string{Site}, db, "PALMARES_BASE_URL=https://palmares.example")
	n.ready()
	const warning = "catalog.yaml leads elsewhere"
	if log := n.log.String(); strings.Contains(log, warning) {
		t.Errorf("the node warns of its own addresses: %s", log)
	}
	edit := func(file, before, after string, edition float64) {
		t.Helper()
		testkit.Edit(t, filepath.Join(dir, file), before, after)
		publishDir(t, db, dir)
		n.metrics(map[string]float64{"palmares_edition": edition})
	}
	edit("catalog.yaml", "https://palmares.example/avis/", "https://autre.example/avis/", 2)
	edit("tools/ame.md", "5 €/mois", "6 €/mois", 3)
	if log := n.log.String(); strings.Count(log, warning) != 1 || !strings.Contains(log, "site.review is https://autre.example/avis/{slug}") {
		t.Errorf("the node does not warn once: %s", log)
	}
	if a := n.get("/robots.txt", ""); !a.Says("https://palmares.example/sitemap.xml") {
		t.Errorf("robots.txt: %v", a)
	}
}
