package layout_test

import (
	"html/template"
	"os"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/layout"
	"github.com/palmares-hq/palmares/internal/layouttest"
	"github.com/palmares-hq/palmares/internal/locale"
	"github.com/palmares-hq/palmares/internal/testkit"
	"github.com/palmares-hq/palmares/internal/web"
)

func TestTexts(t *testing.T) {
	t.Parallel()
	layouttest.Used(t, os.DirFS("."), layout.FrameTexts())
}

// A package brings its pages, its texts and its functions, and gets the frame around them.
func TestRenderer(t *testing.T) {
	t.Parallel()
	file := func(s string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(s)} }
	r, err := layout.NewRenderer(layout.Options{
		Templates: fstest.MapFS{
			"templates/keys.html":       file(`{{define "main"}}{{t "keys.title"}} {{shout .}} {{template "own" .}}{{end}}`),
			"templates/parts/own.html":  file(`{{define "own"}}<a href="{{path "tool" "abc"}}">{{end}}`),
			"templates/parts/note.html": file(`{{define "notices"}}{{with .Files}}<aside>{{.}}</aside>{{end}}{{end}}`),
		},
		Pages: []string{"keys"},
		Texts: layout.Texts{"keys.title": {"Clés", "Keys"}},
		Functions: func(w layout.Writer) template.FuncMap {
			return template.FuncMap{"shout": func(s string) string { return w.Must("keys.title") + s + "!" }}
		},
	})
	testkit.Must(t, err)
	for l, wants := range map[locale.Language][]string{
		locale.French: {
			`<html lang="fr">`, `<title>A | P</title>`, `Clés Clés&lt;b&gt;!`, `<a href="/outils/abc">`,
			`<a href="/prix" aria-current="page">Prix</a>`, `<a class="btn" href="/compte">Compte</a>`,
			`<li><a href="/flux/nouveaux.atom">`, `<aside>&lt;i&gt;</aside>`,
		},
		locale.English: {
			`<html lang="en">`, `Keys Keys&lt;b&gt;!`, `<a href="/en/tools/abc">`,
			`<a href="/en/prices" aria-current="page">Prices</a>`, `<li><a href="/en/llms.txt">`,
		},
	} {
		w := r.Writer(l)
		html, err := r.Render("keys", &layout.Frame{
			Lang: l, Title: "A", Service: catalog.Service{Name: "P"}, Sections: w.Sections("prices"),
			Button: layout.Button{Text: "Compte", Path: "/compte"}, Files: "<i>", Body: "<b>",
		})
		testkit.Must(t, err)
		for _, want := range wants {
			if !strings.Contains(string(html), want) {
				t.Errorf("%s: there is no %s in\n%s", l, want, html)
			}
		}
		html, err = r.Render("error", &layout.Frame{Lang: l, Body: w.ErrorBody(web.Errorf(404, "x"))})
		testkit.Must(t, err)
		if s := string(html); !strings.Contains(s, w.Must("error.404")) || strings.Contains(s, `<aside>`) ||
			strings.Contains(s, `og:image`) || strings.Contains(s, `</nav>\n<a class="btn"`) {
			t.Errorf("%s: the page of an error is\n%s", l, s)
		}
	}
	if _, err := r.Render("other", &layout.Frame{}); err == nil {
		t.Error("there is a page that nobody brought")
	}
}
