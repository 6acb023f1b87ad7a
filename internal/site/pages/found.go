package pages

import (
	"html/template"
	"strings"

	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/layout"
	"github.com/palmares-hq/palmares/internal/locale"
	"github.com/palmares-hq/palmares/internal/search"
	"github.com/palmares-hq/palmares/internal/site/view"
)

var foundTexts = layout.Texts{
	"found.near": {
		"Rien ne porte exactement ces mots. Voici les noms et les termes les plus proches.",
		"Nothing has exactly these words. These are the closest names and terms.",
	},
	"found.some": {
		"Rien ne réunit tous ces mots. Voici ce qui s’en approche.",
		"Nothing has all of these words. This is what comes closest.",
	},
	"found.left": {"Sans effet\u00a0: %s.", "Left out: %s."},
	"found.by":   {"Trouvé par %s", "Found by %s"},
	"found.vague": {
		"Ces mots conviennent à tous les outils. Dites ce que l’outil doit faire.",
		"These words fit every tool. Say what the tool should do.",
	},
}

// A found says on a page how its list matches the words that were searched for, and marks them. The zero found
// marks nothing.
type found struct {
	v     *view.View
	words string // folded
	read  search.Found
	empty bool
}

func newFound[T any](v *view.View, words string, page catalog.Page[T]) found {
	return found{v, words, page.Found, page.Total == 0}
}

// Sentence says that the list has not all of the words, and which ones it left out; "" if it has them.
func (f found) Sentence() string {
	switch {
	case f.v == nil || f.empty:
		return ""
	case f.read.Near:
		return f.v.Text.Must("found.near")
	case !f.read.Some:
		return ""
	}
	said := f.v.Text.Must("found.some")
	if len(f.read.Ignored) > 0 {
		quoted := make([]string, len(f.read.Ignored))
		for i, word := range f.read.Ignored {
			quoted[i] = f.v.Text.Quoted(word)
		}
		said += " " + f.v.Text.Must("found.left", strings.Join(quoted, ", "))
	}
	return said
}

// Name returns a name with the words marked.
func (f found) Name(name string) template.HTML { return f.mark(name) }

// Tagline returns the tagline of a tool with the words marked.
func (f found) Tagline(t *catalog.Tool) template.HTML {
	if f.v == nil || f.words == "" {
		return ""
	}
	if f.v.Text.Shows(t.English.Tagline) {
		return f.mark(t.English.Tagline.Text)
	}
	html := f.mark(locale.FrenchText(t.Tagline))
	if f.v.Text.Language != locale.French {
		html = `<span lang="fr">` + html + `</span>`
	}
	return html
}

// By says which synonym found a tool that has a word of the search nowhere itself; "" for others.
func (f found) By(t *catalog.Tool) string {
	if f.v == nil || f.words == "" {
		return ""
	}
	synonym := f.v.Catalog.Synonym(f.words, t)
	if synonym == "" {
		return ""
	}
	return f.v.Text.Must("found.by", f.v.Text.Quoted(synonym))
}

func (f found) mark(text string) template.HTML {
	var b strings.Builder
	for _, s := range search.Mark(text, f.words) {
		escaped := template.HTMLEscapeString(s.Text)
		if s.Marked {
			escaped = "<mark>" + escaped + "</mark>"
		}
		b.WriteString(escaped)
	}
	return template.HTML(b.String()) //nolint:gosec // it was escaped
}
