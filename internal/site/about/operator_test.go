package about_test

import (
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/catalogtest"
	"github.com/palmares-hq/palmares/internal/site"
	"github.com/palmares-hq/palmares/internal/site/about"
	"github.com/palmares-hq/palmares/internal/sitetest"
	"github.com/palmares-hq/palmares/internal/testkit"
)

func file(name, text string) *catalog.OperatorFile { return catalog.NewOperatorFile(name, text) }

// Before the operator has written anything, the pages are there and claim nothing.
func TestWords_Neutral(t *testing.T) {
	t.Parallel()
	r := sitetest.New(t, catalogtest.Snapshot(catalogtest.Tool("a")))
	r.Check(t, []sitetest.Wanted{
		{
			Path: "/comment-nous-testons", Silent: []string{"nous testons</", "Sommaire", "logo drawn", "mailto:"},
			Says: []string{
				`<h1 class="page-h">Méthode</h1>`, "Palmarès n'a pas encore décrit sa méthode.",
				`<meta name="robots" content="noindex">`, `<p class="dim">Fonctionne avec Palmarès</p>`,
				`<li><a href="/comment-nous-testons">Méthode</a></li><li><a href="/mentions-legales">Mentions légales</a></li>`,
			},
		},
		{Path: "/en/how-we-test", Says: []string{`<h1 class="page-h">Method</h1>`, "Palmarès has not described its method yet."}},
		{Path: "/mentions-legales", Says: []string{"n'a pas encore publié ses mentions légales"}},
		{Path: "/en/legal", Says: []string{"has not published its legal notice yet"}},
		{Path: "/confidentialite", Says: []string{"n'a pas encore publié sa politique"}, Silent: []string{`class="kept"`}},
		{Path: "/en/privacy", Says: []string{"has not published its privacy policy yet"}},
		{Path: "/conditions", Says: []string{"n'a pas encore publié ses conditions"}},
		{Path: "/en/terms", Says: []string{"has not published its terms yet"}},
		{Path: "/sitemap.xml", Silent: []string{"conditions", "confidentialite"}},
	})
}

// What the operator wrote is on these pages, in the languages that it has, and at the foot of all.
func TestWords_Written(t *testing.T) {
	t.Parallel()
	s := catalogtest.Amend(catalogtest.Snapshot(catalogtest.Tool("a")), func(c *catalog.Contents) {
		c.Service.Words = catalog.Words{
			Promise:  catalog.Localized{French: "Achetés, puis <essayés>."},
			Colophon: catalog.Localized{French: "Une rédaction.", English: "A desk."},
			Contact:  catalog.Localized{French: "ici@palmares.example", English: "https://palmares.example/x"},
			Unsigned: true,
		}
		c.Files = []*catalog.OperatorFile{
			file("comment-nous-testons.md", "Un essai : *long*.\n\n## Un\n\na\n\n## Deux\n\nb\n\n## Trois\n\nc <script>\n"),
			file("conditions.md", "Des mots.\n"), file("conditions.en.md", "Own words: \"so\".\n"),
		}
	})
	r := sitetest.New(t, s, func(o *site.Options) { o.Contact = "ailleurs@palmares.example" })
	r.Check(t, []sitetest.Wanted{
		{
			Path: "/comment-nous-testons", Silent: []string{"noindex", "Fonctionne avec", "ailleurs@", "<script>\n"},
			Says: []string{
				`<h1 class="page-h">Comment nous testons</h1>`, "<p id=\"resume\">Un essai : <em>long</em>.</p>",
				`<li><a href="#deux">Deux</a></li>`, `<h2 id="trois">Trois</h2>`, "c &lt;script&gt;",
				`<li><a href="mailto:ici@palmares.example">ici@palmares.example</a></li>`, `<p>Une rédaction.</p>`,
			},
		},
		{
			Path: "/en/how-we-test", Says: []string{
				`<article class="review" lang="fr"><div class="tongue" lang="en">In French:</div>`, `<ol lang="fr">`, "<p>A desk.</p>",
				`<li><a href="https://palmares.example/x">Contact us</a></li>`,
			},
		},
		{Path: "/en/terms", Says: []string{"Own words: “so”."}, Silent: []string{`<article class="review" lang="fr">`, "French only"}},
		{Path: "/", Says: []string{"Achetés, puis &lt;essayés&gt;.</p>"}},
		{Path: "/en/", Says: []string{`<span lang="fr">Achetés, puis &lt;essayés&gt;.</span></p>`}},
		{Path: "/outils/a", Says: []string{`href="mailto:ici@palmares.example?subject=`}},
		{Path: "/en/tools/a", Says: []string{`<a href="https://palmares.example/x">`}},
		{Path: "/sitemap.xml", Says: []string{"<loc>https://palmares.example/conditions</loc>", "/en/terms<"}, Silent: []string{"mentions-legales"}},
	})
}

// The page about privacy says what the program does, and names others only where they are used.
func TestWords_Privacy(t *testing.T) {
	t.Parallel()
	s := catalogtest.Snapshot(catalogtest.Tool("a"), file("confidentialite.md", "Nos mots.\n"))
	kept := []about.Retention{{What: "sessions", For: 30 * 24 * time.Hour}, {What: "sign-ins", For: 24 * time.Hour}, {What: "addresses", For: time.Hour}}
	r := sitetest.New(t, s, func(o *site.Options) { o.Privacy = about.PrivacyFacts{Retention: kept} })
	r.Check(t, []sitetest.Wanted{
		{
			Path: "/confidentialite", Silent: []string{"Qui d'autre", "relais"},
			Says: []string{
				"Nos mots.", `Sessions ouvertes, avec le nom du navigateur</th><td>30 jours</td>`, "<td>1 jour</td>", "<td>1 heure</td>",
			},
		},
		{Path: "/en/privacy", Says: []string{"<td>30 days</td>", "<td>1 day</td>", "<td>1 hour</td>"}},
	})
	r = sitetest.New(t, s, func(o *site.Options) { o.Privacy = about.PrivacyFacts{Mail: true, Payment: "Stripe"} })
	r.Check(t, []sitetest.Wanted{
		{Path: "/confidentialite", Says: []string{"Un relais de messagerie", "Stripe encaisse"}, Silent: []string{`class="kept"`}},
		{Path: "/en/privacy", Says: []string{"A mail relay", "Stripe takes"}},
	})
}

const drawing = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 120 32"><path d="M0 0"/></svg>`

// A page loads the files of its own edition, which caches keep for good. What an older page asks for
// gets the file of now, for once.
func TestWords_Files(t *testing.T) {
	t.Parallel()
	bare := catalogtest.Snapshot(catalogtest.Tool("a"))
	dress := func(colour string) func(*catalog.Contents) {
		return func(c *catalog.Contents) {
			c.Files = []*catalog.OperatorFile{
				file("logo.svg", drawing+colour), file("favicon.svg", drawing), file("theme.css", ":root { --mark: "+colour+"; }"),
			}
		}
	}
	ours := regexp.MustCompile(`"(/static/favicon\.[^"]+)"`)
	r := sitetest.New(t, bare)
	plain := ours.FindStringSubmatch(r.Get("/tarifs").Body)[1]
	first := catalogtest.Amend(bare, dress("#aaa"))
	r.Swap(first)
	page := r.Get("/tarifs").Body
	logo := regexp.MustCompile(`<a class="logo drawn" href="/"><img src="([^"]+)" width="120" height="32" alt="Palmarès"></a>`).FindStringSubmatch(page)
	theme := regexp.MustCompile(`site\.[^"]+">\n<link rel="stylesheet" href="(/static/theme\.[^"]+)">`).FindStringSubmatch(page)
	icon := regexp.MustCompile(`<link rel="icon" href="(/static/favicon\.[0-9a-f]{12}\.svg)"`).FindStringSubmatch(page)
	if logo == nil || theme == nil || icon == nil {
		t.Fatalf("the page does not load it:\n%s", page)
	}
	const forever = "public, max-age=31536000, immutable"
	for path, want := range map[string]string{
		logo[1]: "image/svg+xml", theme[1]: "text/css; charset=utf-8", icon[1]: "image/svg+xml", plain: "image/svg+xml",
	} {
		got := r.Get(path)
		testkit.Equal(t, path, got.Header.Get("Content-Type"), want)
		testkit.Equal(t, path, got.Header.Get("Cache-Control"), forever)
		testkit.Equal(t, path, got.Header.Get("X-Content-Type-Options"), "nosniff")
		testkit.Equal(t, path, got.Header.Get("Content-Security-Policy") != "", path != plain)
	}
	if body := r.Get(plain).Body; strings.Contains(body, "120") {
		t.Errorf("our own icon is %s", body)
	}

	r.Swap(catalogtest.Amend(first, dress("#bbb")))
	old := r.Get(theme[1])
	testkit.Equal(t, "an older theme", old.Body, ":root { --mark: #bbb; }")
	testkit.Equal(t, "an older theme", old.Header.Get("Cache-Control"), "no-cache")
	testkit.Equal(t, "a file that is the same", r.Get(icon[1]).Header.Get("Cache-Control"), forever)
	if next := r.Get("/tarifs").Body; strings.Contains(next, theme[1]) || !strings.Contains(next, icon[1]) {
		t.Error("the page of the next edition loads the older theme, or another icon")
	}

	r.Swap(bare)
	testkit.Equal(t, "a theme that is gone", r.Get(theme[1]).Status, 404)
	testkit.Equal(t, "an icon that is gone", r.Get(icon[1]).Body, r.Get(plain).Body)
	testkit.Equal(t, "an icon that is gone", r.Get(icon[1]).Header.Get("Cache-Control"), "no-cache")
}
