package site

import (
	"testing"

	"github.com/palmares-hq/palmares/internal/address"
	"github.com/palmares-hq/palmares/internal/locale"
)

func TestRouter(t *testing.T) {
	t.Parallel()
	rt := newRouter([]*route{
		{address: address.Page{Name: "list", French: "/outils", English: "/en/tools"}},
		{address: address.Page{Name: "item", French: "/outils/{slug}", English: "/en/tools/{slug}"}},
		{address: address.Page{Name: "badge", French: "/badge/{slug}.svg"}},
		{address: address.Page{Name: "picture", French: "/badge/{slug}.png"}},
		{address: address.Page{Name: "feed", French: "/flux/prix.atom"}},
	})
	for path, want := range map[string]struct {
		name string
		lang locale.Language
		slug string
	}{
		"/outils":          {name: "list"},
		"/en/tools":        {name: "list", lang: locale.English},
		"/outils/abc":      {name: "item", slug: "abc"},
		"/en/tools/abc":    {name: "item", lang: locale.English, slug: "abc"},
		"/badge/abc.svg":   {name: "badge", slug: "abc"},
		"/badge/abc.png":   {name: "picture", slug: "abc"},
		"/flux/prix.atom":  {name: "feed"},
		"":                 {},
		"/":                {},
		"/outils/":         {},
		"/outils/abc.svg":  {},
		"/outils/ABC":      {},
		"/outils/abc/abc":  {},
		"/badge/abc":       {},
		"/badge/.svg":      {},
		"/badge/abc.x.svg": {},
		"/badge/abc.svg.":  {},
		"/en/badge/a.svg":  {},
	} {
		got, slug, ok := rt.find(path)
		if ok != (want.name != "") {
			t.Errorf("%q: found %t", path, ok)
			continue
		}
		if ok && (got.route.address.Name != want.name || got.lang != want.lang || slug != want.slug) {
			t.Errorf("%q is %s %q in %s, want %+v", path, got.route.address.Name, slug, got.lang, want)
		}
		if ok && got.route.address.At(want.lang, slug) != path {
			t.Errorf("%q leads to %q", path, got.route.address.At(want.lang, slug))
		}
	}
}
