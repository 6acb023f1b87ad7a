package layout_test

import (
	"strings"
	"testing"

	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/catalogtest"
	"github.com/palmares-hq/palmares/internal/layout"
	"github.com/palmares-hq/palmares/internal/locale"
	"github.com/palmares-hq/palmares/internal/testkit"
)

// The contact is that of the catalog, in the language of the page if it can be, then the node's.
func TestOperator_Contact(t *testing.T) {
	t.Parallel()
	french := catalog.Localized{French: "a@x.example"}
	both := catalog.Localized{French: "a@x.example", English: "https://x.example/b"}
	for _, c := range []struct {
		said      catalog.Localized
		otherwise string
		lang      locale.Language
		want      layout.Contact
	}{
		{catalog.Localized{}, "", locale.French, layout.Contact{}},
		{catalog.Localized{}, "n@x.example", locale.English, layout.Contact{Text: "n@x.example", Href: "mailto:n@x.example"}},
		{french, "n@x.example", locale.French, layout.Contact{Text: "a@x.example", Href: "mailto:a@x.example"}},
		{french, "", locale.English, layout.Contact{Text: "a@x.example", Href: "mailto:a@x.example"}},
		{both, "", locale.English, layout.Contact{Text: "Contact us", Href: "https://x.example/b"}},
	} {
		s := catalogtest.Amend(catalogtest.Snapshot(), func(to *catalog.Contents) { to.Service.Words.Contact = c.said })
		w := layout.NewWriter(c.lang, layout.FrameTexts())
		testkit.Equal(t, "the contact", w.Operator(s, c.otherwise).Contact, c.want)
	}
}

// A logo has the proportions of its drawing, so that nothing moves when it arrives.
func TestOperator_Logo(t *testing.T) {
	t.Parallel()
	w := layout.NewWriter(locale.French, layout.FrameTexts())
	for box, want := range map[string][2]int{
		`viewBox="0 0 120 32"`: {120, 32}, `viewBox = '-1,-2.5,64.9, 10'`: {64, 10}, `viewBox="0 0 .5 .5"`: {}, ``: {},
	} {
		s := catalogtest.Snapshot(catalog.NewOperatorFile("logo.svg", "<svg "+box+"/>"))
		logo := w.Operator(s, "").Logo
		testkit.Equal(t, box, [2]int{logo.Width, logo.Height}, want)
		testkit.Equal(t, box, logo.Path != "", true)
	}
	testkit.Equal(t, "no logo", w.Operator(catalog.Empty(), "").Logo, layout.Logo{})
}

// A name that has no place beside the sections is written smaller; a drawing is not.
func TestFrame_LongName(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, logo string
		want       bool
	}{
		{strings.Repeat("é", 24), "", false}, {strings.Repeat("é", 25), "", true}, {strings.Repeat("é", 80), "/static/logo.svg", false},
	} {
		f := layout.Frame{Service: catalog.Service{Name: c.name}, Operator: layout.Operator{Logo: layout.Logo{Path: c.logo}}}
		testkit.Equal(t, c.name, f.LongName(), c.want)
	}
}
