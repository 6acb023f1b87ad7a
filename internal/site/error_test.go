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

// The page about a parameter names it, says what it accepts, and leads on with the others.
func TestRefusedParameters(t *testing.T) {
	t.Parallel()
	sitetest.Example(t).Check(t, []sitetest.Wanted{
		{Path: "/outils?sort=prix&category=code", Status: 400, Says: []string{
			"Le paramètre « sort » de l'adresse ne peut pas valoir « prix ».", "Il accepte :",
			`<a href="/outils?category=code&amp;sort=name_asc">name_asc</a>`,
			`<a class="btn" href="/outils?category=code">Retirer ce paramètre</a>`, `<a class="btn quiet" href="/">`,
		}, Silent: []string{"is not allowed", "n'existe pas"}},
		{Path: "/en/tools?score_min=lots", Status: 400, Says: []string{
			"The parameter “score_min” in this URL cannot be “lots”.", "such as 8 or 7.5", `<a class="btn" href="/en/tools">`,
		}},
		{Path: "/en/cemetery?reason=%3Cb%3E%22O", Status: 400, Says: []string{"“&lt;b&gt;", "?reason=mort"}},
		{Path: "/comparatifs?limit=300", Status: 400, Says: []string{"un nombre entier de 1 à 200"}},
		{Path: "/journal?page=0", Status: 400, Says: []string{"à partir de 1", `href="/journal">Retirer`}},
		{Path: "/outils?page=1&page=2", Status: 400, Says: []string{"donne le paramètre « page » plusieurs fois", `href="/outils">Retirer`}},
		{Path: "/outils?a=%zz", Status: 400, Says: []string{"mal codé", `href="/outils">Retirer`}},
		{Path: "/outils?sort=x&a=" + strings.Repeat("a", 600), Status: 400, Says: []string{`href="/outils">Retirer`}, Silent: []string{"aaaaaaa"}},
	})
}
