package pages_test

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/catalogtest"
	"github.com/palmares-hq/palmares/internal/sitetest"
	"github.com/palmares-hq/palmares/internal/testkit"
)

// repriced is a catalog whose prices changed every month, seven times, on the last day of it.
func repriced() *catalog.Snapshot {
	tools := []any{
		catalogtest.Tool("rabot", catalogtest.Named(`<b>"Rabot"</b> `+strings.Repeat("é", 60))),
		catalogtest.Tool("lime", catalogtest.In("image"), catalogtest.Priced(catalog.Paid, "9 €/siège")),
	}
	for i := range 9 {
		tools = append(tools, catalogtest.Tool(fmt.Sprint("outil-", i), func(t *catalog.Tool) {
			last := "10 €/mois"
			for month := range 7 {
				price := fmt.Sprintf("%d €/mois", 11+(month+i)%5)
				t.History = append([]catalog.PriceChange{{
					ChangedAt:  catalog.DateOf(time.Date(2025, time.Month(9+month), 0, 0, 0, 0, 0, time.UTC)),
					OldPricing: catalog.Paid, OldPrice: last, NewPricing: catalog.Paid, NewPrice: price,
				}}, t.History...)
				last = price
			}
			t.Price = last
		}))
	}
	return catalogtest.Snapshot(tools...)
}

// A median is that of five tools at least, in the sentence, in the table of months and in the one of categories.
func TestPrices_OfFewTools(t *testing.T) {
	t.Parallel()
	for tools, says := range map[int]bool{5: true, 4: false} {
		all := catalogtest.Amend(repriced(), func(c *catalog.Contents) {
			c.Tools = slices.DeleteFunc(c.Tools, func(t *catalog.Tool) bool {
				number, outil := strings.CutPrefix(t.Slug, "outil-")
				return !outil || number >= fmt.Sprint(tools)
			})
		})
		median := regexp.MustCompile(`<td>€\d+</td><td>5</td>`)
		got := sitetest.New(t, all).Get("/en/prices").Body
		for what, shown := range map[string]bool{
			"a sentence": !strings.Contains(got, "A median needs at least five"), "a table of months": median.MatchString(got),
			"a table of categories": regexp.MustCompile(`</th><td class="n">€\d+</td>`).MatchString(got),
		} {
			testkit.Equal(t, fmt.Sprintf("%s with the median of %d tools", what, tools), shown, says)
		}
	}
}

func TestPrices(t *testing.T) {
	t.Parallel()
	first := catalogtest.Snapshot(catalogtest.Tool("rabot"))
	moved := catalogtest.Amend(catalogtest.Amend(repriced(), func(c *catalog.Contents) {
		catalogtest.Priced(catalog.Free, "0 €/mois")(catalogtest.Find(c, "rabot"))
	}), func(c *catalog.Contents) {
		catalogtest.Priced(catalog.Paid, "15 €/utilisateur")(catalogtest.Find(c, "lime"))
	})
	for _, tc := range []struct {
		name     string
		snapshot *catalog.Snapshot
		path     string
		has      []string
		hasNot   []string
	}{
		{"no change", first, "/prix", []string{
			"Aucun prix n’a encore changé", "Il y en a\u00a01.", `href="/prix?category=code"`, "<b>GET</b> /api/v1/pricing<",
		}, []string{"<svg", "noindex", `class="moves"`}},
		{"no tool", catalogtest.Snapshot(), "/en/prices", []string{"No price has changed so far", "There are\u00a00."}, nil},
		{"a category that there is not", first, "/prix?category=nulle", []string{"Aucun prix n’a changé dans cette catégorie", "noindex"}, nil},
		{"movements", moved, "/prix", []string{
			"65 changements", "Page 1 sur 2", `href="/prix?page=2"`, "mars 2026 <span class=\"down\">1 baisse<", "4\u00a0mars<", "change d’unité de facturation",
			"devient gratuit", `&lt;b&gt;&#34;Rabot&#34;&lt;/b&gt;`, `<td class="old">20` + "\u00a0€/mois", `<td class="new">Gratuit`,
			`class="down">−27` + "\u00a0%", `class="up">&#43;8` + "\u00a0%", `role="img" aria-label="Prix mensuel médian`,
		}, []string{"<b>\"Rabot", "noindex"}},
		{"the second page in English", moved, "/en/prices?page=2", []string{
			"Page 2 of 2", `href="/en/prices"`, "noindex", "€10/month", "&#43;10%",
			`<span lang="fr">Code</span>`, `aria-label="Median monthly price, from`,
		}, []string{"now free"}},
		{"beyond the last page", moved, "/prix?page=7", []string{"La liste s’arrête avant cette page", `href="/prix?page=2"`}, nil},
		{"a category", moved, "/prix?category=image", []string{
			"<h1 class=\"page-h\">Les prix\u00a0: Image</h1>", "Il y en a\u00a00.", "1 changement<", `/api/v1/pricing?category=image<`,
			`href="/prix?category=image" aria-current="page"`,
		}, []string{"<svg", "outil-1"}},
		{"empty parameters", moved, "/prix?category=&page=", []string{"65 changements"}, []string{"noindex"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			sitetest.New(t, tc.snapshot).Wants(t, tc.path, tc.has, tc.hasNot)
		})
	}
	refused := sitetest.New(t, first).Get("/prix?page=0")
	testkit.Equal(t, "the page 0", refused.Status, 400)
	if !strings.Contains(refused.Body, "un nombre entier, à partir de 1") {
		t.Errorf("the error does not say what the page may be: %s", refused.Body)
	}
}
