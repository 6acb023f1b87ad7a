package pages_test

import (
	"fmt"
	"testing"

	"github.com/palmares-hq/palmares/internal/sitetest"

	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/catalogtest"
	"github.com/palmares-hq/palmares/internal/site"
)

// Where there are account pages, the masthead and the page of plans lead to them.
func TestAccountPages(t *testing.T) {
	t.Parallel()
	accounts := func(o *site.Options) {
		o.Accounts = true
	}
	with, without := sitetest.New(t, catalogtest.Fixture(t), accounts), sitetest.New(t, catalogtest.Fixture(t))
	for path, link := range map[string]string{"/": `<a href="/compte">Mon compte</a>`, "/en/cemetery": `<a href="/en/account">My account</a>`} {
		with.Wants(t, path, []string{link}, nil)
		without.Wants(t, path, nil, []string{link})
	}
	for path, way := range map[string]string{"/tarifs": "/compte", "/en/plans": "/en/account"} {
		keys := map[string]string{"/compte": "/compte/cles", "/en/account": "/en/account/keys"}[way]
		with.Wants(t, path, []string{`<a class="btn quiet" href="` + keys + `">`, `<tr class="choose">`}, nil)
		without.Wants(t, path, []string{`#appel">`, `<tr class="choose">`}, nil)
	}
	for path, links := range map[string][2]string{
		"/":         {`<a class="btn" href="/compte/cles">Obtenir une clé</a>`, `<a class="btn" href="/#appel">Premier appel</a>`},
		"/en/tools": {`<a class="btn" href="/en/account/keys">Get a key</a>`, `<a class="btn" href="/en/#appel">First call</a>`},
		"/en/plans": {`<a class="btn quiet" href="/en/account/plan">See my plan</a>`, `<a class="btn" href="/en/#appel">First call</a>`},
	} {
		with.Wants(t, path, links[:1], links[1:])
		without.Wants(t, path, links[1:], []string{links[0], "/compte", "/account"})
	}
}

// The page of plans says where Pro is bought, or, where it cannot be, who sets plans.
func TestPlans_SayHowToGetPro(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		checkout bool
		path     string
		has, not string
	}{
		{true, "/tarifs", "Vous vous abonnez depuis votre compte, page Offre\u00a0: 99\u00a0€ HT par mois.", "Pro n’est pas encore vendu en ligne"},
		{true, "/en/plans", `<a class="btn quiet" href="/en/account/plan">Subscribe to Pro</a>`, "Pro is not sold online yet"},
		{false, "/tarifs", "Pro n’est pas encore vendu en ligne", "Vous vous abonnez"},
		{false, "/en/plans", "Pro is not sold online yet", "Subscribe to Pro"},
	} {
		sitetest.New(t, catalogtest.Fixture(t), func(o *site.Options) {
			o.Accounts = true
			o.Checkout, o.VAT = tt.checkout, "standard"
		}).Wants(t, tt.path, []string{tt.has}, []string{tt.not})
	}
}

func TestLanding(t *testing.T) {
	t.Parallel()
	first := catalogtest.Snapshot(
		catalogtest.Tool("marteau", catalogtest.Named("Marteau & <Fils>"), catalogtest.Scored(910),
			catalogtest.Priced(catalog.Paid, "20 €/mois")),
		catalogtest.Tool("scie", catalogtest.Scored(640), catalogtest.Priced(catalog.Paid, "10 €/mois")),
		catalogtest.Tool("lime", catalogtest.Unscored),
	)
	second := catalogtest.Amend(first, func(c *catalog.Contents) {
		catalogtest.Find(c, "marteau").Price = "15 €/mois"
		catalogtest.Find(c, "scie").Price = "11 €/mois"
		c.Tools = append(c.Tools, catalogtest.Tool("rabot", catalogtest.Scored(725)))
		c.Sort()
		catalogtest.Retire(c, "lime")
	})
	later := catalogtest.Amend(catalogtest.Snapshot(catalogtest.Tool("scie"), catalogtest.Retired("vieux")),
		func(c *catalog.Contents) { c.Tools = append(c.Tools, catalogtest.Tool("pince")); c.Sort() })
	tied := catalogtest.Snapshot(
		catalogtest.Tool("a", catalogtest.Scored(900)), catalogtest.Tool("b", catalogtest.Scored(900)), catalogtest.Tool("c", catalogtest.Scored(896)),
	)
	checked := func(on catalog.Date) func(*catalog.Tool) {
		return func(t *catalog.Tool) { t.Facts.Price = catalog.Fact{Source: "https://x.example", Checked: on} }
	}
	said := func(c *catalog.Contents) {
		c.Service.Words.Promise = catalog.Localized{French: "Essayés d’abord.", English: "Tried first."}
		c.Service.Words.Proofs[0] = catalog.Proof{
			Label: catalog.Localized{French: "Publicité", English: "Advertising"}, Value: catalog.Localized{French: "aucune"},
		}
	}
	today := tied.Edition().Date()
	ago := func(days int) catalog.Date { return catalog.DateOf(today.Time().AddDate(0, 0, -days)) }
	proven := catalogtest.Amend(catalogtest.Snapshot(
		catalogtest.Tool("a", checked(today)), catalogtest.Tool("b", checked(ago(80))), catalogtest.Tool("c", checked(ago(95))),
	), said)
	unproven := catalogtest.Snapshot(catalogtest.Tool("a", checked(today)), catalogtest.Tool("b", checked(ago(91))), catalogtest.Tool("c"))
	contents := catalogtest.Contents()
	contents.Categories = nil
	for i := range 14 {
		slug := fmt.Sprintf("c%d", i)
		contents.Categories = append(contents.Categories, catalog.Category{Slug: slug, Label: "Catégorie " + slug})
		contents.Tools = append(contents.Tools, catalogtest.Tool("t"+slug, catalogtest.In(slug)))
	}
	contents.Sort()
	wide := catalogtest.First(contents, catalogtest.Edition(1))
	empty := catalogtest.Snapshot()
	for _, tc := range []struct {
		name     string
		snapshot *catalog.Snapshot
		path     string
		has      []string
		hasNot   []string
	}{
		{"the first edition", first, "/", []string{"C’est la première édition", "Marteau &amp; &lt;Fils&gt;", "9,1"}, []string{"lime", "class=\"trio\""}},
		{
			"the week", second, "/", []string{
				"descend à 15\u00a0€/mois", "−25\u00a0%", "passe à 11\u00a0€/mois", "&#43;10\u00a0%", "7,3",
				`<div class="notice">`,
			}, []string{"première édition"},
		},
		{
			"the week in English", second, "/en/", []string{
				"comes down to €15/month", "−25%", "goes up to €11/month", "7.3", `href="/en/tools/marteau"`,
			}, nil,
		},
		{
			"a death of another year", later, "/", []string{
				"Aucun outil n’a été retiré depuis sept jours.", `Le dernier` + "\u00a0" + `: <a href="/outils/vieux">Feu vieux</a>`,
			}, []string{`<div class="notice">`},
		},
		{
			"the best of each category, with who is tied", tied, "/", []string{
				`<tr class="first"><th scope="row"><a href="/categories/code">Code</a></th><td class="who"><a href="/outils/a">Outil a</a> <span class="small dim">ex æquo avec Outil b</span>`,
				`<td class="n note">9,0</td>`, `<dt>Outils notés</dt><dd class="num">3 sur 3</dd>`,
			}, []string{`href="/outils/c"`, "Prix vérifiés"},
		},
		{
			"prices that were checked, and the operator’s own proofs", proven, "/en/", []string{
				`<dt>Prices checked in 90 days</dt><dd class="num">66%</dd>`, `<dt>Advertising</dt><dd class="num">`, `<span lang="fr">aucune</span></dd>`,
				`<p class="lede">Tried first.</p>`,
			}, []string{"A score out of ten"},
		},
		{"half of the prices are old", unproven, "/", []string{`Une note sur dix, le prix en euros`}, []string{"Prix vérifiés"}},
		{
			"the best of twelve categories, and links to the others", wide, "/", []string{
				"Le meilleur de douze catégories", `href="/categories/c0"`, `<nav class="choices below" aria-label="Autres catégories"><ul><li><a href="/categories/c1`,
			}, nil,
		},
		{"all operations", first, "/en/", []string{`<a href="/en/docs/api">All operations</a>`}, nil},
		{
			"categories, and the headers beside the answer", first, "/", []string{
				`<th scope="row"><a href="/categories/code">Code</a></th>`, `<div class="headers"><h3>En-têtes de la réponse</h3>`,
			}, []string{`href="/categories/image"`},
		},
		{"no tool", empty, "/", []string{"Aucun outil n’a encore de note"}, []string{`id="appel"`, "Face à face"}},
		{"a first call in Go", first, "/?lang=go", []string{"http.Get", `content="noindex"`}, []string{"curl &#39;"}},
		{"a language that there is not", first, "/?lang=cobol", []string{"curl &#39;https://palmares.example/api/v1/tools/marteau&#39;"}, []string{"noindex"}},
		{"the whole answer", first, "/", []string{`<span class="k">&#34;slug&#34;</span>: <span class="s">&#34;marteau&#34;</span>`}, nil},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			sitetest.New(t, tc.snapshot).Wants(t, tc.path, tc.has, tc.hasNot)
		})
	}
}
