package catalog_test

import (
	"testing"

	. "github.com/palmares-hq/palmares/internal/catalog"
)

// Every period that is known is one that a price may have, once, and has a name in English.
func TestPeriods(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, p := range Periods() {
		if _, ok := ParsePrice("1 €/" + p.Name); !ok || seen[p.Name] || p.English == "" || PeriodInEnglish(p.Name) != p.English {
			t.Errorf("%+v", p)
		}
		seen[p.Name] = true
	}
	if got := PeriodInEnglish("lune"); got != "" {
		t.Errorf("a period that nobody knows is %q in English", got)
	}
}
