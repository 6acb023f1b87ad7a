package locale_test

import (
	"slices"
	"testing"

	"github.com/palmares-hq/palmares/internal/locale"
	"github.com/palmares-hq/palmares/internal/testkit"
)

// Every country is listed once in each language, in the order in which a reader looks for it.
func TestCountries(t *testing.T) {
	t.Parallel()
	for l, around := range map[locale.Language][]string{
		locale.French:  {"Équateur", "Érythrée", "Espagne", "Estonie", "Eswatini", "États-Unis", "Éthiopie", "Fidji"},
		locale.English: {"Afghanistan", "Åland Islands", "Albania"},
	} {
		var codes, names []string
		for _, c := range l.Countries() {
			codes, names = append(codes, c.Code), append(names, c.Name)
			testkit.Equal(t, c.Code, l.Country(c.Code), c.Name)
			if !locale.IsCountry(c.Code) || len(c.Code) != 2 {
				t.Errorf("%q is the code of none", c.Code)
			}
		}
		slices.Sort(codes)
		testkit.Equal(t, "different codes", len(slices.Compact(codes)), 249)
		at := slices.Index(names, around[0])
		testkit.Equal(t, "names in order", names[at:at+len(around)], around)
		slices.Sort(names)
		testkit.Equal(t, "different names", len(slices.Compact(names)), 249)
	}
	testkit.Equal(t, "the code of none", locale.French.Country("ZZ"), "ZZ")
	testkit.Equal(t, "one of none", locale.IsCountry("ZZ"), false)
}
