package pages_test

import (
	"strings"
	"testing"

	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/catalogtest"
	"github.com/palmares-hq/palmares/internal/sitetest"
)

// Pages tell of a rename as of one thing that happened to one tool: nothing left, and nothing came. What happened before
// is on the page of the tool as it is called now.
func TestRenamed(t *testing.T) {
	t.Parallel()
	s := catalogtest.First(catalogtest.Contents(
		catalogtest.Tool("rabot", catalogtest.Named("Rabot")), catalogtest.Tool("lime", catalogtest.Named("Lime")),
		catalogtest.Retired("feu", func(r *catalog.Retired) { r.Name = "Feu" }),
	), catalogtest.Edition(1))
	s = catalogtest.Amend(s, func(c *catalog.Contents) {
		catalogtest.Find(c, "rabot").Score = catalog.Hundredths(810)
		c.Tools = append(c.Tools, catalogtest.Tool("gouge", catalogtest.Named("Gouge")))
		c.Comparisons = append(c.Comparisons,
			catalogtest.Comparison("gouge-ou-lime", "gouge", "lime", func(c *catalog.Comparison) { c.Title = "Gouge ou Lime ?" }),
			catalogtest.Comparison("lime-ou-gouge", "lime", "gouge", func(c *catalog.Comparison) { c.Title = "Lime ou Gouge ?" }))
	})
	s = catalogtest.Amend(s, func(c *catalog.Contents) {
		rabot := catalogtest.Find(c, "rabot")
		rabot.Slug, rabot.Formerly, rabot.Name, rabot.Price = "rabot-pro", []string{"rabot"}, "Rabot Pro", "25 €/mois"
		gouge := catalogtest.Find(c, "gouge")
		gouge.Slug, gouge.Formerly = "gouge-fine", []string{"gouge"}
		for _, duel := range c.Comparisons {
			for _, slug := range []*string{&duel.ToolA, &duel.ToolB, &duel.Winner} {
				if *slug == "gouge" {
					*slug = "gouge-fine"
				}
			}
			if duel.Slug == "lime-ou-gouge" {
				duel.Slug, duel.Formerly = "lime-ou-gouge-fine", []string{"lime-ou-gouge"}
			}
		}
		c.Retired[0].Slug, c.Retired[0].Formerly = "feu-mort", []string{"feu"}
	})
	r := sitetest.New(t, s)
	r.Check(t, []sitetest.Wanted{
		{Path: "/journal", Says: []string{
			`<a href="/outils/rabot-pro">Rabot Pro</a> a pour nouvel identifiant <b>rabot-pro</b> (auparavant rabot) ; s'appelait Rabot et s'appelle désormais <b>Rabot Pro</b> ; passe de 20 à <b>25 €/mois</b>`,
			`<a href="/outils/gouge-fine">Gouge</a> a pour nouvel identifiant <b>gouge-fine</b> (auparavant gouge).`,
			`a pour nouvel identifiant <b>lime-ou-gouge-fine</b> (auparavant lime-ou-gouge)`,
			`<a href="/outils/feu-mort">Feu</a> a pour nouvel identifiant <b>feu-mort</b> (auparavant feu).`,
			`<a href="/outils/gouge-fine">Gouge</a> entre au catalogue`, // in the edition before
		}, Silent: []string{"sort du catalogue", "quitte le cimetière", "est retiré", "change d'adresse", "est revu"}},
		{Path: "/en/journal", Says: []string{"has the new slug <b>rabot-pro</b> (formerly rabot)"}, Silent: []string{"leaves the catalogue"}},
		{Path: "/outils/rabot-pro", Says: []string{"Identifiant : rabot → <b>rabot-pro</b>", "Note : ", "Entrée au catalogue"}},
		{Path: "/en/tools/gouge-fine", Says: []string{"Slug: gouge → <b>gouge-fine</b>"}, Silent: []string{"Entry revised"}},
		{Path: "/suivi?outils=gouge,rabot", Says: []string{
			`name="outils" value="gouge-fine,rabot-pro"`, `href="/suivi?outils=gouge-fine">Retirer`, `href="/suivi?outils=rabot-pro">Retirer`, "auparavant rabot",
			"a pour nouvel identifiant", `/flux/suivi.atom?outils=gouge,rabot`, `/flux/suivi.ics?outils=gouge,rabot`,
		}, Silent: []string{"n'est plus au catalogue", "sort du catalogue", `value="rabot"`}},
		{Path: "/suivi?outils=rabot,rabot-pro", Says: []string{`name="outils" value="rabot-pro"`, `href="/suivi">Retirer`, "1 outil, rien à signaler"}},
		{Path: "/en/watch?tools=rabot", Says: []string{"formerly rabot", "has the new slug"}},
		{Path: "/categories/code", Says: []string{`href="/outils/gouge-fine"`, `href="/outils/rabot-pro"`}, Silent: []string{`href="/outils/gouge"`, `href="/outils/rabot"`}},
		{Path: "/", Says: []string{`href="/outils/gouge-fine"`}, Silent: []string{`href="/outils/gouge"`, `href="/outils/rabot"`}},
	})
	if n := strings.Count(r.Get("/suivi?outils=rabot,rabot-pro").Body, "Retirer<"); n != 1 {
		t.Errorf("a tool is in the list %d times", n)
	}
	if n := strings.Count(r.Get("/journal").Body, "passe de 20"); n != 1 {
		t.Errorf("the journal tells of the price %d times", n)
	}
}
