package site_test

import (
	"strings"
	"testing"

	"github.com/palmares-hq/palmares/internal/sitetest"

	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/catalogtest"
	"github.com/palmares-hq/palmares/internal/site"
)

// Where nobody can sign up, no page invites to, and those that speak of keys say who gives them.
func TestClosedSignUp(t *testing.T) {
	t.Parallel()
	s := catalogtest.Amend(catalogtest.Fixture(t), func(c *catalog.Contents) {
		c.Service.Words.Contact = catalog.Localized{French: "redaction@a.example", English: "editors@a.example"}
	})
	open := func(o *site.Options) {
		o.Accounts = true
	}
	closed := sitetest.New(t, s, open, func(o *site.Options) { o.Closed = true })
	const button = `<a class="btn" href="/compte/cles">Obtenir une clé</a>`
	pages := []sitetest.Wanted{
		{Path: "/", Says: []string{`<a class="btn" href="/compte/cles">Mon compte</a>`}, Silent: []string{button}},
		{Path: "/tarifs", Says: []string{
			"Les inscriptions sont fermées", `<a href="mailto:redaction@a.example">`, "0 €, inscriptions fermées",
		}, Silent: []string{button, "une adresse e-mail"}},
		{Path: "/en/plans", Says: []string{"Sign-up is closed: the operator", `<a href="mailto:editors@a.example">`}, Silent: []string{"an e-mail address"}},
	}
	for path, says := range map[string]string{
		"/docs/demarrage": "Les inscriptions sont fermées ici", "/docs/authentification": "Les inscriptions sont fermées ici",
		"/docs/comptes": "Les inscriptions sont fermées ici", "/en/docs/quick-start": "Sign-up is closed here", "/en/docs/authentication": "Sign-up is closed here",
	} {
		pages = append(pages, sitetest.Wanted{Path: path, Says: []string{says, "@a.example"}})
	}
	for _, path := range []string{"/docs/api/list-embeddings", "/en/docs/api/list-tools", "/docs/authentification", "/docs/quotas"} {
		pages = append(pages, sitetest.Wanted{Path: path, Silent: []string{"a key is free", "a free API key"}})
	}
	closed.Check(t, pages)
	for _, path := range []string{"/docs/demarrage.md", "/en/docs/quick-start.md"} {
		if md := closed.Get(path).Body; !strings.Contains(md, "@a.example") || !strings.Contains(md, "fermées ici") && !strings.Contains(md, "closed here") {
			t.Errorf("%s does not say it: %s", path, md)
		}
	}
	sitetest.New(t, s, open).Check(t, []sitetest.Wanted{
		{Path: "/tarifs", Says: []string{button}, Silent: []string{"fermées"}},
		{Path: "/docs/demarrage", Says: []string{"Une adresse e-mail suffit."}, Silent: []string{"fermées ici"}},
	})
}
