package machine_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/catalogtest"
	"github.com/palmares-hq/palmares/internal/sitetest"
	"github.com/palmares-hq/palmares/internal/testkit"
)

var feedPaths = []string{
	"/flux/prix.atom", "/flux/nouveaux.atom", "/flux/cimetiere.atom", "/flux/categories/code.atom",
}

func TestFeeds(t *testing.T) {
	t.Parallel()
	first := catalogtest.First(catalogtest.Contents(
		catalogtest.Tool("rabot", catalogtest.Named(`Rabot <b>&"fils"</b>`), catalogtest.Tagline("Il rabote")),
		catalogtest.Tool("lime", catalogtest.In("image")),
	), catalogtest.Edition(1))
	second := catalogtest.Amend(first, func(c *catalog.Contents) {
		catalogtest.Find(c, "rabot").Price = "15 €/mois"
		catalogtest.Retire(c, "lime")
		c.Tools = append(c.Tools, catalogtest.Tool("scie", catalogtest.Unscored, catalogtest.Tagline("Elle scie ?")))
	})
	third := catalogtest.Amend(second, func(c *catalog.Contents) {
		catalogtest.Priced(catalog.Free, "0 €/mois")(catalogtest.Find(c, "rabot"))
	})
	r := sitetest.New(t, second)
	before := make(map[string]string) // entries by name
	for _, path := range feedPaths {
		for _, e := range r.Feed(path).Entries {
			before[e.ID] = e.Title + "|" + e.Summary + "|" + e.Updated
		}
	}
	r.Swap(third)
	said := func(path string) []string {
		var lines []string
		for _, e := range r.Feed(path).Entries {
			if b, ok := before[e.ID]; ok && b != e.Title+"|"+e.Summary+"|"+e.Updated {
				t.Errorf("%s was %s and is %+v", e.ID, b, e)
			}
			lines = append(lines, e.Updated[:10]+" "+e.ID[len("tag:palmares.example,2026:"):]+" "+e.Title+" | "+e.Summary)
		}
		for i := range lines {
			lines[i] = strings.NewReplacer("\u00a0", " ", "\u202f", " ").Replace(lines[i])
		}
		return lines
	}
	prices := []string{
		`2026-03-04 prix/rabot/2026-03-04/2 Rabot <b>&"fils"</b> : 15 €/mois → Gratuit (devient gratuit) | Rabot <b>&"fils"</b> : 15 €/mois → Gratuit (devient gratuit), le 4 mars 2026.`,
		`2026-03-03 prix/rabot/2026-03-03/1 Rabot <b>&"fils"</b> : 20 €/mois → 15 €/mois (−25 %) | Rabot <b>&"fils"</b> : 20 €/mois → 15 €/mois (−25 %), le 3 mars 2026.`,
	}
	created := []string{
		"2026-03-03 nouveaux/scie/7 Outil scie entre au catalogue | Elle scie ? Pas encore noté. Prix : 20 €/mois.",
		"2026-03-02 nouveaux/lime/2 Outil lime entre au catalogue | Un outil. Note : 7,0. Prix : 20 €/mois.",
		`2026-03-02 nouveaux/rabot/3 Rabot <b>&"fils"</b> entre au catalogue | Il rabote. Note : 7,0. Prix : 20 €/mois.`,
	}
	testkit.Equal(t, "prices", said("/flux/prix.atom"), prices)
	got := said("/flux/nouveaux.atom")
	slices.Sort(got[1:]) // of one edition
	testkit.Equal(t, "new tools", got, created)
	testkit.Equal(t, "the cemetery", said("/flux/cimetiere.atom"), []string{
		"2026-11-10 cimetiere/lime/2026-11-10 Outil lime : mort | Retiré le 10 novembre 2026. Fermé. Auparavant : note 7,0, 20 €/mois.",
	})
	testkit.Equal(t, "a category", said("/flux/categories/code.atom"), []string{prices[0], created[0], prices[1], created[2]})
	r.Swap(catalogtest.Amend(third, func(c *catalog.Contents) { c.Tools = c.Tools[:1] })) // without scie
	testkit.Equal(t, "new tools that are still there", len(r.Feed("/flux/nouveaux.atom").Entries), 2)
	for path, status := range map[string]int{
		"/flux/categories/nulle.atom": 404, "/flux/categories/code": 404, "/flux/": 404, "/en/flux/prix.atom": 404,
	} {
		testkit.Equal(t, path, r.Get(path).Status, status)
	}
}

// Feeds are there in English too, each entry under a name of its own, with the French that has no
// translation marked as such.
func TestFeeds_InEnglish(t *testing.T) {
	t.Parallel()
	contents := catalogtest.Contents(
		catalogtest.Tool("rabot", catalogtest.Translated("It planes", "")), catalogtest.Tool("lime", catalogtest.Tagline("L'outil <b>")),
		catalogtest.Retired("feu", func(r *catalog.Retired) { r.English.Note.Text = "Closed" }), catalogtest.Retired("mort"),
	)
	contents.Categories[0].English.Text = "Programming"
	r := sitetest.New(t, catalogtest.Amend(catalogtest.First(contents, catalogtest.Edition(1)), func(c *catalog.Contents) {
		catalogtest.Find(c, "rabot").Price = "15 €/siège"
	}))
	said := func(path string) (lines []string) {
		for _, e := range r.Feed(path).Entries {
			lines = append(lines, strings.ReplaceAll(e.ID[len("tag:palmares.example,2026:"):]+" "+e.Links[0].Href+" | "+e.Title+" | "+e.Summary, "\u00a0", " "))
		}
		slices.Sort(lines)
		return lines
	}
	const at = " https://palmares.example/en/tools/"
	testkit.Equal(t, "prices", said("/en/feeds/prices.atom"), []string{
		"en/prix/rabot/2026-03-03/1" + at + "rabot | Outil rabot: €20/month → €15/seat (new billing unit) | Outil rabot: €20/month → €15/seat (new billing unit), on 3 March 2026.",
	})
	testkit.Equal(t, "new tools", said("/en/feeds/new.atom"), []string{
		"en/nouveaux/lime/2" + at + `lime | Outil lime joins the catalogue | <span lang="fr">L’outil &lt;b&gt;</span> Score: 7.0. Price: €20/month.`,
		"en/nouveaux/rabot/3" + at + "rabot | Outil rabot joins the catalogue | It planes. Score: 7.0. Price: €20/month.",
	})
	testkit.Equal(t, "the cemetery", said("/en/feeds/cemetery.atom"), []string{
		"en/cimetiere/feu/2025-06-01" + at + "feu | Feu feu: dead | Retired on 1 June 2025. Closed.",
		"en/cimetiere/mort/2025-06-01" + at + `mort | Feu mort: dead | Retired on 1 June 2025. <span lang="fr">Fermé.</span>`,
	})
	f := r.Feed("/en/feeds/categories/code.atom")
	testkit.Equal(t, "a category", f.Title+" "+f.Language+" "+f.ID, "Palmarès: Programming en tag:palmares.example,2026:en/feeds/categories/code.atom")
	testkit.Equal(t, "the same in French", r.Feed("/flux/categories/code.atom").Title, "Palmarès\u00a0: Code")
}

// A feed without entries is a feed all the same, as old as the edition; one of many has fifty.
func TestFeedsOfNothingAndOfMuch(t *testing.T) {
	t.Parallel()
	empty := sitetest.New(t, catalogtest.Snapshot())
	for _, path := range feedPaths {
		f := empty.Feed(path)
		testkit.Equal(t, path, len(f.Entries), 0)
		testkit.Equal(t, path, f.UpdatedParsed.UTC(), catalogtest.Edition(1).PublishedAt)
	}
	contents := catalogtest.Contents()
	for i := range 120 {
		contents.Tools = append(contents.Tools, catalogtest.Tool(fmt.Sprintf("outil-%03d", i)))
	}
	many := catalogtest.Amend(catalogtest.First(contents, catalogtest.Edition(1)), func(c *catalog.Contents) {
		for _, t := range c.Tools[:60] {
			t.Price = "30 €/mois"
		}
		for i := range 55 {
			catalogtest.Retire(c, fmt.Sprintf("outil-%03d", 60+i))
		}
	})
	r := sitetest.New(t, many)
	for _, path := range feedPaths {
		testkit.Equal(t, path, len(r.Feed(path).Entries), 50)
	}
	testkit.Equal(t, "a cached feed", r.Get("/flux/prix.atom").Header.Get("Cache-Control"), "s-maxage=3600, stale-while-revalidate=86400")
	tag := r.Get("/flux/prix.atom").Header.Get("Etag")
	testkit.Equal(t, "a feed that is known", r.Get("/flux/prix.atom", "If-None-Match", tag).Status, 304)
	r.Advance(24 * time.Hour)
	testkit.Equal(t, "the feed of the next day", r.Get("/flux/prix.atom").Header.Get("Etag"), tag)
}
