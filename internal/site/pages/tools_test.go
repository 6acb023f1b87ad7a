package pages_test

import (
	"errors"
	"fmt"
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

var tags = regexp.MustCompile(`<[^>]*>`)

// readable is what a reader sees of a page, as one line of text.
func readable(body string) string {
	return strings.Join(strings.Fields(html.UnescapeString(tags.ReplaceAllString(body, ""))), " ")
}

// main is a page without its frame.
func main(body string) string {
	_, body, _ = strings.Cut(body, "<main")
	body, _, _ = strings.Cut(body, "</main>")
	return body
}

// wantShown fails the test where a page lacks a text of has or has one of hasNot, be it as markup
// or as a reader sees it.
func wantShown(t *testing.T, path string, got testkit.Response, has, hasNot []string) {
	t.Helper()
	testkit.Equal(t, path, got.Status, 200)
	body := main(got.Body)
	text := readable(body)
	for _, want := range has {
		want = strings.Join(strings.Fields(want), " ")
		if !strings.Contains(body, want) && !strings.Contains(text, want) {
			t.Errorf("%s does not show %q:\n%s", path, want, text)
		}
	}
	for _, not := range hasNot {
		if strings.Contains(body, not) || !strings.Contains(not, "<") && strings.Contains(text, not) {
			t.Errorf("%s shows %q:\n%s", path, not, text)
		}
	}
}

// workshop has tools of two categories, one of them without a score, and an old one.
func workshop() *catalog.Snapshot {
	return catalogtest.Snapshot(
		catalogtest.Tool("marteau", catalogtest.Scored(910), catalogtest.Tagline("Il tape 'juste' !")),
		catalogtest.Tool("scie", catalogtest.Scored(840), func(t *catalog.Tool) {
			t.Obsolescence = catalog.Hundredths(700)
		}),
		catalogtest.Tool("lime", catalogtest.Scored(615)),
		catalogtest.Tool("vilebrequin", catalogtest.Unscored),
		catalogtest.Tool("pinceau", catalogtest.In("image"), catalogtest.Scored(955),
			catalogtest.Priced(catalog.Free, "0 €/mois")),
	)
}

var toolLinks = regexp.MustCompile(`<th scope="row" class="who"><a href="/outils/([a-z-]+)">`)

// The page lists what the call that it shows lists, in the same order.
func TestTools_ListWhatTheAPILists(t *testing.T) {
	t.Parallel()
	s := workshop()
	r := sitetest.New(t, s)
	for _, query := range []string{
		"", "category=code", "category=image", "category=vide", "score_min=8.4", "score_min=-1", "obsolescence_max=5",
		"category=code&obsolescence_max=2&score_min=5&sort=score_asc", "sort=score_desc", "sort=score_asc",
		"sort=name_asc", "sort=name_desc", "limit=2&page=2", "limit=2&page=2&sort=name_asc&category=code", "page=9",
	} {
		body := r.Get("/outils?" + query).Body
		var got []string
		for _, m := range toolLinks.FindAllStringSubmatch(body, -1) {
			got = append(got, m[1])
		}
		call := regexp.MustCompile(`<b>GET</b> (/api/v1/tools[^<]*)</code>`).FindStringSubmatch(body)
		if call == nil {
			t.Errorf("%q: the page shows no call", query)
			continue
		}
		_, shown, _ := strings.Cut(html.UnescapeString(call[1]), "?")
		p, err := params.ParseTools(shown)
		testkit.Must(t, err)
		var want []string
		for _, tool := range s.Tools(p.Query()).Items {
			want = append(want, tool.Slug)
		}
		testkit.Equal(t, query+": the tools of "+call[1], fmt.Sprint(got), fmt.Sprint(want))
		asked, err := params.ParseTools(query)
		testkit.Must(t, err)
		testkit.Equal(t, query+": what "+call[1]+" asks for", fmt.Sprint(p), fmt.Sprint(asked))
	}
}

func TestTools(t *testing.T) {
	t.Parallel()
	first := func(slug string) string {
		return `<tr class="first"><td class="pos">1</td><th scope="row" class="who"><a href="/outils/` + slug + `">`
	}
	nasty := catalogtest.Snapshot(catalogtest.Tool("x",
		catalogtest.Named(`<b onclick="x">'`+strings.Repeat("é", 60)), catalogtest.Tagline("<script>")))
	many := make([]any, 0, 120)
	for i := range 120 {
		many = append(many, catalogtest.Tool(fmt.Sprintf("t-%03d", i), catalogtest.Scored(900-i)))
	}
	for name, tc := range map[string]struct {
		snapshot *catalog.Snapshot // workshop when nil
		path     string
		has      []string
		hasNot   []string
	}{
		"the best first": {
			path: "/outils",
			has: []string{
				"5 outils", first("pinceau"), "9,6", "6,2", "Il tape ’juste’\u202f!", "20\u00a0€/mois", "pas encore noté",
				"Les outils qui n’ont pas encore de note viennent en dernier", "Catégorie sans outil 0",
				`<option value="" selected>les mieux notés d’abord</option><option value="score_asc">`,
			},
			hasNot: []string{`class="chip"`, "Tout effacer"},
		},
		"in English": {
			path: "/en/tools",
			has: []string{
				"5 tools", "9.6", "€20/month", "no score yet", `<span lang="fr">Il tape`, `<a href="/en/tools/marteau">`,
			},
			hasNot: []string{"outils", "Note"},
		},
		"of a category": {
			path: "/outils?category=code&score_min=6",
			has: []string{
				"3 outils", first("marteau"), `<a class="chip" href="/outils?score_min=6">Code`,
				`<a class="chip" href="/outils?category=code">Note ≥ 6`, `<a href="/outils">Tout effacer</a>`,
				`<a href="/outils?category=code&amp;score_min=6" aria-current="true">Code`,
				`<a href="/outils?category=code&amp;pricing=payant&amp;score_min=6">Payant</a>`, `<input type="hidden" name="category" value="code">`, `<option value="6" selected>6</option>`,
			},
		},
		"of a model and an audience": {
			path: "/outils?pricing=gratuit&icp=mixte",
			has: []string{
				`<a href="/outils?icp=mixte&amp;pricing=gratuit" aria-current="true">Gratuit</a>`, `<a href="/outils?icp=mixte">Toutes</a>`,
				`<a class="chip" href="/outils?icp=mixte">Gratuit`, "GET /api/v1/tools?icp=mixte&pricing=gratuit",
				`<input type="hidden" name="icp" value="mixte">`,
			},
		},
		"by name": {
			path: "/outils?sort=name_asc",
			has: []string{
				`aria-sort="ascending"><a href="/outils?sort=name_desc">Outil`, `<a href="/outils">Note</a>`,
				`<td class="pos">2</td><th scope="row" class="who"><a href="/outils/marteau">`,
			},
			hasNot: []string{`class="first"`, "viennent en dernier"},
		},
		"the worst first": {
			path:   "/outils?sort=score_asc&category=code",
			has:    []string{`aria-sort="ascending"><a href="/outils?category=code">Note`},
			hasNot: []string{`class="first"`},
		},
		"the best is left out": {
			snapshot: catalogtest.Amend(workshop(), func(c *catalog.Contents) {
				catalogtest.Find(c, "pinceau").Obsolescence = catalog.Hundredths(900)
			}),
			path:   "/outils?obsolescence_max=5",
			has:    []string{`<tr><td class="pos">2</td><th scope="row" class="who"><a href="/outils/marteau">`},
			hasNot: []string{`class="first"`},
		},
		"nothing passes": {
			path: "/outils?score_min=9.9&obsolescence_max=0.5",
			has: []string{
				"0 outil", "Aucun outil ne correspond à ces filtres.", "retirez un filtre", "Fraîcheur ≥ 9,5",
				`<option value="9.9" selected>9,9</option>`,
			},
			hasNot: []string{"<table"},
		},
		"an empty category": {
			path: "/outils?category=vide", has: []string{"La catégorie n’a pas encore d’outil."}, hasNot: []string{"<table"},
		},
		"no such category": {
			path: "/outils?category=%3Cb%3E", has: []string{"pas de catégorie de ce nom", "&lt;b&gt;"}, hasNot: []string{"<table"},
		},
		"no tool at all": {
			catalogtest.Snapshot(), "/en/tools", []string{"There is no tool in the catalogue yet."}, []string{"<table"},
		},
		"beyond the last page": {
			path: "/outils?page=3&category=code",
			has: []string{
				"4 outils", "s’arrête avant la page 3", `<a href="/outils?category=code">Aller à la dernière page</a>`,
			},
			hasNot: []string{"<table"},
		},
		"a page in the middle": {
			snapshot: catalogtest.Snapshot(many...),
			path:     "/outils?page=2&category=code",
			has: []string{
				`<td class="pos">51</td>`, "Page 2 sur 3", `<li><a href="/outils?category=code">1</a></li><li><b aria-current="page">2</b></li>`,
				`href="/outils?category=code" rel="prev"`,
				`href="/outils?category=code&amp;page=3" rel="next"`,
			},
			hasNot: []string{`class="first"`},
		},
		"the limit is kept": {
			snapshot: catalogtest.Snapshot(many...), path: "/outils?limit=20&page=2",
			has: []string{`<input type="hidden" name="limit" value="20">`, "Page 2 sur 6", `>3</a></li><li><span class="dim">…</span></li><li><a href="/outils?limit=20&amp;page=6">6</a>`},
		},
		"a hostile name": {
			nasty, "/outils", []string{`&lt;b onclick=`, "&lt;script&gt;"}, []string{"<b onclick", "<script>"},
		},
		"filters that are empty": {
			path: "/outils?category=&score_min=&sort=&page=", has: []string{"5 outils"}, hasNot: []string{`class="chip"`},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if tc.snapshot == nil {
				tc.snapshot = workshop()
			}
			wantShown(t, tc.path, sitetest.New(t, tc.snapshot).Get(tc.path), tc.has, tc.hasNot)
		})
	}
}

// Search engines are to find the list itself, not each way to filter it.
func TestTools_OnlyTheWholeListIsIndexed(t *testing.T) {
	t.Parallel()
	r := sitetest.New(t, workshop())
	for path, indexed := range map[string]bool{
		"/outils": true, "/en/tools": true, "/outils?category=": true, "/outils?utm_source=x": true, "/outils?page=1": true,
		"/outils?category=code": false, "/outils?page=2": false, "/outils?sort=name_asc": false, "/outils?limit=10": false,
	} {
		testkit.Equal(t, path, !strings.Contains(r.Get(path).Body, `content="noindex"`), indexed)
	}
}

// What the API refuses is refused, and the page names the parameter.
func TestTools_Refused(t *testing.T) {
	t.Parallel()
	r := sitetest.New(t, workshop())
	for _, query := range []string{
		"score_min=beaucoup", "obsolescence_max=1e400", "sort=price", "page=0", "limit=201", "category=a&category=b", "sort=%zz",
	} {
		_, err := params.ParseTools(query)
		var refused *params.RefusedError
		if !errors.As(err, &refused) {
			t.Fatalf("the API takes %s, or refuses it without a reason: %v", query, err)
		}
		got := r.Get("/outils?" + query)
		testkit.Equal(t, query, got.Status, 400)
		if !strings.Contains(got.Body, refused.Name) || !strings.Contains(got.Body, `<a class="btn" href="/outils">Retirer ce paramètre</a>`) {
			t.Errorf("%s: the page does not name it, or leads nowhere: %s", query, readable(main(got.Body)))
		}
	}
}
