package pages_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/catalogtest"
	"github.com/palmares-hq/palmares/internal/site"
	"github.com/palmares-hq/palmares/internal/sitetest"
	"github.com/palmares-hq/palmares/internal/testkit"
)

// moved gives a tool the prices that it had, oldest first, and the days on which they changed.
func moved(pricesAndDays ...string) func(*catalog.Tool) {
	return func(t *catalog.Tool) {
		t.Pricing, t.Price = offered(pricesAndDays[0])
		for i := 2; i < len(pricesAndDays); i += 2 {
			change := catalog.PriceChange{
				ChangedAt: catalog.Date(pricesAndDays[i-1]), OldPricing: t.Pricing, OldPrice: t.Price,
			}
			t.Pricing, t.Price = offered(pricesAndDays[i])
			change.NewPricing, change.NewPrice = t.Pricing, t.Price
			t.History = append([]catalog.PriceChange{change}, t.History...)
		}
	}
}

// offered reads the model that a price is of, with the price.
func offered(s string) (catalog.Pricing, string) {
	price, freemium := strings.CutPrefix(s, "freemium ")
	switch {
	case freemium:
		return catalog.Freemium, price
	case strings.HasPrefix(price, "0 "):
		return catalog.Free, price
	default:
		return catalog.Paid, price
	}
}

// The price is said before it is drawn, and drawn once for each period and width.
func TestTool_Price(t *testing.T) {
	t.Parallel()
	forty := []string{"20 €/mois"}
	for i := range 40 {
		forty = append(forty, fmt.Sprintf("2025-%02d-%02d", 1+i/4, 1+i%4), fmt.Sprintf("%d €/mois", 21+i%7))
	}
	for name, tc := range map[string]struct {
		prices          []string
		french, english string
		charts          []string // their headings; one without a heading when it is [""]
	}{
		"never": {
			[]string{"20 €/mois"},
			"20 € par mois. Le prix n’a pas changé depuis que nous le suivons.",
			"€20 per month. The price has not changed since we began tracking it.", nil,
		},
		"free for ever": {
			[]string{"0 €/mois"},
			"Gratuit. Le prix n’a pas changé", "Free. The price has not changed", nil,
		},
		"a rise": {
			[]string{"20 €/mois", "2026-01-01", "24,50 €/mois"},
			"24,50 € par mois depuis le 1er janvier 2026, soit 23 % de plus qu’auparavant.",
			"€24.50 per month since 1 January 2026, 23% more than before.",
			[]string{""},
		},
		"a fall after rises": {
			[]string{"15 €/mois", "2025-01-02", "27 €/mois", "2026-02-01", "24 €/mois"},
			"soit 11 % de moins qu’auparavant et 60 % de plus qu’à son entrée au catalogue.",
			"11% less than before and 60% more than when it joined the catalogue.",
			[]string{""},
		},
		"there and back": {
			[]string{"15 €/mois", "2025-01-02", "27 €/mois", "2026-02-01", "15 €/mois"},
			"soit 44 % de moins qu’auparavant, et le même prix qu’à son entrée au catalogue.",
			"44% less than before, and the same as when it joined the catalogue.",
			[]string{""},
		},
		"to free": {
			[]string{"4,99 €/mois", "2026-01-05", "0 €/mois"},
			"Gratuit depuis le 5 janvier 2026, contre 4,99 € par mois auparavant.",
			"Free since 5 January 2026, from €4.99 per month before.",
			[]string{""},
		},
		"from free": {
			[]string{"0 €/mois", "2026-01-05", "4999 €/mois"},
			"4 999 € par mois depuis le 5 janvier 2026, après avoir été gratuit.",
			"€4,999 per month since 5 January 2026, after being free.",
			[]string{""},
		},
		"a cent": {
			[]string{"99,99 €/mois", "2026-01-05", "100 €/mois"},
			"100 € par mois depuis le 5 janvier 2026, contre 99,99 € par mois auparavant.",
			"€100 per month since 5 January 2026, from €99.99 per month before.",
			[]string{""},
		},
		"from months to years": {
			[]string{"6,90 €/mois", "2026-01-05", "59,90 €/an"},
			"59,90 € par an depuis le 5 janvier 2026, contre 6,90 € par mois auparavant, soit 28 % de moins sur un an.",
			"€59.90 per year since 5 January 2026, from €6.90 per month before, 28% less over a year.",
			[]string{"Par mois", "Par an"},
		},
		"periods with nothing in common": {
			[]string{"20 €/mois", "2026-01-05", "15 €/siège"},
			"15 € par siège depuis le 5 janvier 2026, contre 20 € par mois auparavant.",
			"€15 per seat since 5 January 2026, from €20 per month before.",
			[]string{"Par mois", "Par siège"},
		},
		"many periods": {
			[]string{
				"20 €/mois", "2025-01-05", "200 €/an", "2025-02-05", "21 €/mois", "2025-03-05", "220 €/an", "2025-04-05", "2 €/image",
			},
			"2 € par image depuis le 5 avril 2025", "€2 per image since 5 April 2025",
			[]string{"Par mois", "Par an", "Par image"},
		},
		"another period for no day": {
			[]string{"20 €/mois", "2026-01-05", "200 €/an", "2026-01-05", "22 €/mois"},
			"22 € par mois depuis le 5 janvier 2026, soit 10 % de plus qu’auparavant.",
			"€22 per month since 5 January 2026, 10% more than before.",
			[]string{""},
		},
		"there and back on one day": {
			[]string{"20 €/mois", "2026-01-05", "200 €/mois", "2026-01-05", "20 €/mois"},
			"20 € par mois. Le prix n’a pas changé", "€20 per month. The price has not changed", nil,
		},
		"another model": {
			[]string{"20 €/mois", "2026-01-05", "freemium 20 €/mois"},
			"Freemium depuis le 5 janvier 2026, toujours à 20 € par mois.",
			"Freemium since 5 January 2026, still at €20 per month.",
			[]string{""},
		},
		"forty": {forty, "€ par mois depuis le 4 octobre 2025", " per month since 4 October 2025", []string{""}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := sitetest.New(t, catalogtest.Snapshot(catalogtest.Tool("marteau", moved(tc.prices...))))
			got := r.Get("/outils/marteau")
			wantShown(t, "/outils/marteau", got, []string{tc.french}, nil)
			wantShown(t, "/en/tools/marteau", r.Get("/en/tools/marteau"), []string{tc.english}, nil)
			_, page, _ := strings.Cut(got.Body, `id="prix"`)
			page, _, _ = strings.Cut(page, "</section>")
			testkit.Equal(t, "drawings", strings.Count(page, `<svg class="chart"`), 2*len(tc.charts))
			testkit.Equal(t, "rows", strings.Count(page, "<tr><td>"), len(tc.prices)/2)
			var headings []string
			for _, after := range strings.Split(page, "<h3>")[1:] {
				heading, _, _ := strings.Cut(after, "</h3>")
				headings = append(headings, heading)
			}
			testkit.Equal(t, "headings", strings.Join(headings, ", "), strings.Join(tc.charts, ", "))
		})
	}
}

func TestTool(t *testing.T) {
	t.Parallel()
	const nasty = `<b onclick="x">[Lime](javascript:x)_*'`
	first := catalogtest.First(catalogtest.Contents(
		catalogtest.Tool("marteau", catalogtest.Named("Marteau"), catalogtest.Embeddable(910),
			catalogtest.Reviewed("Il tape."), catalogtest.Tagline("Il tape juste")),
		catalogtest.Tool("scie", catalogtest.Scored(840), catalogtest.Tagline("Qui coupe ?")),
		catalogtest.Tool("lime", catalogtest.Named(nasty), catalogtest.Unscored, catalogtest.Tagline("<i>"),
			func(t *catalog.Tool) { t.Verifiability = catalog.Measure{} }),
		catalogtest.Tool("pinceau", catalogtest.In("image"), catalogtest.Scored(300)),
		catalogtest.Comparison("marteau-ou-scie", "marteau", "scie"),
		catalogtest.Retired("burin", func(r *catalog.Retired) {
			r.Name, r.Note, r.Reason = "<b>Burin", "Vendu <i>.\n\nPuis oublié.", catalog.Acquired
		}),
		catalogtest.Retired("gouge", func(r *catalog.Retired) { r.Category = "vide" }),
	), catalogtest.Edition(1))
	second := catalogtest.Amend(first, func(c *catalog.Contents) {
		scie := catalogtest.Find(c, "scie")
		scie.Score, scie.Price, scie.Pricing, scie.ICP = catalog.Hundredths(905), "9,90 €/mois", catalog.Freemium, catalog.VibeCoder
		scie.Tagline, scie.Category = "Qui coupe & <scie>", "image"
		catalogtest.Reviewed("Elle coupe.")(scie)
		catalogtest.Find(c, "pinceau").Obsolescence = catalog.Hundredths(900)
	})
	for name, tc := range map[string]struct {
		snapshot *catalog.Snapshot
		path     string
		has      []string
		hasNot   []string
	}{
		"the best": {
			first, "/outils/marteau",
			[]string{
				`<span class="mark">1er sur 3 outils notés</span>`, "1er de sa catégorie", "9,1 / 10", "7,0 / 10",
				"Note de la rédaction, sur dix.", "Part de ses promesses", "Il tape juste.", `href="https://marteau.example/" rel="nofollow"`,
				"2 mars 2026", `<strong>Il tape.</strong>`, `href="/avis/marteau"`,
				`<span class="mark">Marteau</span>`, `href="/comparatifs/marteau-ou-scie"`, `href="/alternatives/marteau"`,
				"GET /api/v1/tools/marteau", "GET /api/v1/pricing/marteau", "GET /api/embeddings/marteau",
				`<img src="/badge/marteau.svg" alt="Marteau, noté par Palmarès" height="28">`,
				"[![Marteau, noté par Palmarès](https://palmares.example/badge/marteau.svg)](https://palmares.example/outils/marteau)",
				"Entrée au catalogue",
				`<section class="box screen"><h2>Dans l’API</h2>`, `<section class="box screen"><h2>Le badge</h2>`, // not on paper
			},
			[]string{"unscored", "mailto:"},
		},
		"in English": {
			first, "/en/tools/marteau",
			[]string{
				"1st of 3 scored tools, 1st in its category", "9.1 / 10", "Editors’ score, out of ten.", `<span lang="fr">Il tape juste.`,
				"2 March 2026", `<div class="review" lang="fr">`, `href="/en/reviews/marteau"`, `href="/en/alternatives/marteau"`,
				"(https://palmares.example/badge/marteau.svg?lang=en)](https://palmares.example/en/tools/marteau)",
				`<img src="/badge/marteau.svg?lang=en"`, "Added to the catalog",
			},
			[]string{"Le prix", "L’avis"},
		},
		"neither first": {
			first, "/outils/scie",
			[]string{"2e sur 3 outils notés, 2e de sa catégorie", "Qui coupe\u202f?", "L’avis n’est pas encore écrit."},
			[]string{`<span class="mark">2e`, "coupe\u202f?.", "/api/embeddings/", `href="/avis/scie"`},
		},
		"without anything, under a hostile name": {
			first, "/outils/lime",
			[]string{
				"Pas encore noté", "Pas encore établie", "Pas encore de comparatif.", "L’avis n’est pas encore écrit.",
				"Le prix n’a pas changé", nasty, `\<b onclick="x">\[Lime\](javascript:x)\_\*'`, "alt=\"&lt;b onclick=",
			},
			[]string{"<b onclick", "<i>", "outils notés", `class="scale"`, `href="javascript:`},
		},
		"alone": {first, "/outils/pinceau", []string{"Aucun autre outil n’est suivi dans la catégorie."}, []string{"/alternatives/"}},
		"changed": {
			second, "/outils/scie",
			[]string{
				"Note : 8,4 → 9,1", "Prix : 20 €/mois → 9,90 €/mois", "Formule : Payant → Freemium", "Catégorie : Code → Image",
				"Public : Tout le monde → Créateurs sans code (vibe coders)", "Présentation : Qui coupe ? → Qui coupe & <scie>", "Avis publié",
				"3 mars 2026",
			},
			[]string{"Nom :", "<scie>", "Fiche revue"},
		},
		"changed where nobody sees it": {second, "/outils/pinceau", []string{"Fiche revue"}, []string{"→"}},
		"a log that says nothing":      {workshop(), "/outils/scie", []string{"Rien n’a changé ces derniers temps."}, nil},
		"retired": {
			first, "/outils/burin",
			[]string{
				`<article class="notice alone"><h1>&lt;b&gt;Burin</h1>`, "Racheté le 1er juin 2025", "<p>Vendu &lt;i&gt;.</p><p>Puis oublié.</p>",
				`href="/alternatives/burin"`, `href="/cimetiere"`, `href="/outils/marteau"`, "GET /api/v1/cimetiere?category=code",
			},
			[]string{"<i>", "<b>Burin", `id="prix"`},
		},
		"retired, in English": {
			first, "/en/tools/burin", []string{"Acquired on 1 June 2025", `<span lang="fr">Puis oublié.</span>`}, nil,
		},
		"retired, the last one": {first, "/outils/gouge", []string{"Il ne reste aucun outil dans cette catégorie."}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := sitetest.New(t, tc.snapshot).Get(tc.path)
			wantShown(t, tc.path, got, tc.has, tc.hasNot)
			testkit.Equal(t, "headings of the first level", strings.Count(got.Body, "<h1"), 1)
			if strings.Contains(got.Body, "noindex") {
				t.Error("the page is not for search engines")
			}
		})
	}
	sitetest.New(t, first).Wants(t, "/outils/burin", []string{`<a href="/cimetiere" aria-current="page">`}, nil)
	testkit.Equal(t, "no such tool", sitetest.New(t, first).Get("/outils/enclume").Status, 404)
}

// Whoever has a hundred comparisons does not get a page of a hundred.
func TestTool_ListsAreShort(t *testing.T) {
	t.Parallel()
	items := []any{catalogtest.Tool("marteau")}
	for i := range 20 {
		slug := fmt.Sprintf("outil-%02d", i)
		items = append(items, catalogtest.Tool(slug), catalogtest.Comparison("marteau-ou-"+slug, "marteau", slug))
	}
	got := sitetest.New(t, catalogtest.Snapshot(items...)).Get("/outils/marteau")
	wantShown(t, "/outils/marteau", got, []string{"et 16 autres comparatifs", `href="/comparatifs?category=code"`}, nil)
	testkit.Equal(t, "comparisons", strings.Count(got.Body, `<article class="compared">`), 4)
	testkit.Equal(t, "alternatives", strings.Count(main(got.Body), `<th scope="row" class="who">`), 5)
}

// Readers are told where to report errors if there is such an address.
func TestTool_Report(t *testing.T) {
	t.Parallel()
	s := catalogtest.Snapshot(catalogtest.Tool("scie", catalogtest.Named(`Scie & "fils"`)))
	with := sitetest.New(t, s, func(o *site.Options) { o.Contact = "us@example.org" })
	want := `<a href="mailto:us@example.org?subject=Scie%20&amp;%20%22fils%22%C2%A0:%20une%20erreur%20%28https:%2F%2Fpalmares.example%2Foutils%2Fscie%29">`
	if page := with.Get("/outils/scie").Body; !strings.Contains(page, want) {
		t.Errorf("the page has no %s:\n%s", want, page)
	}
	if page := sitetest.New(t, s).Get("/outils/scie").Body; strings.Contains(page, "mailto:") {
		t.Error("a page names an address that there is not")
	}
}
