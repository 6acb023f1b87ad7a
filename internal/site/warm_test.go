package site_test

import (
	"testing"

	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/catalogtest"
	"github.com/palmares-hq/palmares/internal/sitetest"
	"github.com/palmares-hq/palmares/internal/testkit"
)

// Pages that readers asked for more than once are made before the next edition is served, and as long
// as somebody asks for them.
func TestPopularPagesAreReadyWithAnEdition(t *testing.T) {
	t.Parallel()
	first := catalogtest.Fixture(t)
	r := sitetest.New(t, first)
	publish := func() {
		r.Swap(catalogtest.Amend(first, func(c *catalog.Contents) { c.Service.Name += "." }))
	}
	ready := func(want int) {
		t.Helper()
		_, pages := r.CacheStats()
		testkit.Equal(t, "pages that are ready", pages, want)
	}
	for _, path := range []string{"/outils", "/outils", "/en/prices", "/en/prices", "/journal"} {
		r.Get(path)
	}
	ready(3)
	publish()
	ready(2)
	r.Get("/outils")
	publish()
	ready(1)
}
