package site

import (
	"fmt"
	"html/template"
	"maps"
	"strings"

	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/locale"
)

// A text is a sentence of the site in each language, French first. It stands here in plain form,
// or with markup where its name ends in "-html". Values go where %s stands. A text about a count
// has its singular and its plural, with a bar between.
type text [2]string

// texts are the sentences of a part of the site by name: "landing.title".
type texts map[string]text

// join makes one of all parts. Parts have different prefixes, so no name is there twice; a test
// makes sure.
func join(parts ...texts) texts {
	all := make(texts)
	for _, part := range parts {
		maps.Copy(all, part)
	}
	return all
}

// A writer writes the texts of one language.
type writer struct {
	locale.Language
	texts texts
}

// text gives a sentence. A name that does not exist is a fault of ours, which executing the
// template reports.
func (w writer) text(name string, args ...any) (string, error) {
	t, ok := w.texts[name]
	if !ok {
		return "", fmt.Errorf("the site has no text named %q", name)
	}
	if len(args) == 0 {
		return t[w.Language], nil
	}
	return fmt.Sprintf(t[w.Language], args...), nil
}

// must is text for names that are constants in the code, which a test looks up.
func (w writer) must(name string, args ...any) string {
	s, err := w.text(name, args...)
	if err != nil {
		panic(err)
	}
	return s
}

// html gives a sentence with markup. Values are escaped, unless they are markup themselves.
func (w writer) html(name string, args ...any) (template.HTML, error) {
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
	s, err := w.text(name, safe...)
	return template.HTML(s), err //nolint:gosec // the sentence is ours, the values are escaped
}

// count gives a sentence about n of something, in the singular or the plural. Where %s stands first,
// n is in it.
func (w writer) count(name string, n int, args ...any) (string, error) {
	s, err := w.text(name)
	if err != nil {
		return "", err
	}
	one, other, ok := strings.Cut(s, "|")
	if !ok {
		return "", fmt.Errorf("the text %q has no plural", name)
	}
	if !w.One(n) {
		one = other
	}
	if !strings.Contains(one, "%") {
		return one, nil
	}
	return fmt.Sprintf(one, append([]any{w.Integer(n)}, args...)...), nil
}

// many is count for names that are constants in the code.
func (w writer) many(name string, n int) string {
	s, err := w.count(name, n)
	if err != nil {
		panic(err)
	}
	return s
}

// french marks a text of the catalog as French where the page is not.
func (w writer) french(s string) template.HTML {
	s = template.HTMLEscapeString(locale.FrenchText(s))
	if w.Language != locale.French {
		s = `<span lang="fr">` + s + `</span>`
	}
	return template.HTML(s) //nolint:gosec // it was escaped
}

// price writes a price as the catalog has it.
func (w writer) price(s string) string {
	if p, ok := catalog.ParsePrice(s); ok {
		return w.Price(p)
	}
	return s
}
