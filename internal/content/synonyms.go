package content

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/search"
)

const (
	synonymsExample = "fr: [montage vidéo, monter], en: [video editing]"
	synonymsLimit   = 30
	synonymLimit    = 40 // characters
)

// synonyms reads what people call something besides its name, by language.
func (o object) synonyms(name string) catalog.Synonyms {
	f, ok := o.get(name)
	if !ok {
		return catalog.Synonyms{}
	}
	g := o.object(f.value, f.pos, name, []key{
		{name: "fr", example: "fr: [montage vidéo, monter]", optional: true, list: true},
		{name: "en", example: "en: [video editing]", optional: true, list: true},
	})
	if f.value.kind == mapping && len(f.value.fields) == 0 {
		o.fault(f.value.pos, "%s is empty: write {%s}, or remove the line", name, synonymsExample)
	}
	return catalog.Synonyms{French: g.synonymsIn("fr", name), English: g.synonymsIn("en", name)}
}

func (o object) synonymsIn(language, name string) []string {
	var known []string
	return o.list(listKey{
		key: key{name: language}, most: synonymsLimit, keep: "those that people type", are: "words",
		advice: `write a list, each entry a word or a few, such as "- montage vidéo"`,
	}, func(item node) string {
		s := item.text
		folded := strings.Join(strings.Fields(search.Normalize(s)), " ")
		i, hidden := forbiddenIn([]byte(s))
		switch n := utf8.RuneCountInString(s); {
		case i >= 0:
			o.fault(item.pos, "%s holds the %s %U: remove it", name, characterKind(hidden), hidden)
		case strings.TrimSpace(s) != s || strings.ContainsAny(s, "\n\t"):
			o.fault(item.pos, "%s has %q, with white space around it or a line break in it: remove it", name, cutValue(s))
		case !strings.ContainsFunc(s, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }):
			o.fault(item.pos, "%s has %q, which is no word: remove it", name, cutValue(s))
		case n > synonymLimit:
			o.fault(item.pos, "%s has %q, of %d characters: at most %d are allowed; shorten it", name, cutValue(s), n, synonymLimit)
		case slices.Contains(known, folded):
			o.fault(item.pos, "%s has %q twice, but for case or accents: remove one", name, cutValue(s))
		default:
			known = append(known, folded)
			return s
		}
		return ""
	})
}
