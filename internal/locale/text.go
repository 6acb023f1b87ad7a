package locale

import (
	"fmt"
	"strings"
)

// A Text is a sentence in each language, French first. It is plain text, or markup if its name ends
// in "-html". Values replace %s. A text about a count has its singular and its plural, separated by
// a bar.
type Text [2]string

// Texts are the texts of a part of the pages, or of mails, by name: "landing.title".
type Texts map[string]Text

// Join joins tables of texts. It panics if two have a name in common, since a page would show the
// wrong text; tables are constants, so the first test of a program finds it.
func Join(parts ...Texts) Texts {
	all := make(Texts)
	for _, part := range parts {
		for name, text := range part {
			if _, ok := all[name]; ok {
				panic(fmt.Sprintf("two texts have the name %q", name))
			}
			all[name] = text
		}
	}
	return all
}

// A Writer returns texts in one language.
type Writer struct {
	Language
	texts Texts
}

// NewWriter returns a writer of texts.
func NewWriter(l Language, all Texts) Writer { return Writer{l, all} }

// In returns the writer of the same texts in another language.
func (w Writer) In(l Language) Writer { return Writer{l, w.texts} }

// Has reports whether there is a text of that name.
func (w Writer) Has(name string) bool {
	_, ok := w.texts[name]
	return ok
}

// Text returns a text with its values. An unknown name is a programming error, which executing the
// template reports.
func (w Writer) Text(name string, args ...any) (string, error) {
	t, ok := w.texts[name]
	if !ok {
		return "", fmt.Errorf("there is no text named %q", name)
	}
	if len(args) == 0 {
		return t[w.Language], nil
	}
	return fmt.Sprintf(t[w.Language], args...), nil
}

// Must is Text for constant names. It panics if there is no such text.
func (w Writer) Must(name string, args ...any) string {
	s, err := w.Text(name, args...)
	if err != nil {
		panic(err)
	}
	return s
}

// Count returns a text about n things, in the singular or the plural. The first %s is n.
func (w Writer) Count(name string, n int, args ...any) (string, error) {
	s, err := w.Text(name)
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

// Many is Count for constant names. It panics if there is no such text.
func (w Writer) Many(name string, n int) string {
	s, err := w.Count(name, n)
	if err != nil {
		panic(err)
	}
	return s
}
