package search

import (
	"slices"
	"strings"
	"unicode"
)

// Synonym returns the keyword or synonym by which a query finds a document that has a word of it
// nowhere else; "" if there is none.
func Synonym(folded string, d Document, g Group) string {
	own := make(map[string]bool)
	note := func(texts ...string) {
		for _, text := range texts {
			compounds(Normalize(text), func(w string) { own[w], own[stem(w)] = true, true })
		}
	}
	note(d.Names...)
	note(d.Texts...)
	note(d.Openings...)
	note(d.Traits...)
	note(d.Hints...)
	note(d.Domain, g.Name)
	note(g.Labels...)
	q := newQuery(folded)
	var keys, missing []string
	for i, w := range q.words {
		keys = append(keys, w.stem)
		whole := i > 0 && own[q.words[i-1].text+w.text] || i+1 < len(q.words) && own[w.text+q.words[i+1].text]
		if w.nothing || w.parts != nil || own[w.text] || own[w.stem] || whole || w.last && begins(own, w.text) {
			continue
		}
		missing = append(missing, w.stem)
	}
	if len(missing) == 0 {
		return ""
	}
	var part string
	for _, synonym := range slices.Concat(d.Keywords, g.Synonyms) {
		_, stems := phraseOf(synonym)
		has := slices.ContainsFunc(stems, func(s string) bool { return slices.Contains(missing, s) })
		switch {
		case has && contains(keys, stems), len(stems) > 1 && slices.Contains(missing, stem(compact(Normalize(synonym)))):
			return synonym
		case has && part == "":
			part = synonym
		}
	}
	return part
}

func begins(words map[string]bool, prefix string) bool {
	for w := range words {
		if strings.HasPrefix(w, prefix) {
			return true
		}
	}
	return false
}

// contains reports whether words stand together and in order in a list.
func contains(list, words []string) bool {
	for i := 0; i+len(words) <= len(list); i++ {
		if slices.Equal(list[i:i+len(words)], words) {
			return true
		}
	}
	return false
}

// Vague reports whether no word of a query says anything.
func Vague(folded string) bool {
	q := newQuery(folded)
	return q.empty()
}

// A Span is a part of a text, marked if a query has its word.
type Span struct {
	Text   string
	Marked bool
}

// Mark splits a text at the words that a query has in any spelling. The last word of a query marks
// what begins with it.
func Mark(text, folded string) []Span {
	q := newQuery(folded)
	var spans []Span
	add := func(part string, marked bool) {
		if n := len(spans); n > 0 && spans[n-1].Marked == marked {
			spans[n-1].Text += part
		} else {
			spans = append(spans, Span{part, marked})
		}
	}
	for text != "" {
		end := strings.IndexFunc(text, partsWords)
		if end < 0 {
			end = len(text)
		}
		if end > 0 {
			add(text[:end], q.marks(text[:end]))
			text = text[end:]
			continue
		}
		end = strings.IndexFunc(text, func(r rune) bool { return !partsWords(r) })
		if end < 0 {
			end = len(text)
		}
		add(text[:end], false)
		text = text[end:]
	}
	return spans
}

// partsWords reports whether a character stands between words. Accents that follow their letter do
// not.
func partsWords(r rune) bool { return !unicode.In(r, unicode.L, unicode.N, unicode.M) }

// marks reports whether a query has a word of a text.
func (q *query) marks(text string) bool {
	normal := cut(Normalize(text))
	if normal == "" {
		return false
	}
	for _, w := range q.words {
		if w.nothing || w.text == "" {
			continue
		}
		if w.text == normal || w.stem == stem(normal) || w.last && w.parts == nil && strings.HasPrefix(normal, w.text) {
			return true
		}
	}
	return false
}
