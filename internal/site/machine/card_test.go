package machine_test

import (
	"encoding/xml"
	"image/png"
	"strings"
	"testing"

	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/catalogtest"
	"github.com/palmares-hq/palmares/internal/site"
	"github.com/palmares-hq/palmares/internal/site/picture"
	"github.com/palmares-hq/palmares/internal/sitetest"
	"github.com/palmares-hq/palmares/internal/testkit"
)

func pictured() *catalog.Snapshot {
	return catalogtest.Snapshot(
		catalogtest.Tool("note", catalogtest.Scored(910)), catalogtest.Tool("nu", catalogtest.Unscored),
		catalogtest.Tool("long", catalogtest.Named(strings.Repeat("Longueur", 10))),
		catalogtest.Tool("hostile", catalogtest.Named(sitetest.Alien), catalogtest.Tagline(sitetest.Alien)),
		catalogtest.Retired("mort"), catalogtest.Comparison("note-nu", "note", "nu"),
	)
}

// wantShared gets a picture, which pages elsewhere may show and caches keep.
func wantShared(t *testing.T, r *sitetest.Reader, path, contentType string) testkit.Response {
	t.Helper()
	got := r.Get(path)
	testkit.Equal(t, path, got.Status, 200)
	for name, want := range map[string]string{
		"Content-Type":                 contentType,
		"Cache-Control":                "s-maxage=3600, stale-while-revalidate=86400",
		"Cross-Origin-Resource-Policy": "cross-origin",
		"X-Content-Type-Options":       "nosniff",
	} {
		testkit.Equal(t, path+": "+name, got.Header.Get(name), want)
	}
	testkit.Equal(t, path+" again", r.Get(path, "If-None-Match", got.Header.Get("Etag")).Status, 304)
	return got
}

// Each tool has a picture of its own in each language; a slug that nobody has draws none.
func TestCards(t *testing.T) {
	t.Parallel()
	s := pictured()
	r := sitetest.New(t, s)
	seen := make(map[string]string)
	for _, path := range []string{
		"/og.png", "/en/og.png", "/og/note.png", "/en/og/note.png", "/og/nu.png", "/og/long.png",
		"/og/hostile.png", "/og/mort.png", "/en/og/mort.png",
		"/og/comparatifs/note-nu.png", "/en/og/comparisons/note-nu.png", "/og/categories/code.png", "/en/og/categories/code.png", "/og/categories/vide.png",
	} {
		got := wantShared(t, r, path, "image/png")
		img, err := png.Decode(strings.NewReader(got.Body))
		testkit.Must(t, err)
		testkit.Equal(t, path, [2]int{img.Bounds().Dx(), img.Bounds().Dy()}, [2]int{1200, 630})
		if same := seen[got.Body]; same != "" {
			t.Errorf("%s is %s", path, same)
		}
		seen[got.Body] = path
	}
	_, drawn := r.CacheStats()
	testkit.Equal(t, "what is kept", drawn, len(seen))
	for _, path := range []string{"/og/personne.png", "/og/note.jpg", "/og/NOTE.png", "/og/.png", "/en/og/personne.png", "/og/comparatifs/note.png", "/og/categories/x.png"} {
		testkit.Equal(t, path, r.Get(path).Status, 404)
	}
	_, after := r.CacheStats()
	testkit.Equal(t, "what is kept after that", after, drawn)

	// A picture outlives its edition, and changes with what it shows.
	before := r.Get("/og/note.png").Body
	r.Swap(catalogtest.Amend(s, func(c *catalog.Contents) { catalogtest.Find(c, "nu").Tagline = "Autre" }))
	_, after = r.CacheStats()
	testkit.Equal(t, "what the next edition keeps", after, drawn)
	testkit.Equal(t, "a picture of what stays", r.Get("/og/note.png").Body == before, true)
	if now := r.Get("/og/nu.png").Body; seen[now] != "" {
		t.Error("the picture shows the last edition")
	}
}

// What a card says, in the words of its language.
func TestCards_Words(t *testing.T) {
	t.Parallel()
	r := sitetest.New(t, pictured())
	for path, card := range map[string]picture.Card{
		"/og.png": {Line: "Les outils d’IA, notés, comparés, servis en JSON."},
		"/og/note.png": {
			Kicker: "1er du classement · Code", Title: "Outil note", Line: "Un outil", Score: "9,1",
			OutOf: "Note sur 10", Tenths: 91,
		},
		"/en/og/note.png": {
			Kicker: "1st in the ranking · Code", Title: "Outil note", Line: "Un outil", Score: "9.1",
			OutOf: "Score out of 10", Tenths: 91,
		},
		"/og/nu.png":   {Kicker: "Code · pas encore noté", Title: "Outil nu", Line: "Un outil"},
		"/og/mort.png": {Kicker: "Mort, 1er\u00a0juin\u00a02025", Title: "Feu mort", Line: "Fermé.", Retired: true},
	} {
		card.Service, card.Host = "Palmarès", "palmares.example"
		want, err := card.Draw()
		testkit.Must(t, err)
		if r.Get(path).Body != string(want) {
			t.Errorf("%s does not show %+v", path, card)
		}
	}
}

// Pictures are kept within their part of the cache.
func TestCards_Bound(t *testing.T) {
	t.Parallel()
	const bound = 8 * 64 << 10 // an eighth holds two or three
	r := sitetest.New(t, pictured(), func(o *site.Options) { o.Cache = bound })
	for _, slug := range []string{"note", "nu", "long", "hostile", "mort", "note"} {
		testkit.Equal(t, slug, r.Get("/og/"+slug+".png").Status, 200)
		if size, kept := r.CacheStats(); size > bound/8 || kept == 0 {
			t.Errorf("after %s %d pictures take %d bytes", slug, kept, size)
		}
	}
}

func TestBadges(t *testing.T) {
	t.Parallel()
	r := sitetest.New(t, pictured())
	seen := make(map[string]string)
	for path, title := range map[string]string{
		"/badge/note.svg":                  "Outil note\u00a0: 9,1 sur 10, selon Palmarès",
		"/badge/note.svg?theme=dark":       "Outil note\u00a0: 9,1 sur 10, selon Palmarès",
		"/badge/note.svg?lang=en":          "Outil note: 9.1 out of 10, according to Palmarès",
		"/badge/nu.svg":                    "Outil nu\u00a0: pas encore noté, selon Palmarès",
		"/badge/nu.svg?theme=dark&lang=en": "Outil nu: not scored yet, according to Palmarès",
		"/badge/mort.svg":                  "Feu mort\u00a0: retiré, selon Palmarès",
		"/badge/mort.svg?theme=dark":       "Feu mort\u00a0: retiré, selon Palmarès",
		"/badge/mort.svg?lang=en":          "Feu mort: retired, according to Palmarès",
		"/badge/hostile.svg":               sitetest.Alien + "\u00a0: 7,0 sur 10, selon Palmarès",
	} {
		got := wantShared(t, r, path, "image/svg+xml")
		var svg struct {
			XMLName xml.Name `xml:"http://www.w3.org/2000/svg svg"`
			Title   string   `xml:"title"`
			Text    []string `xml:"text"` // drawn as outlines
			Script  []string `xml:"script"`
		}
		testkit.Must(t, xml.Unmarshal([]byte(got.Body), &svg))
		testkit.Equal(t, path, svg.Title, title)
		if len(svg.Text)+len(svg.Script) > 0 || seen[got.Body] != "" {
			t.Errorf("%s is not drawn, or the same as %s: %s", path, seen[got.Body], got.Body)
		}
		seen[got.Body] = path
	}
	light := r.Get("/badge/note.svg").Body
	for _, query := range []string{"theme=light", "theme=", "theme=DARK", "lang=de", "x=1", "%zz", "theme=light&theme=dark"} {
		testkit.Equal(t, query, r.Get("/badge/note.svg?"+query).Body == light, true)
	}
	for _, path := range []string{"/badge/personne.svg", "/badge/note", "/badge/note.png", "/en/badge/note.svg"} {
		testkit.Equal(t, path, r.Get(path).Status, 404)
	}
}
