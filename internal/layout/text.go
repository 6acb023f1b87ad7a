package layout

import (
	"fmt"
	"html/template"
	"strings"

	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/locale"
)

// Text is a sentence of pages.
type Text = locale.Text

// Texts are sentences of pages.
type Texts = locale.Texts

// Join makes one of all parts.
func Join(parts ...Texts) Texts { return locale.Join(parts...) }

// A Writer writes the texts of pages in one language.
type Writer struct{ locale.Writer }

// NewWriter makes a writer of texts.
func NewWriter(l locale.Language, all Texts) Writer { return Writer{locale.NewWriter(l, all)} }

// In is the writer of the same texts in a language.
func (w Writer) In(l locale.Language) Writer { return Writer{w.Writer.In(l)} }

// HTML gives a sentence with markup. Values are escaped, unless they are markup themselves.
func (w Writer) HTML(name string, args ...any) (template.HTML, error) {
	if !strings.HasSuffix(name, "-html") {
		return "", fmt.Errorf("the text %q has no markup", name)
	}
	safe := make([]any, len(args))
	for i, arg := range args {
		if markup, ok := arg.(template.HTML); ok {
			safe[i] = markup
		} else {
			safe[i] = template.HTMLEscapeString(fmt.Sprint(arg))
		}
	}
	s, err := w.Text(name, safe...)
	return template.HTML(s), err //nolint:gosec // the sentence is ours, the values are escaped
}

// Choose is a text of the catalog for a page: the English where the page and the text are, else the
// French.
func (w Writer) Choose(french string, t catalog.Translation) string {
	if w.Shows(t) {
		return t.Text
	}
	return locale.FrenchText(french)
}

// Shows reports whether a page in the language shows a translation.
func (w Writer) Shows(t catalog.Translation) bool {
	return w.Language == locale.English && t.Text != ""
}

// Translated is Choose as markup: French is marked as such where the page is not.
func (w Writer) Translated(french string, t catalog.Translation) template.HTML {
	if w.Shows(t) {
		return template.HTML(template.HTMLEscapeString(t.Text)) //nolint:gosec // it was escaped
	}
	return w.French(french)
}

// French marks a text of the catalog as French where the page is not.
func (w Writer) French(s string) template.HTML {
	s = template.HTMLEscapeString(locale.FrenchText(s))
	if w.Language != locale.French {
		s = `<span lang="fr">` + s + `</span>`
	}
	return template.HTML(s) //nolint:gosec // it was escaped
}
