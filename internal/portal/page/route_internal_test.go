package page

import (
	"testing"

	"github.com/palmares-hq/palmares/internal/address"
	"github.com/palmares-hq/palmares/internal/locale"
	"github.com/palmares-hq/palmares/internal/testkit"
)

func none(*Request) (*Answer, error) { return &Answer{}, nil }

// A list of routes that contradicts itself makes no server.
func TestRoutes_AgreeWithEachOther(t *testing.T) {
	t.Parallel()
	for name, routes := range map[string][]Route{
		"a form before its page":                      {Post(address.Keys, "create", none, SignedIn), Get(address.Keys, none, SignedIn)},
		"a page twice":                                {Get(address.Keys, none, SignedIn), Get(address.Keys, none, SignedIn)},
		"a form twice":                                {Get(address.Keys, none, SignedIn), Post(address.Keys, "create", none, SignedIn), Post(address.Keys, "create", none, SignedIn)},
		"an open form of a page that is not":          {Get(address.Keys, none, SignedIn), Post(address.Keys, "create", none, Open)},
		"a form that needs a session on an open page": {Get(address.SignIn, none, Open), Post(address.SignIn, "ask", none, SignedIn)},
	} {
		if _, err := newPages(routes); err == nil {
			t.Errorf("%s: the routes are taken", name)
		}
	}
}

func TestPages_Find(t *testing.T) {
	t.Parallel()
	all, err := newPages([]Route{
		Get(address.SignIn, none, Open), Get(address.Keys, none, SignedIn), Get(address.Endpoint, none, SignedIn), Get(address.Delivery, none, SignedIn),
	})
	testkit.Must(t, err)
	for path, want := range map[string]struct {
		page address.Page
		l    locale.Language
		ids  []string
	}{
		"/compte/cles":               {address.Keys, locale.French, nil},
		"/en/account/keys":           {address.Keys, locale.English, nil},
		"/compte/webhooks/ep_1":      {address.Endpoint, locale.French, []string{"ep_1"}},
		"/en/account/webhooks/a/b-c": {address.Delivery, locale.English, []string{"a", "b-c"}},
	} {
		p, l, ids, ok := all.find(path)
		if !ok {
			t.Errorf("%s is not found", path)
			continue
		}
		testkit.Equal(t, path, p.Page, want.page)
		testkit.Equal(t, path, l, want.l)
		testkit.Equal(t, path, ids, want.ids)
	}
	for _, path := range []string{"", "/", "/compte", "/compte/cles/", "/Compte/cles", "/compte/webhooks/", "/compte/webhooks/a b", "/compte/webhooks/{id}", "/compte/webhooks/../a", "/compte/webhooks/a/b/c"} {
		if _, _, _, ok := all.find(path); ok {
			t.Errorf("%q is found", path)
		}
	}
	if !all.needsSession("/compte/cles") || all.needsSession("/compte/connexion") || all.needsSession("/compte/nope") {
		t.Error("pages that need a session are mistaken for others")
	}
}
