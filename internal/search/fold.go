package search

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

const (
	// maxFolded is the maximum length of a query in characters, after folding: one character may
	// fold to eighteen. The rest is ignored.
	maxFolded = 200
	// maxTerm is how many bytes of a word are compared.
	maxTerm = 64
)

// Fold returns the one form that all spellings of a query share: words in lower case without
// accents, separated by single spaces, without elided articles (l’écriture is ecriture), with
// letters and digits apart (gpt 4). A domain stays whole. Fold(Fold(s)) is Fold(s). The form is ""
// if the query has nothing to search for.
func Fold(query string) string {
	var words []string
	for chunk := range strings.FieldsSeq(Normalize(query)) {
		if d := domain(chunk); d != "" {
			words = append(words, d)
			continue
		}
		splitWords(chunk, func(w string) { words = append(words, w) })
	}
	folded := strings.Join(words, " ")
	if utf8.RuneCountInString(folded) > maxFolded {
		// The end may now be half a domain, which has to be split into words.
		return Fold(string([]rune(folded)[:maxFolded]))
	}
	return folded
}

// letters maps letters and apostrophes that have no accent to remove to their plain form.
var letters = map[rune]string{
	'œ': "oe", 'æ': "ae", 'ß': "ss", 'ø': "o", 'ł': "l", 'đ': "d", 'ð': "d", 'þ': "th", 'ı': "i",
	'’': "'", '‘': "'", 'ʼ': "'", '′': "'", '`': "'", '´': "'",
	'€': " euros ",
}

// Normalize returns a text in lower case, without accents and ligatures. It keeps spaces and
// punctuation.
func Normalize(s string) string {
	if isASCII(s) {
		return strings.ReplaceAll(strings.ToLower(s), "`", "'")
	}
	var b strings.Builder
	b.Grow(len(s))
	for _, r := range norm.NFKD.String(strings.ToValidUTF8(s, " ")) {
		if unicode.Is(unicode.Mn, r) {
			continue
		}
		r = unicode.ToLower(r)
		if other, ok := letters[r]; ok {
			b.WriteString(other)
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// domain returns the domain in a normalized word, which may be a domain or a URL; "" if it has
// none.
func domain(s string) string {
	if _, after, found := strings.Cut(s, "://"); found {
		s = after
	}
	if at := strings.IndexAny(s, "/?#:"); at >= 0 {
		s = s[:at]
	}
	s = strings.Trim(s, ".,;!?'\"()«»")
	for strings.HasPrefix(s, "www.") && strings.Count(s, ".") > 1 {
		s = s[len("www."):]
	}
	labels := strings.Split(s, ".")
	if len(labels) < 2 {
		return ""
	}
	for i, label := range labels {
		if !validLabel(label, i == len(labels)-1) {
			return ""
		}
	}
	return s
}

// validLabel reports whether s can be a part of a domain. The last part has only letters, at least
// two.
func validLabel(s string, last bool) bool {
	for i := range len(s) {
		letter := s[i] >= 'a' && s[i] <= 'z'
		other := s[i] >= '0' && s[i] <= '9' || s[i] == '-' && i > 0 && i < len(s)-1
		if !letter && (last || !other) {
			return false
		}
	}
	return s != "" && (!last || len(s) > 1)
}

// elided are the words that lose their vowel before another one.
var elided = map[string]bool{
	"l": true, "d": true, "j": true, "m": true, "n": true, "s": true, "t": true, "c": true, "qu": true,
	"jusqu": true, "lorsqu": true, "puisqu": true, "quoiqu": true,
}

// splitWords yields the words of a normalized text.
func splitWords(s string, yield func(word string)) {
	split(s, func(word string, _ bool) { yield(word) })
}

// split yields the words of a normalized text, and whether each is joined to the one before it by a
// hyphen.
func split(s string, yield func(word string, joined bool)) {
	joined, after := false, false // after: directly after a word
	for s != "" {
		r, size := utf8.DecodeRuneInString(s)
		kind := kindOf(r)
		if kind == other {
			joined, after = after && r == '-', false
			s = s[size:]
			continue
		}
		end := size
		for end < len(s) {
			r, size = utf8.DecodeRuneInString(s[end:])
			if kindOf(r) != kind {
				break
			}
			end += size
		}
		word := s[:end]
		s = s[end:]
		if next, quoted := strings.CutPrefix(s, "'"); quoted && elided[word] && startsLetter(next) {
			s = next
			continue
		}
		yield(cut(word), joined)
		joined, after = false, true
	}
}

// The kinds of characters.
const (
	other = iota
	letter
	digit
)

func kindOf(r rune) int {
	switch {
	case r >= 'a' && r <= 'z':
		return letter
	case r >= '0' && r <= '9':
		return digit
	case r < utf8.RuneSelf:
		return other
	case r == utf8.RuneError:
		return other
	case unicode.IsLetter(r) || unicode.Is(unicode.Mc, r):
		return letter
	case unicode.IsDigit(r):
		return digit
	default:
		return other
	}
}

func startsLetter(s string) bool {
	r, _ := utf8.DecodeRuneInString(s)
	return kindOf(r) == letter
}

// cut truncates a word to maxTerm.
func cut(w string) string {
	if len(w) <= maxTerm {
		return w
	}
	end := maxTerm
	for !utf8.RuneStart(w[end]) {
		end--
	}
	return w[:end]
}

// compact returns the letters and digits of a text, at most maxTerm bytes of them, so that ChatGPT
// and Chat GPT are alike.
func compact(s string) string {
	var b strings.Builder
	for _, r := range s {
		if kindOf(r) != other {
			b.WriteRune(r)
		}
	}
	return cut(b.String())
}

const (
	minStemmed = 4 // a shorter word is its own stem
	minLong    = 6 // words this long may lose more than their plural ending
)

// stem removes the endings of number and gender from a folded word: outils and outil, canaux and
// canal, gratuite and gratuit have one stem. It removes little on purpose: stems are compared only
// with stems, and words of different meaning that share one find too much.
func stem(w string) string {
	if len(w) < minStemmed || w[0] >= '0' && w[0] <= '9' {
		return w
	}
	long := len(w) >= minLong
	switch {
	case strings.HasSuffix(w, "eaux"):
		w = w[:len(w)-1]
	case strings.HasSuffix(w, "aux"):
		return w[:len(w)-2] + "l"
	case strings.HasSuffix(w, "ss"):
	case strings.HasSuffix(w, "s"), strings.HasSuffix(w, "ux"): // not voix, nor codex
		w = w[:len(w)-1]
	case strings.HasSuffix(w, "y") && !strings.ContainsRune("aeiou", rune(w[len(w)-2])):
		return w[:len(w)-1] + "i" // query, queries
	}
	if long && strings.HasSuffix(w, "er") {
		w = w[:len(w)-1]
	}
	if len(w) >= minStemmed && strings.HasSuffix(w, "e") {
		w = w[:len(w)-1]
		if strings.HasSuffix(w, "iv") {
			return w[:len(w)-1] + "f"
		}
		if strings.HasSuffix(w, "e") && len(w) > minStemmed {
			w = w[:len(w)-1] // créée
		}
	}
	if n := len(w); long && n > 2 && w[n-1] == w[n-2] && !strings.ContainsRune("aeiouy", rune(w[n-1])) {
		w = w[:n-1] // professionnelle
	}
	return w
}
