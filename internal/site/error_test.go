package site_test

import (
	"strings"
	"testing"

	"github.com/palmares-hq/palmares/internal/catalogtest"
	"github.com/palmares-hq/palmares/internal/sitetest"
	"github.com/palmares-hq/palmares/internal/testkit"
)

// A page that does not exist names what its address may have meant.
func TestNearNames(t *testing.T) {
	t.Parallel()
	r := sitetest.New(t, catalogtest.Snapshot(
		catalogtest.Tool("tournevis", catalogtest.Named("Tournevis <i>")),
		catalogtest.Tool("rabotine"), catalogtest.Retired("lanterne"),
	))
	for slug, want := range map[string]string{
		"tournevi": "tournevis", "tournevix": "tournevis", "tourneviss": "tournevis",
		"oturnevis": "tournevis", "tournevis-pro-2": "tournevis", "lanternes": "lanterne", "rabot": "",
		strings.Repeat("a", 80): "",
	} {
		for _, prefix := range []string{"/outils/", "/en/tools/"} {
			got := r.Get(prefix + slug)
			testkit.Equal(t, slug, got.Status, 404)
			link := `<li><a href="` + prefix + want + `">`
			if strings.Contains(got.Body, link) != (want != "") {
				t.Errorf("%s%s: the page does not name %q alone:\n%s", prefix, slug, want, got.Body)
			}
		}
	}
	if strings.Contains(r.Get("/outils/tournevi").Body, "<i>") {
		t.Error("a name is markup")
	}
}
