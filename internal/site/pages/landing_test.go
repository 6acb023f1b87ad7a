package pages_test

import (
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
	for path, way := range map[string]string{"/": "/compte", "/tarifs": "/compte", "/en/plans": "/en/account"} {
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
		{true, "/tarifs", "Vous vous abonnez depuis votre compte, page Offre\u00a0: 99\u00a0€ HT par mois.", "On ne peut pas encore payer ici"},
		{true, "/en/plans", `<a class="btn quiet" href="/en/account/plan">Subscribe to Pro</a>`, "You cannot pay here"},
		{false, "/tarifs", "On ne peut pas encore payer ici\u00a0: l’exploitant", "Vous vous abonnez"},
		{false, "/en/plans", "You cannot pay here yet: the operator", "Subscribe to Pro"},
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
			"a rank shared by what is equal to the second decimal", tied, "/", []string{
				`<td class="pos">1</td><th scope="row" class="who"><a href="/outils/b">`, `<td class="pos">3</td>`,
				`<td class="n note">9,0</td>`,
			}, []string{`<td class="pos">2</td>`, `<td class="n note">8,9`},
		},
		{"all operations", first, "/en/", []string{`<a href="/en/docs/api">All operations</a>`}, nil},
		{
			"categories, and the headers beside the answer", first, "/", []string{
				`<li><a href="/categories/code">Code&nbsp;<span class="num">3</span></a></li>`, `<div class="headers"><h3>En-têtes de la réponse</h3>`,
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
