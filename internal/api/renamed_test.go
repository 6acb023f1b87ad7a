package api_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/api"
	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/catalogtest"
	"github.com/palmares-hq/palmares/internal/testkit"
)

// formerSlugs serves the fixture with items that had other slugs before.
func formerSlugs(o *api.Options) {
	o.BaseURL = "https://palmares.example"
	o.Catalog = serving(catalogtest.Amend(o.Catalog.Current(), func(c *catalog.Contents) {
		catalogtest.Find(c, "zebre").Formerly = []string{"cheval", "poney"}
		for _, x := range c.Comparisons {
			if x.Slug == "eclair-ou-oeuvre" {
				x.Formerly = []string{"eclair-oeuvre"}
			}
		}
		for _, r := range c.Retired {
			if r.Slug == "feu-mort" {
				r.Formerly = []string{"feu-vif"}
			}
		}
	}))
}

// Every operation on one item answers for a slug that the item had before: a 404 that names the slug of today, leads to
// the same operation there, is nobody's to keep and costs as much as any other.
func TestRenamed(t *testing.T) {
	t.Parallel()
	c := newClient(t, formerSlugs)
	h := c.sign(account.Developer)
	asked := 0
	for path := range loadContract(t).doc.Paths.Map() {
		if !strings.Contains(path, "{slug}") {
			continue
		}
		asked++
		kind, slugs := "tool", map[string]string{"cheval": "zebre", "poney": "zebre", "feu-vif": "feu-mort"}
		if strings.Contains(path, "comparatifs") {
			kind, slugs = "comparison", map[string]string{"eclair-oeuvre": "eclair-ou-oeuvre"}
		}
		for old, now := range slugs {
			at := func(slug string) string { return strings.Replace(path, "{slug}", slug, 1) }
			cost := c.cost(&h, func() {
				got := c.get(at(old), h.bearer()...)
				got.wantError(404, "the "+kind+` "`+old+`" was renamed: its slug is now "`+now+`"; https://palmares.example/en/docs/errors says more`,
					"Link", "<https://palmares.example"+at(now)+`>; rel="successor-version"`, "Cache-Control", "no-store")
				if !slices.Contains(strings.Split(got.header.Get("Access-Control-Expose-Headers"), ", "), "Link") {
					t.Errorf("%s: a script cannot read its Link", at(old))
				}
			})
			testkit.Equal(t, "what "+at(old)+" costs", cost, 1)
			if said := c.get(at(now), h.bearer()...); said.status == 404 && strings.Contains(said.errorText(), "renamed") {
				t.Errorf("%s leads to itself", at(now))
			}
		}
		c.get(strings.Replace(path, "{slug}", "personne", 1), h.bearer()...).want(404, "Link", "")
	}
	if asked < 5 {
		t.Errorf("only %d operations are on one item", asked)
	}
}

// Lists take a slug that a tool had before for the tool, which is there once. Findings have a row for each slug.
func TestRenamed_Lists(t *testing.T) {
	t.Parallel()
	c := newClient(t, formerSlugs)
	for target, want := range map[string]string{
		"tools?slugs=poney":                                "zebre",
		"tools?slugs=cheval,poney,zebre":                   "zebre",
		"tools?slugs=cheval,oeuvre,personne&sort=name_asc": "oeuvre zebre",
		"tools?slugs=poney&q=zebre":                        "zebre",
		"tools?slugs=feu-vif":                              "", // retired
		"findings?slugs=cheval":                            "zebre",
		"findings?slugs=feu-vif,zebre,poney,personne":      "feu-mort zebre zebre",
	} {
		c.get(target).want(200).wantSlugs(want)
	}
}
