package content

import (
	"strings"

	"github.com/palmares-hq/palmares/internal/catalog"
)

// localized reads a text in French and, where present, in English. The french argument is an example for
// messages.
func (o object) localized(name, french string, limit int) catalog.Localized {
	g, ok := o.languages(name, french)
	if !ok {
		return catalog.Localized{}
	}
	return catalog.Localized{French: g.text("fr", limit), English: g.text("en", limit)}
}

// languages returns the group of a text's languages: fr, and optionally en. It returns false if the key is
// absent or has no usable group; french is an example for messages.
func (o object) languages(name, french string) (object, bool) {
	f, ok := o.get(name)
	if !ok {
		return object{}, false
	}
	if f.value.kind == plain || f.value.kind == quoted {
		o.fault(f.value.pos, "%s must be said by language: write \"%s:\" and below it \"  fr: %s\"", name, name, french)
		return object{}, false
	}
	g := o.object(f.value, f.pos, name, []key{
		{name: "fr", example: "fr: " + french},
		{name: "en", example: "en: …", optional: true},
	})
	return g, len(g.fields) > 0
}

// translated reads a text that is either a plain value, in French, or a group of fr and optionally en.
func (o object) translated(name string, limit int) (french string, english catalog.Translation) {
	f, ok := o.get(name)
	if !ok || f.value.kind != mapping {
		return o.text(name, limit), catalog.Translation{}
	}
	_, example, _ := strings.Cut(o.example(name), ": ")
	l := o.localized(name, example, limit)
	return l.French, catalog.Translation{Text: l.English}
}
