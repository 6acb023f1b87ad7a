package about_test

import (
	"testing"
	"time"

	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/catalogtest"
	"github.com/palmares-hq/palmares/internal/site"
	"github.com/palmares-hq/palmares/internal/sitetest"
)

// Two pages say how much of the catalog was checked, by the day that is today.
func TestFreshness(t *testing.T) {
	t.Parallel()
	var parts []any
	for i, checked := range []catalog.Date{"", "2025-01-01", "2025-12-02", "2026-01-31", "2026-01-31"} { // the day is 2026-03-02
		parts = append(parts, catalogtest.Tool(string(rune('a'+i)), func(t *catalog.Tool) {
			if checked != "" {
				t.Facts.Price = catalog.Fact{Source: "https://source.example/", Checked: checked}
			}
		}))
	}
	all := catalogtest.Snapshot(parts...)
	r := sitetest.New(t, all)
	cell := func(label, value string) string { return `data-l="` + label + `">` + value + "</td>" }
	prices := `<th scope="row">Prix</th>` + `<td class="n" ` + cell("Valeurs", "5") + `<td class="n" ` + cell("Avec une source", "80\u00a0%") +
		`<td class="n" ` + cell("Vérifiées dans les 30\u00a0derniers jours", "40\u00a0%") + `<td class="n" ` + cell("Dans les 90\u00a0derniers jours", "60\u00a0%") +
		`<td class="n" ` + cell("Âge médian", "90\u00a0jours") + `<td class="n" ` + cell("La plus ancienne", "1er\u00a0janvier 2025")
	for _, path := range []string{"/statut", "/comment-nous-testons"} {
		got := r.Get(path)
		for _, text := range []string{prices, `<th scope="row">Notes</th>`, "<b>GET</b> /api/v1/facts"} {
			if !got.Says(text) {
				t.Errorf("%s does not say %q", path, text)
			}
		}
		if got.Says("Dates de retrait") {
			t.Errorf("%s counts what there is none of", path)
		}
	}
	later := sitetest.New(t, all, func(o *site.Options) {
		o.Now = func() time.Time { return all.Edition().PublishedAt.Add(24 * time.Hour) }
	})
	if got := later.Get("/statut"); !got.Says(cell("Dans les 90\u00a0derniers jours", "40\u00a0%")) {
		t.Error("a day later, the check that was 90 days old still counts")
	}
	r.Swap(catalogtest.Snapshot(catalogtest.Tool("a")))
	for path, text := range map[string]string{
		"/statut": "Aucune valeur du catalogue n’a encore de source.", "/en/how-we-test": "No value in the catalogue has a source yet.",
	} {
		if !r.Get(path).Says(text) {
			t.Errorf("%s does not say %q", path, text)
		}
	}
}
