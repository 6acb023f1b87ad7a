package locale

import (
	"fmt"
	"strings"
)

// A Text is a sentence in each language, French first. It is plain text, or markup where its name ends in
// "-html". Values go where %s stands. A text about a count has its singular and its plural, with a bar
// between.
type Text [2]string

// Texts are the sentences of a part of the pages, or of mails, by name: "landing.title".
type Texts map[string]Text

// Join makes one of all parts. It panics at a name that two of them have, since a page would show the text of another:
// tables are constants, so no program with such a name passes its first test.
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

// A Writer writes the texts of one language.
type Writer struct {
	Language
	texts Texts
}

// NewWriter makes a writer of texts.
func NewWriter(l Language, all Texts) Writer { return Writer{l, all} }

// In is the writer of the same texts in a language.
func (w Writer) In(l Language) Writer { return Writer{l, w.texts} }

// Has reports whether there is a text of that name.
func (w Writer) Has(name string) bool {
	_, ok := w.texts[name]
	return ok
}

// Text gives a sentence. A name that does not exist is a fault of ours, which executing the
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

// Must is Text for names that are constants in the code, which a test looks up.
func (w Writer) Must(name string, args ...any) string {
	s, err := w.Text(name, args...)
	if err != nil {
		panic(err)
	}
	return s
}

// Count gives a sentence about n of something, in the singular or the plural. Where %s stands first,
// n is in it.
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

// Many is Count for names that are constants in the code.
func (w Writer) Many(name string, n int) string {
	s, err := w.Count(name, n)
	if err != nil {
		panic(err)
	}
	return s
}
