package pages_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/catalogtest"
	"github.com/palmares-hq/palmares/internal/sitetest"
	"github.com/palmares-hq/palmares/internal/testkit"
)

func compared() *catalog.Snapshot {
	return catalogtest.First(catalogtest.Contents(
		catalogtest.Tool("rabot", catalogtest.Named("Rabot"), catalogtest.Scored(810), catalogtest.Priced(catalog.Paid, "120 €/an")),
		catalogtest.Tool("lime", catalogtest.Named("Lime"), catalogtest.Scored(640), func(t *catalog.Tool) {
			t.Ending, t.Formerly = catalog.Ending{At: "2127-03-31", Successor: "rabot"}, []string{"lime-plate"}
		}),
		catalogtest.Tool("scie", catalogtest.Named("Scie & <fils>"), catalogtest.In("image"), catalogtest.Unscored),
		catalogtest.Tool("gouge", catalogtest.Named("Gouge")), catalogtest.Tool("gouge-2", catalogtest.Named("Gouge")),
		catalogtest.Retired("etau", func(r *catalog.Retired) { r.Name, r.Successor = "Étau", "rabot" }),
		catalogtest.Retired("feu"), catalogtest.Comparison("lime-ou-rabot", "lime", "rabot", func(c *catalog.Comparison) {
			c.Title, c.Winner, c.Note = "Lime ou Rabot ?", "rabot", "Le rabot va plus vite."
		}),
	), catalogtest.Edition(1))
}

// The page shows up to four tools with what sets them apart, the editors' verdict before it, and fields for more; the only
// address of a list has its slugs of today in order.
func TestCompare(t *testing.T) {
	t.Parallel()
	r := sitetest.New(t, compared())
	r.Check(t, []sitetest.Wanted{
		{Path: "/comparer", Says: []string{"Premier outil", "Deuxième outil", `name="q"`, "Lime ou Rabot ?", `name="robots" content="noindex`}, Silent: []string{"Ajouter un outil", "Côte à côte"}},
		{
			Path: "/comparer?outils=rabot", Says: []string{
				"Rabot", `type="hidden" name="outils" value="rabot"`, "Les plus proches", `href="/comparer?outils=gouge,rabot" rel="nofollow"`, `href="/comparer" rel="nofollow">Enlever`,
			}, Silent: []string{"Premier outil", "<table class=\"beside-each"},
		},
		{Path: "/comparer?outils=etau", Says: []string{"Mort le 1", "À la place : <a href=\"/outils/rabot\">Rabot</a>", "Que prendre à la place"}},
		{
			Path: "/comparer?outils=lime,rabot", Says: []string{
				"Le verdict de la rédaction", `href="/comparatifs/lime-ou-rabot"`, "Le rabot va plus vite.", "/api/v1/compare?items=lime,rabot", "soit 10 € par mois",
				`<b class="mark">8,1</b><span class="vh"> (le mieux placé)</span>`, "Pour le reste, ils se valent : formule, public, catégorie.",
				"S'arrêtera le 31 mars 2127", "Ajouter un outil", `rel="canonical" href="https://palmares.example/comparatifs/lime-ou-rabot"`, `href="/en/compare?tools=lime,rabot"`,
			}, Silent: []string{"Comparés par la rédaction", "Freemium"},
		},
		{
			Path: "/en/compare?tools=etau,rabot,scie", Says: []string{
				"Side by side", "Scie &amp; &lt;fils&gt;", "Not scored yet", "Dead on 1 June 2025", "not applicable", "€10 a month",
				`rel="canonical" href="https://palmares.example/en/compare?tools=etau,rabot,scie"`, `href="/comparer?outils=etau,rabot,scie"`,
			}, Silent: []string{"The editors’ verdict", "(ahead)</span><b"},
		},
		{
			Path: "/comparer?outils=etau,gouge,rabot,scie", Says: []string{"enlevez-en un pour en ajouter un autre"}, Silent: []string{"Ajouter un outil", "<form method=\"get\" action=\"/comparer\""},
		},
		{Path: "/comparer?outils=etau,gouge,rabot,scie&q=Lime", Says: []string{"enlevez-en un pour ajouter Lime."}},
		{Path: "/comparer?outils=gouge,gouge-2", Says: []string{"Côte à côte"}, Silent: []string{"le mieux placé"}}, // as good as each other
		{Path: "/comparer?outils=etau,feu", Says: []string{"Côte à côte", "Catégorie", "Étau", "Feu feu"}, Silent: []string{"De deux à quatre outils", "sans objet"}},
		{Path: "/comparer?outils=jamais,rabot", Says: []string{"Aucun outil n'a l'identifiant « jamais ».", `value="rabot"`}, Silent: []string{"Côte à côte"}},
		{Path: "/comparer?outils=rabot&q=Gouge", Says: []string{"Quel outil est « Gouge » ?", `href="/comparer?outils=gouge,rabot"`, `href="/comparer?outils=gouge-2,rabot"`}},
		{Path: "/comparer?q=rab&q=goug", Says: []string{`href="/comparer?outils=rabot&amp;q=goug"`, `href="/comparer?outils=gouge&amp;q=rab"`, `value="rab"`, `value="goug"`, `href="/comparer?outils=gouge,rabot"`, "Comparer Rabot et Gouge<"}},
		{Path: "/comparer?outils=rabot&q=goug", Silent: []string{"Comparer Rabot et"}},
		{Path: "/comparer?outils=rabot&q=xyzxyz", Says: []string{"Rien dans le catalogue ne correspond à « xyzxyz »."}},
		{Path: "/comparer?outils=a,b,c,d,e", Status: 400, Says: []string{"On compare quatre outils au plus"}},
		{Path: "/outils/rabot", Says: []string{`href="/comparer?outils=rabot" rel="nofollow">Comparer`}},
		{Path: "/en/tools/etau", Says: []string{`href="/en/compare?tools=etau" rel="nofollow">Compare`}},
		{Path: "/comparatifs/lime-ou-rabot", Says: []string{`href="/comparer?outils=lime,rabot" rel="nofollow">Ajouter un outil`}},
		{Path: "/alternatives/rabot", Says: []string{`href="/comparer?outils=gouge,rabot" rel="nofollow"`}, Silent: []string{`href="/comparer?outils=lime,rabot"`}},
		{Path: "/", Says: []string{`href="/comparer" rel="nofollow"`}},
	})
	for from, to := range map[string]string{
		"/comparer?outils=rabot,gouge":                     "308 /comparer?outils=gouge,rabot",
		"/comparer?outils=rabot&outils=gouge&q=x":          "308 /comparer?outils=gouge,rabot&q=x",
		"/en/compare?tools=rabot%2Clime-plate":             "308 /en/compare?tools=lime,rabot",
		"/comparer?outils=lime-plate":                      "308 /comparer?outils=lime",
		"/comparer?outils=lime,lime-plate":                 "308 /comparer?outils=lime",
		"/comparer?q=Rabot&q=lime.example":                 "303 /comparer?outils=lime,rabot",
		"/comparer?outils=gouge&q=RABOT":                   "303 /comparer?outils=gouge,rabot",
		"/comparer?outils=gouge&q=gouge":                   "303 /comparer?outils=gouge",
		"/comparer?q=Rabot&q=goug":                         "303 /comparer?outils=rabot&q=goug",
		"/en/compare?tools=&q=%C3%A9tau&q=a+b":             "303 /en/compare?tools=etau&q=a+b",
		"/comparer?outils=etau,gouge,lime&q=rabot&q=rabot": "303 /comparer?outils=etau,gouge,lime,rabot",
	} {
		a := r.Get(from)
		testkit.Equal(t, from, fmt.Sprint(a.Status, " ", a.Header.Get("Location")), to)
		testkit.Equal(t, from+" is kept by", a.Header.Get("Cache-Control"), "no-store")
	}
	for _, path := range []string{"/comparer", "/en/compare", "/comparer?outils=lime,rabot", "/comparer?q=x"} {
		testkit.Equal(t, path+" is kept by", r.Get(path).Header.Get("Cache-Control"), "private, no-cache")
	}
	for _, bad := range []string{"outils=A", "outils=a%2F", "q=" + strings.Repeat("a", 101), "q=a&q=b&q=c", "q=%FF", "outils=%zz"} {
		testkit.Equal(t, bad[:min(len(bad), 20)], r.Get("/comparer?"+bad).Status, 400)
	}
}

// Names as long as files allow break nothing that a reader sees: each is there, whole, once in the head of its column.
func TestCompare_LongNames(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("Rabot", 16)
	r := sitetest.New(t, catalogtest.Snapshot(catalogtest.Tool("a", catalogtest.Named(long)), catalogtest.Tool("b", catalogtest.Named(long+" 2"))))
	testkit.Equal(t, "heads", strings.Count(r.Get("/comparer?outils=a,b").Body, `<div class="who">`), 2)
}
