package site

import (
	"testing"

	"github.com/palmares-hq/palmares/internal/layout"
	"github.com/palmares-hq/palmares/internal/locale"
)

func TestRouter(t *testing.T) {
	t.Parallel()
	rt := newRouter([]*kind{
		{name: "list", paths: layout.Paths{"/outils", "/en/tools"}},
		{name: "item", paths: layout.Paths{"/outils/{slug}", "/en/tools/{slug}"}},
		{name: "badge", paths: layout.Paths{"/badge/{slug}.svg"}},
		{name: "picture", paths: layout.Paths{"/badge/{slug}.png"}},
		{name: "feed", paths: layout.Paths{"/flux/prix.atom"}},
	})
	for path, want := range map[string]struct {
		kind string
		lang locale.Language
		slug string
	}{
		"/outils":          {kind: "list"},
		"/en/tools":        {kind: "list", lang: locale.English},
		"/outils/abc":      {kind: "item", slug: "abc"},
		"/en/tools/abc":    {kind: "item", lang: locale.English, slug: "abc"},
		"/badge/abc.svg":   {kind: "badge", slug: "abc"},
		"/badge/abc.png":   {kind: "picture", slug: "abc"},
		"/flux/prix.atom":  {kind: "feed"},
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
		if ok != (want.kind != "") {
			t.Errorf("%q: found %t", path, ok)
			continue
		}
		if ok && (got.kind.name != want.kind || got.lang != want.lang || slug != want.slug) {
			t.Errorf("%q is %s %q in %s, want %+v", path, got.kind.name, slug, got.lang, want)
		}
		if ok && got.kind.paths.At(want.lang, slug) != path {
			t.Errorf("%q leads to %q", path, got.kind.paths.At(want.lang, slug))
		}
	}
	if got := rt.kinds["feed"].paths.At(locale.English, ""); got != "/flux/prix.atom" {
		t.Errorf("in English the feed is at %q", got)
	}
}
