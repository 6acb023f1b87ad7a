package portal_test

import (
	"strings"
	"testing"

	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/catalogtest"
	"github.com/palmares-hq/palmares/internal/portal"
)

type oneCatalog struct{ *catalog.Snapshot }

func (c oneCatalog) Current() *catalog.Snapshot { return c.Snapshot }

// The operator is reached in one place, which the catalog names first, then the node; every page that
// sends owners there says it.
func TestContact_HasOneSource(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		said catalog.Localized
		node string
		want [2]string // in French and in English
	}{
		"the catalog":      {catalog.Localized{French: "redaction@a.example", English: "editors@a.example"}, "ops@b.example", [2]string{"mailto:redaction@a.example", "mailto:editors@a.example"}},
		"a page":           {catalog.Localized{French: "https://a.example/ecrire"}, "ops@b.example", [2]string{"https://a.example/ecrire", "https://a.example/ecrire"}},
		"the node":         {catalog.Localized{}, "ops@b.example", [2]string{"mailto:ops@b.example", "mailto:ops@b.example"}},
		"neither of these": {catalog.Localized{}, "", [2]string{"", ""}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, func(o *portal.Options) {
				o.Contact, o.Open = c.node, false
				o.Catalog = oneCatalog{catalogtest.Amend(catalogtest.Fixture(t), func(all *catalog.Contents) { all.Service.Words.Contact = c.said })}
			})
			w.account("ada@example.org", account.Developer)
			stranger, b := w.browser(), w.signedIn("ada@example.org")
			for l, paths := range [2][]string{{"/compte/offre", "/compte/reglages"}, {"/en/account/plan", "/en/account/settings"}} {
				for _, path := range paths {
					wantContact(t, b.get(path), c.want[l])
				}
			}
			for l, path := range []string{"/compte/connexion", "/en/account/sign-in"} {
				wantContact(t, stranger.get(path), c.want[l])
			}
		})
	}
}

// wantContact wants the contact in the page itself and in its foot, or no contact at all.
func wantContact(t *testing.T, p page, href string) {
	t.Helper()
	main, foot, _ := strings.Cut(p.Body, "<footer")
	for where, part := range map[string]string{"the page": main, "its foot": foot} {
		if href == "" && strings.Contains(part, "mailto:") || href != "" && !strings.Contains(part, `href="`+href+`"`) {
			t.Errorf("%s does not have %q: %s", where, href, p)
		}
	}
}
