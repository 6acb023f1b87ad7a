package catalogtest_test

import (
	"testing"

	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/catalogtest"
	"github.com/palmares-hq/palmares/internal/testkit"
)

// A world that repeated nothing from its seed, or an edit that reached the snapshot before it, would
// make every test that stands on them worthless.
func TestWorld_FollowsFromItsSeed(t *testing.T) {
	t.Parallel()
	a, b := catalogtest.NewWorld(1, 20), catalogtest.NewWorld(1, 20)
	a.Change(200)
	b.Change(200)
	testkit.Equal(t, "two worlds of one seed", a.Contents(), b.Contents())
}

func TestAmend_LeavesTheSnapshotBeforeAsItWas(t *testing.T) {
	t.Parallel()
	s := catalogtest.Fixture(t)
	before := catalogtest.Recorded(s)
	next := catalogtest.Amend(s, func(c *catalog.Contents) {
		catalogtest.Find(c, "eclair").Price = "1 €/mois"
		c.Categories[0].Label = "Autre"
		catalogtest.Retire(c, "zebre")
	})
	catalogtest.WantAnswers(t, "the snapshot before", before, s)
	testkit.Equal(t, "the number of the next edition", next.Edition().Number, int64(2))
	tool, _ := next.Tool("eclair")
	testkit.Equal(t, "the price", tool.Price, "1 €/mois")
}
