package pages_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/catalogtest"
	"github.com/palmares-hq/palmares/internal/site"
	"github.com/palmares-hq/palmares/internal/sitetest"
	"github.com/palmares-hq/palmares/internal/testkit"
)

// The page of a list leads to its feed, its calendar and to the same in the API, tells what happened to its tools alone,
// and offers the others. A form sends a tool at a time; the address has them in order.
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
		`/flux/suivi.ics?` + list, `/api/v1/findings?slugs=etau,rabot,scie`, `<b>1 à revoir</b>`, "Retiré le 10", `href="/suivi?outils=etau,scie">Retirer`,
		`href="/en/watch?tools=etau,rabot,scie" lang="en"`, `<link rel="canonical" href="https://palmares.example/suivi">`,
		`name="outils" value="etau,rabot,scie"`, `value="lime">`, "passe de 20 à", "Scie &amp; &lt;fils&gt;", "rejoint le cimetière",
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
		"/flux/suivi.ics?outils=scie&outils=etau&q=x":             "/flux/suivi.ics?outils=etau,scie",
		"/suivi?outils=scie&outils=etau&q=%C3%89tau":              "/suivi?outils=etau,scie&q=%C3%89tau",
	} {
		a := r.Get(from)
		testkit.Equal(t, from, fmt.Sprint(a.Status, " ", a.Header.Get("Location")), "308 "+to)
		testkit.Equal(t, from+" is kept by", a.Header.Get("Cache-Control"), "no-store")
	}
	many := "x"
	for i := range 101 {
		many += fmt.Sprint(",x", i)
	}
	for _, bad := range []string{"/suivi?outils=" + many, "/flux/suivi.atom?outils=" + many, "/flux/suivi.atom?outils=a%2F", "/suivi?outils=%zz", "/flux/suivi.ics?outils=" + many, "/suivi?q=" + many} {
		testkit.Equal(t, bad[:min(len(bad), 30)], r.Get(bad).Status, 400)
	}
	for _, path := range []string{"/suivi", "/en/watch", "/suivi?categorie=image", "/suivi?outils=jamais", "/suivi?q=lime", "/flux/suivi.ics?" + list, "/flux/suivi.atom", "/suivi?" + list, "/flux/suivi.atom?" + list, "/en/feeds/watch.atom?tools=rabot"} {
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

// The page says what the list costs: this month, in the twelve before it and the twelve after it, and what is not in the sum.
func TestWatch_Bill(t *testing.T) {
	t.Parallel()
	first := catalogtest.Edition(1)
	first.PublishedAt = time.Date(2025, 6, 10, 12, 0, 0, 0, time.UTC)
	s := catalogtest.First(catalogtest.Contents(
		catalogtest.Tool("rabot", catalogtest.Named("Rabot")), catalogtest.Tool("pile", catalogtest.Named("Pile"), catalogtest.Priced(catalog.Paid, "5 €/crédit")),
		catalogtest.Tool("scie", catalogtest.Named("Scie"), catalogtest.Priced(catalog.Freemium, "120 €/an")),
	), first)
	s = catalogtest.Amend(s, func(c *catalog.Contents) { catalogtest.Find(c, "rabot").Price = "25 €/mois" })
	now := time.Date(2026, 3, 15, 9, 0, 0, 0, time.UTC)
	r := sitetest.New(t, s, func(o *site.Options) { o.Now = func() time.Time { return now } })
	r.Check(t, []sitetest.Wanted{
		{Path: "/suivi?outils=pile,rabot,scie", Says: []string{
			"Ce que coûte la liste", "35 € en mars 2026. 315 € sur les douze derniers mois, 420 € sur les douze prochains",
			`juin 2025</th><td class="n">inconnu`, `juillet 2025</th><td class="n">35 €`, `mars 2027</th><td class="n">35 €`, "une formule gratuite : Scie.", "à l'année : Pile.",
			"Avant que le prix de chaque outil soit connu",
			"/api/v1/bill?items=pile,rabot,scie&amp;from=2025-04&amp;to=2027-03", `class="bar today"`, `class="bar next"`,
		}, Silent: []string{"prix annoncé"}},
		{Path: "/en/watch?tools=rabot", Says: []string{"€25 in March 2026. €225 over the last twelve months, €300 over the next twelve", `June 2025</th><td class="n">unknown`}, Silent: []string{"free plan", "Left out"}},
		{Path: "/suivi?outils=jamais,pile", Silent: []string{"Ce que coûte la liste"}},
	})
}

// Names typed find tools to add, the living and the retired; what is found stays while one after the other is added.
func TestWatch_Search(t *testing.T) {
	t.Parallel()
	var items []any
	for i := range 110 {
		items = append(items, catalogtest.Tool(fmt.Sprintf("outil-%03d", i), catalogtest.Named(fmt.Sprintf("Numéro %03d", i))))
	}
	items = append(
		items, catalogtest.Tool("rabot", catalogtest.Named("Rabot"), func(t *catalog.Tool) { t.Domain = "rabot.example" }),
		catalogtest.Tool("rabotine", catalogtest.Named("Rabotine <b>")), catalogtest.Retired("feu", func(r *catalog.Retired) { r.Name = "Feu vif" }),
	)
	r := sitetest.New(t, catalogtest.Snapshot(items...))
	full := make([]string, 100)
	for i := range full {
		full[i] = fmt.Sprintf("outil-%03d", i)
	}
	list := strings.Join(full, ",")
	r.Check(t, []sitetest.Wanted{
		{Path: "/suivi", Says: []string{`<input id="q" type="search" name="q" value=""`}, Silent: []string{"Trouvés", "Dans votre liste"}},
		{Path: "/suivi?q=rabot", Says: []string{
			`href="/suivi?outils=rabot&amp;q=rabot">Ajouter`, `href="/suivi?outils=rabotine&amp;q=rabot">Ajouter`, "Rabotine &lt;b&gt;",
		}},
		{Path: "/suivi?outils=rabot&q=rabot.example%2Cfeu+vif%2Czzzz", Says: []string{
			"dans la liste", `href="/suivi?outils=feu,rabot&amp;q=rabot.example%2Cfeu+vif%2Czzzz">Ajouter`, "ne correspond à « zzzz »",
			`<input type="hidden" name="outils" value="rabot">`, `href="/suivi?q=rabot.example%2Cfeu+vif%2Czzzz">Retirer`,
		}},
		{Path: "/en/watch?tools=rabot&q=feu", Says: []string{`href="/en/watch?tools=feu,rabot&amp;q=feu">Add`, `<input type="hidden" name="tools" value="rabot">`}},
		{Path: "/suivi?outils=" + list + "&q=rabot", Says: []string{"La liste est pleine : elle a 100 outils", "100 outils, rien à signaler"}, Silent: []string{"Ajouter<", `type="checkbox"`}},
		{Path: "/suivi?outils=jamais", Says: []string{"N'est plus au catalogue.", "1 outil, <b>1 à revoir</b>"}},
	})
	if n := strings.Count(r.Get("/suivi?q=numero,a,b,c,d,e,f,g").Body, ">Ajouter<"); n == 0 || n > 5*3+1 {
		t.Errorf("%d tools are found for many names", n)
	}
}

// What there is to say of each tool is that of the findings, in words, with tools to use instead.
func TestWatch_Findings(t *testing.T) {
	t.Parallel()
	r := sitetest.New(t, catalogtest.Snapshot(
		catalogtest.Tool("bon", catalogtest.Scored(900), catalogtest.Named("Bon")),
		catalogtest.Tool("cher", catalogtest.Scored(800), catalogtest.Priced(catalog.Paid, "20 €/mois"), func(t *catalog.Tool) {
			t.History = []catalog.PriceChange{{ChangedAt: "2026-06-01", OldPricing: catalog.Paid, OldPrice: "10 €/mois", NewPricing: catalog.Paid, NewPrice: "20 €/mois"}}
		}),
		catalogtest.Tool("partant", catalogtest.Scored(420), func(t *catalog.Tool) {
			t.Ending = catalog.Ending{At: "2031-03-31", Successor: "bon"}
		}),
		catalogtest.Retired("feu", func(r *catalog.Retired) { r.Successor = "partant" }),
	))
	r.Check(t, []sitetest.Wanted{
		{Path: "/suivi?outils=bon,cher,feu,partant", Says: []string{
			"4 outils, <b>3 à revoir</b>", "20 €/mois, contre 10 €/mois jusqu'au 1er juin 2026.", "S'arrêtera le 31 mars 2031.", "Note basse : 4,2.",
			"Retiré le 1er juin 2025.", `À la place : <a href="/outils/bon">Bon</a>`,
		}},
		{Path: "/en/watch?tools=bon,cher,feu,partant", Says: []string{
			"4 tools, <b>3 to look at again</b>", "€20/month, up from €10/month until 1 June 2026.", "Will end on 31 March 2031.", "Low score: 4.2.", "Retired on 1 June 2025.",
		}},
	})
}

// Tools, comparisons and retired tools lead to a list that has them, and the front page to an empty one.
func TestWatch_IsLedTo(t *testing.T) {
	t.Parallel()
	r := sitetest.New(t, catalogtest.Snapshot(
		catalogtest.Tool("rabot", catalogtest.Scored(800)), catalogtest.Tool("lime", catalogtest.Scored(700)),
		catalogtest.Comparison("rabot-ou-lime", "rabot", "lime"), catalogtest.Retired("feu"),
	))
	for path, to := range map[string]string{
		"/": "/suivi", "/outils/rabot": "/suivi?outils=rabot", "/outils/feu": "/suivi?outils=feu", "/comparatifs/rabot-ou-lime": "/suivi?outils=lime,rabot",
		"/en/": "/en/watch", "/en/tools/rabot": "/en/watch?tools=rabot", "/en/tools/feu": "/en/watch?tools=feu", "/en/comparisons/rabot-ou-lime": "/en/watch?tools=lime,rabot",
	} {
		if !strings.Contains(r.Get(path).Body, `href="`+to+`"`) {
			t.Errorf("%s does not lead to %s", path, to)
		}
		testkit.Equal(t, to, r.Get(to).Status, 200)
	}
}
