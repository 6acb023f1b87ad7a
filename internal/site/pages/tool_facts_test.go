package pages_test

import (
	"testing"

	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/catalogtest"
	"github.com/palmares-hq/palmares/internal/site"
	"github.com/palmares-hq/palmares/internal/sitetest"
)

// A page says when a value was checked and where, how old a check is once it is old, and what will end.
func TestTool_Facts(t *testing.T) {
	t.Parallel()
	fact := func(day catalog.Date) catalog.Fact {
		return catalog.Fact{Source: "https://source.example/a?b=1&c=2", Checked: day, Note: "hors taxes"}
	}
	all := catalogtest.Snapshot(
		catalogtest.Tool("a", func(t *catalog.Tool) {
			t.Facts = catalog.ToolFacts{Price: fact("2026-01-10"), Score: fact("2025-06-30")}
			t.Ending = catalog.Ending{At: "2031-03-31", Source: "https://a.example/fin", Successor: "b"}
		}),
		catalogtest.Tool("b", func(t *catalog.Tool) { t.Ending.At = "2020-03-31" }),
		catalogtest.Comparison("a-b", "a", "b"),
		catalogtest.Retired("feu", func(r *catalog.Retired) { r.Successor, r.Facts.RetiredAt = "b", fact("2025-06-02") }),
	)
	r := sitetest.New(t, all)
	preview := sitetest.New(t, all, func(o *site.Options) { o.Preview = site.NewPreview(site.PreviewKeys{}) })
	row := "<p class=\"ends\"><b>S’arrêtera le 31\u00a0mars 2031.</b> <a href=\"https://a.example/fin\" rel=\"nofollow\">L’annonce<span class=\"vh\"> (Outil a)</span></a> <span>À la place\u00a0: <a href=\"/outils/b\">Outil b</a></span></p>"
	for path, says := range map[string][]string{
		"/outils/a": {
			"<span class=\"checked\"><a href=\"https://source.example/a?b=1&amp;c=2\" rel=\"nofollow\">vérifié le 10\u00a0janvier 2026</a>, hors taxes</span>",
			"vérifié le 30\u00a0juin 2025, à revoir", "Outil a s’arrêtera le 31\u00a0mars 2031.",
			`<a href="https://a.example/fin" rel="nofollow">L’annonce</a>`, "À la place\u00a0: <a href=\"/outils/b\">Outil b</a>",
		},
		"/en/tools/a": {
			">checked on 10\u00a0January 2026</a></span>", "checked on 30\u00a0June 2025, due", "Outil a will end on 31\u00a0March 2031.",
			`Instead: <a href="/en/tools/b">Outil b</a>`,
		},
		"/outils/a.md": {
			"Outil a s’arrêtera le 31\u00a0mars 2031.", "- L’annonce, <https://a.example/fin>", "- [Outil b](https://palmares.example/outils/b.md): À la place",
			"## Sources\n\n- Prix\u00a0: vérifié le 10\u00a0janvier 2026, <https://source.example/a?b=1&c=2>\n- Note\u00a0: vérifié le 30\u00a0juin 2025, à revoir",
		},
		"/outils/feu.md":           {"- [Outil b](https://palmares.example/outils/b.md)", "- Date du retrait\u00a0: vérifié le 2\u00a0juin 2025, à revoir, <https://source.example/"},
		"/outils/b":                {"Outil b devait s’arrêter le 31\u00a0mars 2020. Ce jour est passé"},
		"/outils":                  {row},
		"/en/tools":                {"<p class=\"ends\"><b>Will end on 31\u00a0March 2031.</b>"},
		"/categories/code":         {row},
		"/":                        {row},
		"/alternatives/a":          {row, "<b>Devait s’arrêter le 31\u00a0mars 2020.</b></p>"},
		"/alternatives/feu":        {row, "À la place\u00a0: <a href=\"/outils/b\">Outil b</a>"},
		"/comparatifs/a-b":         {`<p class="ends"><b>Outil a s’arrêtera le 31 mars 2031.</b>`},
		"/recherche?q=outil+a":     {row},
		"/recherche?q=feu":         {"À la place\u00a0: <a href=\"/outils/b\">Outil b</a>"},
		"/cimetiere":               {`id="bientot">Bientôt</h2>`, "<td class=\"when\">31\u00a0mars 2031 <a", `<td><a href="/outils/b">Outil b</a></td>`, "jour passé, à confirmer", `href="/flux/fins.ics"`, `href="/flux/fins.atom"`},
		"/cimetiere?category=code": {`id="bientot"`},
		"/outils/feu":              {"Date du retrait\u00a0: <span class=\"checked\">", "vérifié le 2\u00a0juin 2025", `<a href="/outils/b">Outil b</a>`},
	} {
		got := r.Get(path)
		for _, text := range says {
			if !got.Says(text) {
				t.Errorf("%s does not say %q", path, text)
			}
		}
	}
	for path, says := range map[string][]string{
		"/outils/a":   {"Sources, pour la rédaction", ">https://source.example/a?b=1&amp;c=2</a>", "hors taxes</span>", "<b>il y a 245\u00a0jours</b>", "aucune source", ">https://a.example/fin</a>"},
		"/en/tools/a": {"<td>51 days ago</td>"},
		"/outils/feu": {"Sources, pour la rédaction", "La date du retrait"},
	} {
		got := preview.Get(path)
		for _, text := range says {
			if !got.Says(text) {
				t.Errorf("the preview of %s does not say %q", path, text)
			}
		}
		if r.Get(path).Says(`class="drafts sources"`) {
			t.Errorf("%s shows readers what editors see", path)
		}
	}
	for _, path := range []string{"/cimetiere?category=image", "/cimetiere?reason=mort", "/cimetiere?page=2"} {
		if r.Get(path).Says(`id="bientot"`) {
			t.Errorf("%s has tools that it does not ask for", path)
		}
	}
	if r.Get("/outils/b").Says(`class="checked"`) {
		t.Error("a tool without sources has a check")
	}
	if r.Get("/en/tools/a").Says("hors taxes") {
		t.Error("an English page has a French note")
	}
}

// A check of 90 days ago is recent; one a day older is not, for readers and for editors.
func TestTool_AgeOfCheck(t *testing.T) {
	t.Parallel()
	all := catalogtest.Snapshot(
		catalogtest.Tool("a", func(t *catalog.Tool) {
			t.Facts.Price = catalog.Fact{Source: "https://a.example/", Checked: "2025-12-02"}
		}),
		catalogtest.Tool("b", func(t *catalog.Tool) {
			t.Facts.Price = catalog.Fact{Source: "https://b.example/", Checked: "2025-12-01"}
		}),
	)
	r := sitetest.New(t, all)
	preview := sitetest.New(t, all, func(o *site.Options) { o.Preview = site.NewPreview(site.PreviewKeys{}) })
	r.Wants(t, "/en/tools/a", []string{"checked on 2\u00a0December 2025"}, []string{"more than 90 days ago"})
	r.Wants(t, "/en/tools/b", []string{"checked on 1\u00a0December 2025, due"}, nil)
	preview.Wants(t, "/en/tools/a", []string{"<td>90 days ago</td>"}, []string{"<b>90 days ago</b>"})
	preview.Wants(t, "/en/tools/b", []string{"<b>91 days ago</b>"}, nil)
}
