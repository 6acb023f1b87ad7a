package catalog

import (
	"bytes"
	"fmt"
	"slices"
	"testing"
)

// Names in order; those of one group are told apart by nothing but the slug.
func frenchOrder() [][]string {
	return [][]string{
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
	}
}

func TestNames_FrenchCollationCaseIgnored(t *testing.T) {
	t.Parallel()
	s := newSorter()
	var before []byte
	for _, group := range frenchOrder() {
		first := s.key(group[0])
		if bytes.Compare(before, first) >= 0 {
			t.Errorf("%q does not come after the name before it", group[0])
		}
		for _, name := range group[1:] {
			if !bytes.Equal(first, s.key(name)) {
				t.Errorf("%q and %q are told apart", group[0], name)
			}
		}
		before = first
	}
}

func TestNameOrders_EndOnSlugInBothDirections(t *testing.T) {
	t.Parallel()
	var items []any
	var asc, desc []string
	n := 0
	for _, group := range frenchOrder() {
		var same []string
		for _, name := range group {
			// Slugs fall as names rise, so that the slug alone gives another order.
			n++
			slug := fmt.Sprintf("s-%03d", 500-n)
			items = append(items, tool(slug, named(name)))
			same = append(same, slug)
		}
		slices.Sort(same)
		asc = append(asc, same...)
		desc = append(slices.Clone(same), desc...)
	}
	s := snapshotOf(items...)
	equal(t, "name_asc", slugs(t, s.Tools(ToolQuery{Paging: all(200), Order: NameAsc})), asc)
	equal(t, "name_desc", slugs(t, s.Tools(ToolQuery{Paging: all(200), Order: NameDesc})), desc)
	equal(t, "prices", slugs(t, s.Prices(PriceQuery{Paging: all(200)})), asc)
}

func TestSorter_KeysDoNotShareABuffer(t *testing.T) {
	t.Parallel()
	s := newSorter()
	first := s.key("Échafaude")
	kept := bytes.Clone(first)
	s.key("zzzzzzzzzzzzzzzzzzzzzzz")
	if !bytes.Equal(first, kept) {
		t.Error("a later key overwrites an earlier one")
	}
}
