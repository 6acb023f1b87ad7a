package pages_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/catalogtest"
	"github.com/palmares-hq/palmares/internal/sitetest"
)

func priced(slug string, hundredths int, pricing catalog.Pricing, price string, edits ...func(*catalog.Tool)) *catalog.Tool {
	return catalogtest.Tool(slug, append(edits, catalogtest.Scored(hundredths), catalogtest.Priced(pricing, price))...)
}

func ends(t *catalog.Tool) { t.Ending.At = "2027-03-31" }

func TestPriceMap(t *testing.T) {
	t.Parallel()
	items := []any{
		priced("a", 910, catalog.Paid, "24 €/mois", catalogtest.Named(sitetest.Hostile)), priced("b", 640, catalog.Free, "0 €/mois"),
		priced("c", 880, catalog.Freemium, "60 €/an"), priced("d", 880, catalog.Paid, "5 €/mois"), priced("e", 870, catalog.Paid, "29 €/mois"),
		priced("f", 700, catalog.Paid, "40 €/mois"), priced("g", 500, catalog.Paid, "9 €/mois"), priced("h", 300, catalog.Paid, "12 €/mois"),
		priced("i", 990, catalog.Paid, "1 €/mois", ends), priced("j", 800, catalog.Paid, "2 €/siège"), catalogtest.Tool("k", catalogtest.Unscored),
		priced("x", 600, catalog.Paid, "12 €/mois", catalogtest.In("image")), priced("y", 600, catalog.Free, "0 €/mois", catalogtest.In("image")),
	}
	r := sitetest.New(t, catalogtest.First(catalogtest.Contents(items...), catalogtest.Edition(1)))
	line := []string{
		// c and d tie, i ends and beats nobody.
		"Sur 8 outils, 4 sont imbattables : aucun autre ne fait aussi bien pour moins cher, ni mieux pour le même prix.",
		"Sans payer, la meilleure note est 6,4 ; pour 24 € par mois, 9,1.",
		"Au-delà de 24 € par mois, payer plus n'achète pas une meilleure note.",
		"L'outil dont la fin est annoncée n'entre pas dans ce compte.", `class="front"`, "fin annoncée",
		`facturé ni au mois ni à l'année : <a href="/outils/j">Outil j</a> (2 €/siège).`, "1 outil n'a pas encore de note.",
		`Outil c</a><br><span class="dim">offre payante, à l'année, imbattable à son prix</span></th><td class="n">8,8</td><td class="n">5 €</td>`,
		`<td class="n">gratuit</td>`, `&lt;b&gt;`,
	}
	r.Check(t, []sitetest.Wanted{
		{Path: "/carte?category=code", Says: append([]string{
			`<option value="code" selected>`, `<b>GET</b> /api/v1/tools?category=code<`, `href="/outils?category=code"`, "Tout effacer",
		}, line...), Silent: []string{"La carte entière"}},
		{Path: "/categories/code", Says: append([]string{`<a href="/carte?category=code">La carte entière</a>`}, line...)},
		{Path: "/outils?category=code", Says: append([]string{`<a href="/carte?category=code">La carte entière</a>`}, line...)},
		{Path: "/carte", Says: []string{
			`<h1 class="page-h">Payer plus, pour mieux ?</h1>`, "11 outils de 2 catégories", "premier de sa catégorie", "11 outils",
		}, Silent: []string{"imbattable", "front", "Tout effacer"}},
		{Path: "/carte?price_max=12", Says: []string{"premier de sa catégorie, parmi ces outils"}},
		{Path: "/en/map?category=code", Says: []string{
			"Does paying more buy better?", "Of 8 tools, 4 are unbeaten", "The best score for nothing is 6.4; for €24 a month, 9.1.", "paid plan, billed yearly",
		}},
		{Path: "/carte?category=image", Says: []string{"2 outils, selon leur note et leur prix par mois.", `class="front"`}},
		{Path: "/categories/image", Silent: []string{"Payer plus"}}, // too few for a drawing
		{Path: "/carte?category=voix", Says: []string{"Aucun de ces outils n'a à la fois une note et un prix"}, Silent: []string{"<svg class=\"chart"}},
		{Path: "/carte?price_max=x", Status: 400},
		{Path: "/alternatives/g", Says: []string{"l'outil de cette page", `class="front"`, `<a href="/carte?slugs=`}},
		{Path: "/recherche?q=code", Says: []string{"Payer plus, pour mieux ?", `<a href="/carte?q=code">La carte entière</a>`}},
		{Path: "/", Says: []string{"Payer plus, pour mieux ?", `<a href="/carte">La carte entière</a>`}},
	})
	for _, path := range []string{"/carte", "/en/map"} { // the drawing has the links of the table, and no key reaches them
		body := r.Get(path).Body
		drawn, table, _ := strings.Cut(body, "<details")
		_, drawn, _ = strings.Cut(drawn, `<svg class="chart`)
		for _, part := range strings.Split(drawn, `<a href="`)[1:] {
			href, rest, _ := strings.Cut(part, `"`)
			if strings.Contains(part, `tabindex="-1"`) && !strings.Contains(table, `<a href="`+href+`">`) {
				t.Errorf("%s: the table has no link to %s: %s", path, href, rest[:20])
			}
		}
	}
}

// The page of the map of 5,000 tools takes at most 30 ms of CPU when it is first made.
func BenchmarkPriceMap5000(b *testing.B) {
	s := catalogtest.First(catalogtest.Generated(5000), catalogtest.Edition(1))
	r := sitetest.New(b, s)
	r.Get("/carte?category=code") // figures of the edition, templates
	b.ResetTimer()
	before := cpuTime(b)
	since := time.Date(1950, 1, 1, 0, 0, 0, 0, time.UTC)
	for b.Loop() {
		since = since.AddDate(0, 0, 1) // another address each time, the same tools
		w := httptest.NewRecorder()
		r.ServeHTTP(w, httptest.NewRequestWithContext(b.Context(), http.MethodGet, "/carte?updated_since="+since.Format(time.DateOnly), http.NoBody))
		if w.Code != http.StatusOK {
			b.Fatal(w.Code)
		}
	}
	b.ReportMetric(float64((cpuTime(b)-before).Microseconds())/1000/float64(b.N), "cpu-ms/op")
}

func cpuTime(b *testing.B) time.Duration {
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		b.Fatal(err)
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}
