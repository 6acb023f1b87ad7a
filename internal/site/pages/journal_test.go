package pages_test

import (
	"fmt"
	"html"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/catalogtest"
	"github.com/palmares-hq/palmares/internal/sitetest"
	"github.com/palmares-hq/palmares/internal/testkit"
	"github.com/palmares-hq/palmares/internal/webhook"
)

var (
	manySpaces  = regexp.MustCompile(`\s+`)
	journalItem = regexp.MustCompile(`(?m)^<li>.*</li>$`)
)

// plain is what a reader sees of markup.
func plain(markup string) string {
	s := html.UnescapeString(tags.ReplaceAllString(strings.ReplaceAll(markup, "</li><li>", " ; "), " "))
	s = strings.NewReplacer("\u00a0", " ", "\u202f", " ").Replace(s)
	return strings.NewReplacer(" ,", ",", " .", ".").Replace(strings.TrimSpace(manySpaces.ReplaceAllString(s, " ")))
}

func TestJournal(t *testing.T) {
	t.Parallel()
	hostile := `<b>"Scie"</b> ` + strings.Repeat("é", 65)
	first := catalogtest.First(catalogtest.Contents(
		catalogtest.Tool("rabot", catalogtest.Named("Rabot")), catalogtest.Tool("lime", catalogtest.Named("Lime")),
		catalogtest.Tool("maillet", catalogtest.Named("Maillet"), catalogtest.Unscored), catalogtest.Tool("etau", catalogtest.Named("Étau")),
		catalogtest.Tool("vrille", catalogtest.Named("Vrille"), catalogtest.Embeddable(900)),
		catalogtest.Comparison("lime-ou-rabot", "lime", "rabot"), catalogtest.Comparison("etau-ou-rabot", "etau", "rabot"),
	), catalogtest.Edition(1))
	second := catalogtest.Amend(first, func(c *catalog.Contents) {
		rabot := catalogtest.Find(c, "rabot")
		rabot.Price, rabot.Score, rabot.Tagline = "25 €/mois", catalog.Hundredths(725), "Il rabote : bien"
		maillet := catalogtest.Find(c, "maillet")
		maillet.Score, maillet.Category, maillet.ICP, maillet.Name = catalog.Hundredths(650), "voix", catalog.VibeCoder, "Le Maillet"
		catalogtest.Reviewed("Un texte.")(maillet)
		catalogtest.Reviewed("Un autre texte.")(catalogtest.Find(c, "vrille"))
		c.Tools = append(c.Tools, catalogtest.Tool("scie", catalogtest.Named(hostile)))
		c.Comparisons[1].Winner = "rabot"
		catalogtest.Retire(c, "etau")
		c.Comparisons = append(c.Comparisons, catalogtest.Comparison("scie-ou-rabot", "scie", "rabot"))
	})
	third := catalogtest.Amend(second, func(c *catalog.Contents) {
		c.Tools = c.Tools[1:] // Lime and what compares it
		c.Comparisons = c.Comparisons[1:]
	})
	third = catalogtest.Amend(third, func(c *catalog.Contents) {
		c.Service.Name, c.Service.URL = "Le Palmarès", "https://www.palmares.example"
		c.Categories[1].Label = "Image & <son>"
		c.Categories[3] = catalog.Category{Slug: "neuf", Label: "Neuf"}
		c.Retired[0].Reason = catalog.Acquired
		c.Retired = append(c.Retired, catalogtest.Retired("vis", func(r *catalog.Retired) { r.Name = "Vis" }),
			catalogtest.Retired("clou", func(r *catalog.Retired) { r.Name = "Clou" }))
	})
	third = catalogtest.Amend(third, func(c *catalog.Contents) {
		c.Retired[0].Note = "Autre." // Clou
		c.Retired = c.Retired[:2]
		slices.Reverse(c.Categories)
	})
	r := sitetest.New(t, third)
	items := func(path string) (lines []string) {
		for _, m := range journalItem.FindAllString(r.Get(path).Body, -1) {
			lines = append(lines, plain(m))
		}
		return lines
	}
	testkit.Equal(t, "the entries", strings.Join(items("/journal"), "\n"), strings.Join([]string{
		"Vis quitte le cimetière.",
		"Le catalogue range ses catégories dans un autre ordre.",
		"Clou a une notice retouchée.",
		"Clou entre au cimetière sans avoir été au catalogue : mort.",
		"Vis entre au cimetière sans avoir été au catalogue : mort.",
		"Le catalogue s’appelait Palmarès et s’appelle désormais Le Palmarès ; change d’adresse, de https://palmares.example à " +
			"https://www.palmares.example ; renomme la catégorie Image en Image & <son> ; ouvre la catégorie Neuf ; ferme la catégorie Catégorie sans outil.",
		"Étau n’est plus au cimetière pour le même motif : mort devient racheté.",
		"Lime sort du catalogue.",
		"« Match lime-ou-rabot » est retiré.",
		hostile + " entre au catalogue dans la catégorie Code, avec la note 7,0, à 20 €/mois.",
		"« Match scie-ou-rabot » paraît : " + hostile + " l’emporte.",
		"Étau rejoint le cimetière : mort.",
		"« Match etau-ou-rabot » est retiré.",
		"Rabot voit sa note passer de 7,0 à 7,3 ; passe de 20 à 25 €/mois +25 % ; change d’accroche, de « Un outil » à « Il rabote : bien ».",
		"Le Maillet s’appelait Maillet et s’appelle désormais Le Maillet ; passe de la catégorie Code à la catégorie Voix et son ; " +
			"change de public, de « Tout le monde » à « Créateurs sans code (vibe coders) » ; reçoit la note 6,5 ; reçoit son avis.",
		"Vrille reçoit des retouches.",
		"« Match lime-ou-rabot » suit la note de Rabot, passée de 7,0 à 7,3 ; change de vainqueur, de Lime à Rabot.",
	}, "\n"))
	testkit.Equal(t, "the number of entries in English", len(items("/en/journal")), 17)
	page := r.Get("/journal").Body
	for _, text := range []string{
		"La première édition", "5 outils ajoutés", "2 comparatifs publiés", "Le journal commence ici", `id="n3"`,
		`<a href="/outils/etau">`, "&lt;b&gt;", `<link rel="alternate" type="application/atom+xml" title="les prix" href="/flux/prix.atom">`,
	} {
		if !strings.Contains(page, text) {
			t.Errorf("the journal has no %q:\n%s", text, page)
		}
	}
	for _, text := range []string{`href="/outils/lime"`, `href="/comparatifs/lime-ou-rabot"`, "noindex", "<b>\"Scie"} {
		if strings.Contains(page, text) {
			t.Errorf("the journal has %q", text)
		}
	}
	for _, text := range []string{
		`moves from the category <span lang="fr">Code</span> to the category <b><span lang="fr">Voix et son</span></b>`,
		"gets a score of <b>6.5</b>", "goes from €20 to <b>€25/month</b>", "The journal begins here",
	} {
		if english := r.Get("/en/journal"); !english.Says(text) {
			t.Errorf("the English journal has no %q", text)
		}
	}
}

// A score that moves by less than the page shows does not go from 7,0 to 7,0; a comparison gives no scores, and follows.
func TestJournalOfSmallMoves(t *testing.T) {
	t.Parallel()
	first := catalogtest.First(catalogtest.Contents(
		catalogtest.Tool("rabot", catalogtest.Named("Rabot")), catalogtest.Tool("lime", catalogtest.Named("Lime"), catalogtest.Unscored),
		catalogtest.Comparison("lime-ou-rabot", "lime", "rabot"),
	), catalogtest.Edition(1))
	second := catalogtest.Amend(first, func(c *catalog.Contents) {
		rabot := catalogtest.Find(c, "rabot")
		rabot.Score, rabot.Verifiability = catalog.Hundredths(704), catalog.Hundredths(602)
		catalogtest.Find(c, "lime").Score = catalog.Hundredths(650)
	})
	third := catalogtest.Amend(second, func(c *catalog.Contents) { catalogtest.Unscored(catalogtest.Find(c, "lime")) })
	r := sitetest.New(t, third)
	var lines []string
	for _, m := range journalItem.FindAllString(r.Get("/journal").Body, -1) {
		lines = append(lines, plain(m))
	}
	testkit.Equal(t, "the entries", strings.Join(lines, "\n"), strings.Join([]string{
		"Lime perd sa note, qui était de 6,5.",
		"« Match lime-ou-rabot » suit la note de Lime, retirée : c’était 6,5.",
		"Lime reçoit la note 6,5.",
		"Rabot voit sa note retouchée de moins d’un dixième, toujours 7,0 ; voit sa vérifiabilité retouchée de moins d’un dixième, toujours 6,0.",
		"« Match lime-ou-rabot » suit la note de Lime, désormais 6,5 ; suit la note de Rabot, retouchée de moins d’un dixième, toujours 7,0.",
	}, "\n"))
	r.Check(t, []sitetest.Wanted{
		{Path: "/outils/rabot", Says: []string{"Note : retouche de moins d'un dixième, toujours 7,0"}},
		{Path: "/categories/code", Says: []string{"voit sa note retouchée, toujours 7,0 sur dix"}},
		{Path: "/en/journal", Says: []string{"has its score adjusted by less than a tenth, still <b>7.0</b>", "follows the score of Lime, now <b>6.5</b>"}},
	})
}

func TestJournalOfNothing(t *testing.T) {
	t.Parallel()
	r := sitetest.New(t, catalogtest.Snapshot(catalogtest.Tool("rabot")))
	if got := r.Get("/journal"); !got.Says("le journal s’ouvre avec la prochaine édition") {
		t.Errorf("a journal without entries says %s", got)
	}
	testkit.Equal(t, "the page 0", r.Get("/journal?page=0").Status, 400)
}

// Editions are 20 a page. A large one is counted, and begins.
func TestLongJournal(t *testing.T) {
	t.Parallel()
	contents := catalogtest.Contents()
	for i := range 60 {
		contents.Tools = append(contents.Tools, catalogtest.Tool(fmt.Sprintf("outil-%02d", i)))
	}
	s := catalogtest.First(contents, catalogtest.Edition(1))
	for i := range 40 {
		s = catalogtest.Amend(s, func(c *catalog.Contents) {
			for _, t := range c.Tools[:1+i/39*59] {
				t.Score = catalog.Hundredths(100 + i)
			}
		})
	}
	r := sitetest.New(t, s)
	for path, want := range map[string]struct {
		editions int
		says     string
	}{
		"/journal":                          {20, "60 fiches modifiées"},
		"/journal?page=1":                   {20, `<p class="small more"><a href="/journal?edition=41">et 52 autres`},
		"/journal?edition=41":               {1, "<h3>Notes</h3>"},
		"/journal?edition=99":               {0, "Le journal ne garde rien de cette édition."},
		"/journal?page=2":                   {20, `href="/journal?page=3"`},
		"/journal?page=3":                   {1, "Le journal commence ici"},
		"/journal?page=4":                   {0, "Le journal s’arrête avant cette page"},
		"/journal?page=9223372036854775807": {0, `href="/journal?page=3"`},
	} {
		got := r.Get(path)
		testkit.Equal(t, path, strings.Count(got.Body, `class="sec issue"`), want.editions)
		if !got.Says(want.says) {
			t.Errorf("%s does not say %q", path, want.says)
		}
	}
	testkit.Equal(t, "items of the first page", len(journalItem.FindAllString(r.Get("/journal").Body, -1)), 8+19)
	testkit.Equal(t, "items of the edition alone", len(journalItem.FindAllString(r.Get("/journal?edition=41").Body, -1)), 60)
	edited := catalogtest.Amend(s, func(c *catalog.Contents) {
		for _, t := range c.Tools {
			t.Tagline = "Autre"
		}
		c.Tools[3].Price = "31 €/mois"
	})
	r = sitetest.New(t, edited)
	r.Wants(t, "/journal", []string{"<h3>Prix</h3>", `<a href="/journal?edition=42">59 retouches`}, nil)
	r.Wants(t, "/en/journal?edition=42", []string{"<h3>Minor edits</h3>", "Autre", "noindex"}, []string{"59 minor edits"})
	long := s // until the log no longer goes back to its beginning
	for i := range 20 {
		long = catalogtest.Amend(long, func(c *catalog.Contents) {
			for _, t := range c.Tools {
				t.Score = catalog.Hundredths(200 + i)
			}
		})
	}
	if got := sitetest.New(t, long).Get("/en/journal?page=2"); !got.Says("Older entries are no longer kept") {
		t.Errorf("a journal whose beginning is gone says %s", got.Body)
	}
}

// Every type of event is counted in an edition that is not told in full, and told in one that is.
func TestJournal_HasEveryType(t *testing.T) {
	t.Parallel()
	types := catalog.EventTypes()
	d := catalogtest.Whole(catalogtest.Contents(catalogtest.Tool("a")), catalogtest.Edition(int64(len(types)+1)))
	d.Log, d.LogStart = nil, 1
	add := func(edition int64, typ catalog.EventType) {
		e := catalogtest.Edition(edition)
		sample, ok := webhook.Sample(typ, e.PublishedAt)
		if !ok {
			t.Fatalf("no sample of %s", typ)
		}
		sample.Seq, sample.Edition, sample.EditionID = int64(len(d.Log)+1), e.Number, e.ID
		d.Log = append(d.Log, &sample.LogEntry)
	}
	for _, typ := range types { // the first edition is only counted
		add(1, typ)
	}
	for i, typ := range types {
		add(int64(i+2), typ)
	}
	r := sitetest.New(t, catalog.Empty().Apply(d))
	counted := regexp.MustCompile(`(?s)<ul class="tally">.*?</ul>`)
	told := regexp.MustCompile(`^<li>(?:<a .*?</a>|<b>.*?</b>) .+\.</li>$`)
	for _, path := range []string{"/journal", "/en/journal"} {
		pages := r.Get(path).Body + r.Get(path+"?page=2").Body
		if n := strings.Count(counted.FindString(pages), "<li>"); n != len(types) {
			t.Errorf("%s counts %d types of %d: add the others to journalKinds of journal.go", path, n, len(types))
		}
		for i, typ := range types {
			_, issue, _ := strings.Cut(pages, `<section class="sec issue" id="n`+strconv.Itoa(i+2)+`">`)
			issue, _, _ = strings.Cut(issue, "</section>")
			item := journalItem.FindString(issue)
			if !told.MatchString(item) {
				t.Errorf("%s does not say what a %s changed: add a case to journalLines of journal.go: %q",
					path, typ, item)
			}
		}
	}
}
