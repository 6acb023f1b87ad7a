package pages_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/catalogtest"
	"github.com/palmares-hq/palmares/internal/sitetest"
	"github.com/palmares-hq/palmares/internal/testkit"
)

// The page of a list leads to its feed and to the same in the API, tells what happened to its tools alone, and
// offers the others. A form sends a tool at a time; the address has them in order.
func TestWatch(t *testing.T) {
	t.Parallel()
	s := catalogtest.First(catalogtest.Contents(
		catalogtest.Tool("rabot", catalogtest.Named("Rabot")), catalogtest.Tool("lime", catalogtest.Named("Lime")),
		catalogtest.Tool("etau", catalogtest.Named("Étau")), catalogtest.Tool("scie", catalogtest.Named("Scie & <fils>"), catalogtest.In("image")),
	), catalogtest.Edition(1))
	s = catalogtest.Amend(s, func(c *catalog.Contents) {
		catalogtest.Find(c, "rabot").Price = "25 €/mois"
		catalogtest.Find(c, "lime").Tagline = "Elle lime"
		catalogtest.Find(c, "scie").Score = catalog.Hundredths(810)
		catalogtest.Retire(c, "etau")
	})
	r := sitetest.New(t, s)
	const list = "outils=etau,rabot,scie"
	page := r.Get("/suivi?" + list)
	for _, text := range []string{
		`/flux/suivi.atom?` + list, `/api/v1/changes?slugs=etau,rabot,scie`, `name="robots" content="noindex`,
		`value="rabot" checked`, `value="lime">`, "passe de 20 à", "Scie &amp; &lt;fils&gt;", "rejoint le cimetière",
		`href="/suivi?` + list + `&amp;categorie=image"`,
	} {
		if !page.Says(text) && !strings.Contains(page.Body, text) {
			t.Errorf("the page has no %q:\n%s", text, page.Body)
		}
	}
	if strings.Contains(page.Body, "Elle lime") {
		t.Error("the page tells of a tool that is not in the list")
	}
	for from, to := range map[string]string{
		"/suivi?outils=scie&outils=etau&outils=rabot&outils=etau": "/suivi?" + list,
		"/suivi?outils=scie%2Cetau&outils=rabot&categorie=image":  "/suivi?" + list + "&categorie=image",
		"/en/watch?tools=scie,etau,rabot":                         "/en/watch?tools=etau,rabot,scie",
		"/flux/suivi.atom?outils=scie,rabot,etau":                 "/flux/suivi.atom?" + list,
		"/en/feeds/watch.atom?tools=scie,scie":                    "/en/feeds/watch.atom?tools=scie",
	} {
		a := r.Get(from)
		testkit.Equal(t, from, fmt.Sprint(a.Status, " ", a.Header.Get("Location")), "308 "+to)
		testkit.Equal(t, from+" is kept by", a.Header.Get("Cache-Control"), "no-store")
	}
	many := "x"
	for i := range 101 {
		many += fmt.Sprint(",x", i)
	}
	for _, bad := range []string{"/suivi?outils=" + many, "/flux/suivi.atom?outils=" + many, "/flux/suivi.atom?outils=a%2F", "/suivi?outils=%zz"} {
		testkit.Equal(t, bad[:min(len(bad), 30)], r.Get(bad).Status, 400)
	}
	for _, path := range []string{"/suivi", "/en/watch", "/suivi?categorie=image", "/suivi?outils=jamais", "/flux/suivi.atom", "/suivi?" + list, "/flux/suivi.atom?" + list, "/en/feeds/watch.atom?tools=rabot"} {
		a := r.Get(path)
		testkit.Equal(t, path, a.Status, 200)
		testkit.Equal(t, path+" is kept by", a.Header.Get("Cache-Control"), "private, no-cache") // the list is its reader's
	}
	feed := r.Get("/flux/suivi.atom?" + list)
	last := ""
	for e := range s.RecentChanges() {
		if e.Slug != "lime" && e.Slug != "catalog" {
			last = fmt.Sprint(e.Seq)
			break
		}
	}
	testkit.Equal(t, "the tag", feed.Header.Get("Etag"), `"`+last+`"`)
	for _, text := range []string{"Rabot", "Étau", "/suivi?" + list, "passe de"} {
		if !strings.Contains(feed.Body, text) {
			t.Errorf("the feed has no %q:\n%s", text, feed.Body)
		}
	}
	if strings.Contains(feed.Body, "Lime") {
		t.Error("the feed tells of a tool that is not in the list")
	}
	if bytes, pages := r.CacheStats(); pages != 0 {
		t.Errorf("%d pages of lists are kept, %d bytes", pages, bytes)
	}
}
