package catalog_test

import (
	"fmt"
	"slices"
	"testing"

	. "github.com/palmares-hq/palmares/internal/catalog"
	build "github.com/palmares-hq/palmares/internal/catalogtest"
	"github.com/palmares-hq/palmares/internal/testkit"
)

// French order ignores case. The names of one line are told apart by nothing but the slug, which
// rises in both directions.
func TestNameOrders_AreFrenchAndEndOnTheSlug(t *testing.T) {
	t.Parallel()
	var items []any
	var asc, desc []string
	for _, names := range [][]string{
		{"_x"},
		{"10x"},
		{"3D Now"},
		{"a b"},
		{"a-b"},
		{"ab"},
		{"Ænima"},
		{"aeroport"},
		{"Ame", "ame", "AME"},
		{"âme", "Âme", "a\u0302me"},
		{"ami"},
		{"ça", "Ça"},
		{"cb"},
		{"cote"},
		{"coté"},
		{"côte"},
		{"côté", "CÔTÉ"},
		{"écl"},
		{"Eclair", "eclair"},
		{"Éclair", "éclair", "ÉCLAIR", "e\u0301clair"},
		{"eclipse"},
		{"L'Atelier"},
		{"La"},
		{"Latelier"},
		{"naive"},
		{"naïve"},
		{"œil"},
		{"Oeuf"},
		{"oeuvre", "OEuvre"},
		{"œuvre", "Œuvre"},
		{"of"},
		{"Outil 10"},
		{"Outil 2"},
		{"zèbre"},
		{"Zed"},
	} {
		var equal []string
		for _, name := range names {
			slug := fmt.Sprintf("s-%03d", 500-len(items)) // falls as names rise
			items = append(items, build.Tool(slug, build.Named(name)))
			equal = append(equal, slug)
		}
		slices.Sort(equal)
		asc = append(asc, equal...)
		desc = append(equal, desc...)
	}
	s := build.Snapshot(items...)
	testkit.Equal(t, "name_asc", toolSlugs(s.Tools(ToolQuery{Paging: all, Order: NameAsc}).Items), asc)
	testkit.Equal(t, "name_desc", toolSlugs(s.Tools(ToolQuery{Paging: all, Order: NameDesc}).Items), desc)
}
