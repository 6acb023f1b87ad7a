package pages_test

import (
	"html"
	"regexp"
	"strings"
	"testing"

	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/catalogtest"
	"github.com/palmares-hq/palmares/internal/params"
	"github.com/palmares-hq/palmares/internal/sitetest"
	"github.com/palmares-hq/palmares/internal/testkit"
)

func TestAlternatives(t *testing.T) {
	t.Parallel()
	priced := func(price string) func(*catalog.Tool) { return catalogtest.Priced(catalog.Paid, price) }
	r := sitetest.New(t, catalogtest.Snapshot(
		catalogtest.Tool("a", catalogtest.Scored(800)),
		catalogtest.Tool("b", catalogtest.Named(sitetest.Hostile), catalogtest.Scored(825), priced("100 €/an")),
		catalogtest.Tool("c", catalogtest.Scored(800), priced("240 €/an"), func(t *catalog.Tool) { t.ICP = catalog.VibeCoder }),
		catalogtest.Tool("d", catalogtest.Scored(600), priced("5 €/image")),
		catalogtest.Tool("e", catalogtest.Unscored, catalogtest.Priced(catalog.Free, "0 €/mois")),
		catalogtest.Tool("low", catalogtest.Scored(599)),
		catalogtest.Tool("heir", catalogtest.In("video"), catalogtest.Scored(320)),
		catalogtest.Tool("ending", catalogtest.In("video"), func(t *catalog.Tool) { t.Ending = catalog.Ending{At: "2031-03-31", Successor: "heir"} }),
		catalogtest.Tool("solo", catalogtest.In("image")),
		catalogtest.Comparison("a-d", "a", "d"),
		catalogtest.Retired("x", func(x *catalog.Retired) { x.Name, x.Successor = sitetest.Hostile, "heir" }),
		catalogtest.Retired("y", func(x *catalog.Retired) { x.Category = "vide" }),
	))
	r.Check(t, []sitetest.Wanted{
		{Path: "/alternatives/a", Says: []string{
			"Alternatives à Outil a</h1>", "<b>GET</b> /api/v1/tools?slugs=a,b,c,d,e<",
			`<tr class="first"><th scope="row" class="who"><a href="/outils/a">Outil a</a>`, "l'outil à remplacer",
			"&lt;b&gt;\"O'Reilly", "8,3</b><small>0,3 de plus<", "100 €/an<small>soit 8,33 € par mois</small><small>11,67 € de moins par mois<",
			"<small>même note<", "240 €/an<small>soit 20 € par mois</small><small>même prix<", "Créateurs sans code (vibe coders)<small>autre public<",
			"<small>2,0 de moins<", "5 €/image<small>autre unité de facturation<", `href="/comparatifs/a-d">Le face-à-face<`,
			"<small>pas de note à comparer<", "0 €/mois<small>ne coûte rien<", "Tout le monde<small>même public<", `href="/categories/code"`,
		}},
		{Path: "/alternatives/heir", Says: []string{"<b>GET</b> /api/v1/tools?slugs=ending,heir<"}, Silent: []string{"son successeur"}},
		{Path: "/alternatives/ending", Says: []string{"<b>GET</b> /api/v1/tools?slugs=ending,heir<", "son successeur"}},
		{Path: "/alternatives/e", Says: []string{"n'est pas gratuit", "20 € de plus par mois"}},
		{Path: "/alternatives/solo", Says: []string{"c'est lui ou rien", `content="Outil solo n'a pas encore d'alternative`}, Silent: []string{"<table"}},
		{Path: "/alternatives/x", Says: []string{
			`<a href="/cimetiere" aria-current="page">`, `class="notice"`, "Que prendre à la place", "<b>GET</b> /api/v1/tools?slugs=a,b,c,d,e,heir<", `href="/outils/d"`, "son successeur",
		}, Silent: []string{`class="first"`, "même public"}},
		{Path: "/alternatives/y", Says: []string{"il n'y a rien à prendre à la place"}, Silent: []string{"<table"}},
		{Path: "/en/alternatives/a", Says: []string{"Alternatives to Outil a</h1>", "€11.67 less a month", "different audience"}},
		{Path: "/en/alternatives/y", Says: []string{`<span lang="fr">Fermé.</span>`, "nothing to use instead"}},
		{Path: "/alternatives/nobody", Status: 404},
	})
}

// The call that the page shows returns the list that it shows, in its order, best first; nothing in it is below 6 but
// what editors name as the successor.
func TestAlternativesAreTheirCall(t *testing.T) {
	t.Parallel()
	contents := catalogtest.NewWorld(5, 60).Published()
	s := catalogtest.First(contents, catalogtest.Edition(1))
	r := sitetest.New(t, s)
	heirs := make(map[string]string)
	for _, x := range contents.Tools {
		heirs[x.Slug] = x.Ending.Successor
	}
	for _, x := range contents.Retired {
		heirs[x.Slug] = x.Successor
	}
	lists, named := 0, 0
	for slug, heir := range heirs {
		page := r.Get("/alternatives/" + slug).Body
		call := shownCall.FindStringSubmatch(page)
		if call == nil {
			if strings.Contains(page, "<table") {
				t.Errorf("the alternatives to %s have no call", slug)
			}
			continue
		}
		lists++
		p, err := params.ParseTools(html.UnescapeString(call[1]))
		testkit.Must(t, err)
		var want, got []string
		for _, t := range s.Tools(p.Query()).Items {
			want = append(want, t.Slug)
		}
		for _, m := range shownRow.FindAllStringSubmatch(page, -1) {
			got = append(got, m[1])
			x, _ := s.Tool(m[1])
			low := x.Score.Known && x.Score.Hundredths < 600
			if last, _ := s.Successor(slug); low && x.Slug != slug && x.Slug != heir && (last == nil || x.Slug != last.Slug) {
				t.Errorf("instead of %s the page offers %s, which has %s", slug, x.Slug, x.Score)
			}
			if x.Slug == heir {
				named++
			}
		}
		testkit.Equal(t, "the rows of "+slug, got, want)
	}
	if lists < 40 || named == 0 {
		t.Errorf("only %d lists, %d of them with a successor", lists, named)
	}
}

var (
	shownCall = regexp.MustCompile(`<b>GET</b> /api/v1/tools\?([^<]*)<`)
	shownRow  = regexp.MustCompile(`<th scope="row" class="who"><a href="/outils/([^"]*)"`)
	deathNote = regexp.MustCompile(`(?s)<article class="notice.*?</article>(.{0,400}class="btn".{0,100})?`)
)

// A death notice, with what stands right below it, says once what to use instead, and does not lead to its own page.
func TestNoticesSayOnceWhatToUseInstead(t *testing.T) {
	t.Parallel()
	r := sitetest.New(t, catalogtest.Snapshot(
		catalogtest.Tool("a"), catalogtest.Retired("feu"), catalogtest.Retired("suivi", func(x *catalog.Retired) { x.Successor = "a" }),
	))
	for _, language := range []struct{ prefix, tool, review, cemetery, category, search, instead, options string }{
		{"", "/outils/", "/avis/", "/cimetiere", "/categories/code", "/recherche?q=feu", "à la place", "autres options"},
		{"/en", "/tools/", "/reviews/", "/cemetery", "/categories/code", "/search?q=feu", "instead", "other options"},
	} {
		for _, slug := range []string{"feu", "suivi"} {
			for path, most := range map[string]int{
				language.tool + slug: 1, language.review + slug: 1, "/alternatives/" + slug: 0, language.cemetery: 1, language.category: 1, language.search: 1,
			} {
				path = language.prefix + path
				notes := deathNote.FindAllString(html.UnescapeString(r.Get(path).Body), -1)
				if len(notes) == 0 {
					t.Errorf("%s has no notice", path)
				}
				for _, note := range notes {
					said := strings.ToLower(plain(note))
					if n := strings.Count(said, language.instead); n > 1 || n+strings.Count(said, language.options) < most {
						t.Errorf("%s says %d times %q:\n%s", path, n, language.instead, note)
					}
					if strings.Contains(note, `href="`+path+`"`) {
						t.Errorf("%s leads to itself:\n%s", path, note)
					}
				}
			}
		}
	}
}
