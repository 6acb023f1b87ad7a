package pages_test

import (
	"strings"
	"testing"

	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/catalogtest"
	"github.com/palmares-hq/palmares/internal/sitetest"
	"github.com/palmares-hq/palmares/internal/testkit"
)

// everywhere are the pages and feeds that tell of prices and scores.
var everywhere = []string{
	"/", "/journal", "/en/journal", "/outils/rabot", "/en/tools/rabot", "/prix", "/en/prices", "/categories/code", "/flux/prix.atom",
	"/flux/nouveaux.atom", "/flux/categories/code.atom",
}

// tells returns the pages on which a text stands.
func tells(t *testing.T, r *sitetest.Reader, texts ...string) (paths []string) {
	t.Helper()
	for _, path := range everywhere {
		got := r.Get(path)
		testkit.Equal(t, path, got.Status, 200)
		body := strings.NewReplacer("\u00a0", " ", "\u202f", " ").Replace(got.Body)
		for _, text := range texts {
			if strings.Contains(body, text) {
				paths = append(paths, path)
				break
			}
		}
	}
	return paths
}

// journalOf is what the journal says, an item on a line.
func journalOf(r *sitetest.Reader) string {
	var lines []string
	for _, m := range journalItem.FindAllString(r.Get("/journal").Body, -1) {
		lines = append(lines, plain(m))
	}
	return strings.Join(lines, "\n")
}

func bench() *catalog.Snapshot {
	return catalogtest.First(catalogtest.Contents(
		catalogtest.Tool("rabot", catalogtest.Named("Rabot")), catalogtest.Tool("lime", catalogtest.Named("Lime")),
		catalogtest.Comparison("lime-ou-rabot", "lime", "rabot"),
	), catalogtest.Edition(1))
}

func edited(s *catalog.Snapshot, edits ...func(*catalog.Tool)) *catalog.Snapshot {
	return catalogtest.Amend(s, func(c *catalog.Contents) {
		for _, edit := range edits {
			edit(catalogtest.Find(c, "rabot"))
		}
	})
}

func price(text string) func(*catalog.Tool) { return func(t *catalog.Tool) { t.Price = text } }

// tagline is what the journal says of a change that holds.
const tagline = "Rabot change d’accroche, de « Un outil » à « Il rabote »."

var slips = []string{"2400 €", "2 400 €", "2,400 €", "€2,400", "€2400"}

// The slip is on every page; taken back it is on none, and the journal says so.
func TestASlipThatGoesBackIsToldNowhere(t *testing.T) {
	t.Parallel()
	r := sitetest.New(t, edited(bench(), price("2400 €/mois")))
	if told := tells(t, r, slips...); len(told) != len(everywhere)-1 { // it is not new
		t.Fatalf("the slip is told on %q", told)
	}
	r.Swap(catalogtest.Correct(r.Current(), "rabot", price("20 €/mois")))
	if told := tells(t, r, slips...); told != nil {
		t.Errorf("the slip is told on %q", told)
	}
	testkit.Equal(t, "the journal", journalOf(r), "Rabot coûte bien 20 €/mois (corrigé).")
	if page := r.Get("/en/journal").Body; !strings.Contains(page, "(corrected)") || strings.Contains(page, `id="n2"`) {
		t.Errorf("the journal has edition 2, or does not say corrected:\n%s", page)
	}
	if page := plain(r.Get("/outils/rabot").Body); !strings.Contains(page, "Prix : 20 €/mois (corrigé)") || !strings.Contains(page, "n’a pas changé") {
		t.Errorf("the page of the tool:\n%s", page)
	}
	testkit.Equal(t, "entries of the feed", len(r.Feed("/flux/prix.atom").Entries), 0)

	// And with another slip before it was noticed, and a change that holds after it.
	r.Swap(edited(edited(r.Current(), price("2400 €/mois")), func(t *catalog.Tool) { t.Tagline = "Il rabote" }))
	r.Swap(edited(catalogtest.Correct(r.Current(), "rabot", price("20 €/mois")), price("22 €/mois")))
	if told := tells(t, r, slips...); told != nil {
		t.Errorf("the second slip is told on %q", told)
	}
	testkit.Equal(t, "the journal", journalOf(r), strings.Join([]string{
		"Rabot passe de 20 à 22 €/mois +10 %.", "Rabot coûte bien 20 €/mois (corrigé).", tagline, "Rabot coûte bien 20 €/mois (corrigé).",
	}, "\n"))
}

// What is corrected to another price moved from what there was before the slip, and what else the
// slip's edition changed stays.
func TestACorrectionIsToldInPlaceOfTheSlip(t *testing.T) {
	t.Parallel()
	slip := edited(bench(), price("2400 €/mois"), func(t *catalog.Tool) { t.Tagline = "Il rabote" })
	r := sitetest.New(t, catalogtest.Correct(slip, "rabot", price("24 €/mois")))
	if told := tells(t, r, slips...); told != nil {
		t.Errorf("the slip is told on %q", told)
	}
	testkit.Equal(t, "the journal", journalOf(r),
		"Rabot passe de 20 à 24 €/mois +20 % (corrigé).\n"+tagline)
	for _, path := range []string{"/", "/categories/code", "/prix"} {
		if page := plain(r.Get(path).Body); !strings.Contains(page, "24 €/mois") {
			t.Errorf("%s does not tell of 24 €:\n%s", path, page)
		}
	}
	feed := r.Feed("/flux/prix.atom")
	testkit.Equal(t, "the feed", feed.Entries[0].Updated[:10]+" "+plain(feed.Entries[0].Title), "2026-03-03 Rabot : 20 €/mois → 24 €/mois (+20 %)")
	testkit.Equal(t, "entries of the feed", len(feed.Entries), 1)
	// Corrected again.
	r.Swap(catalogtest.Correct(r.Current(), "rabot", price("25 €/mois")))
	testkit.Equal(t, "the journal", journalOf(r),
		"Rabot passe de 20 à 25 €/mois +25 % (corrigé).\n"+tagline)
}

// A score is shown by comparisons too.
func TestACorrectedScoreIsToldOnce(t *testing.T) {
	t.Parallel()
	score := func(hundredths int) func(*catalog.Tool) {
		return func(t *catalog.Tool) { t.Score = catalog.Hundredths(hundredths) }
	}
	slip := edited(bench(), score(120))
	r := sitetest.New(t, slip)
	if told := tells(t, r, "1,2"); len(told) == 0 {
		t.Fatal("the slip is told nowhere")
	}
	r.Swap(catalogtest.Correct(slip, "rabot", score(700)))
	if told := tells(t, r, "1,2"); told != nil {
		t.Errorf("the slip is told on %q", told)
	}
	testkit.Equal(t, "the journal", journalOf(r), "Rabot a bien la note 7,0 (corrigé).\n« Match lime-ou-rabot » suit bien la note de Rabot, 7,0 (corrigé).")
	r.Swap(catalogtest.Correct(slip, "rabot", score(730)))
	testkit.Equal(t, "the journal", journalOf(r),
		"Rabot voit sa note passer de 7,0 à 7,3 (corrigé).\n« Match lime-ou-rabot » suit la note de Rabot, passée de 7,0 à 7,3 (corrigé).")
	if page := plain(r.Get("/categories/code").Body); !strings.Contains(page, "7,0") || !strings.Contains(page, "7,3") {
		t.Errorf("the category tells nothing of the score:\n%s", page)
	}
}

// A tool that came with a slip came with what it was corrected to.
func TestACorrectedFirstPrice(t *testing.T) {
	t.Parallel()
	slip := catalogtest.Amend(bench(), func(c *catalog.Contents) {
		c.Tools = append(c.Tools, catalogtest.Tool("scie", catalogtest.Named("Scie"), catalogtest.Scored(150), price("2400 €/mois")))
	})
	r := sitetest.New(t, slip)
	if told := tells(t, r, slips...); len(told) == 0 {
		t.Fatal("the slip is told nowhere")
	}
	r.Swap(catalogtest.Correct(slip, "scie", func(t *catalog.Tool) { t.Price, t.Score = "24 €/mois", catalog.Hundredths(850) }))
	if told := tells(t, r, append(slips, "1,5")...); told != nil {
		t.Errorf("the slip is told on %q", told)
	}
	testkit.Equal(t, "the journal", journalOf(r),
		"Scie coûte bien 24 €/mois (corrigé) ; a bien la note 8,5 (corrigé).\n"+
			"Scie entre au catalogue dans la catégorie Code, avec la note 8,5, à 24 €/mois.")
}
