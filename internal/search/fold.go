package search

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

const (
	// maxFolded is how many characters of a query count. Some characters are eighteen of others.
	maxFolded = 200
	// maxTerm is how many bytes of a word are compared.
	maxTerm = 64
)

// Fold gives the one form that all spellings of a query have: words in lower case without accents, one space
// between them, elided articles left out (l’écriture is ecriture), letters and digits apart (gpt 4).
// What looks like a domain stays whole. Fold(Fold(s)) is Fold(s). The form is "" when nothing can be searched.
func Fold(query string) string {
	var words []string
	for chunk := range strings.FieldsSeq(Plain(query)) {
		if d := domain(chunk); d != "" {
			words = append(words, d)
			continue
		}
		splitWords(chunk, func(w string) { words = append(words, w) })
	}
	folded := strings.Join(words, " ")
	if utf8.RuneCountInString(folded) > maxFolded {
		// What is left may end in half a domain, which is words.
		return Fold(string([]rune(folded)[:maxFolded]))
	}
	return folded
}

// letters are those that are written otherwise without being accented.
var letters = map[rune]string{
	'œ': "oe", 'æ': "ae", 'ß': "ss", 'ø': "o", 'ł': "l", 'đ': "d", 'ð': "d", 'þ': "th", 'ı': "i",
	'’': "'", '‘': "'", 'ʼ': "'", '′': "'", '`': "'", '´': "'",
}

// Plain writes a text in lower case, without accents and ligatures. All else stays, spaces and punctuation too.
func Plain(s string) string {
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

// domain is the domain that a plain word without spaces is, or has in it: that of a URL. It is "" for others.
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

// validLabel reports whether s can be a part of a domain. The last one has letters only, two at least.
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

// splitWords yields the words of a plain text.
func splitWords(s string, yield func(word string)) {
	split(s, func(word string, _ bool) { yield(word) })
}

// split yields the words of a plain text, and whether each is joined to the one before it by a hyphen.
func split(s string, yield func(word string, joined bool)) {
	joined, after := false, false // after a word at once
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

// cut keeps as much of a word as is compared.
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

// compact is a text without anything between its letters and digits: that of ChatGPT and of Chat GPT.
func compact(s string) string {
	var b strings.Builder
	for _, r := range s {
		if kindOf(r) != other {
			b.WriteRune(r)
		}
	}
	return cut(b.String())
}
