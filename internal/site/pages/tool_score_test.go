package pages_test

import (
	"testing"

	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/catalogtest"
	"github.com/palmares-hq/palmares/internal/sitetest"
)

// A tool's score stands among all scores, and a tool without one has no such section.
func TestTool_Score(t *testing.T) {
	t.Parallel()
	scored := func(slug string, hundredths int) any {
		return catalogtest.Tool(slug, func(t *catalog.Tool) { t.Score = catalog.Hundredths(hundredths) })
	}
	r := sitetest.New(t, catalogtest.Snapshot(scored("a", 910), scored("b", 850), scored("c", 320),
		catalogtest.Tool("d", func(t *catalog.Tool) { t.Score = catalog.Measure{} })))
	r.Check(t, []sitetest.Wanted{
		{Path: "/outils/a", Says: []string{"Aucun des 3 outils notés ne fait mieux.", ">ici, 9,1</text>"}, Silent: []string{"Au fil du temps"}},
		{Path: "/outils/b", Says: []string{"1 outil noté fait mieux, sur 3."}},
		{Path: "/en/tools/c", Says: []string{
			"2 scored tools do better, of 3.", ">here, 3.2</text>", `aria-label="All scores, from 3.2 to 9.1; this one is 3.2."`,
		}},
		{Path: "/outils/d", Silent: []string{`id="note"`}},
	})
}
