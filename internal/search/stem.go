package search

import "strings"

// small are the words that a query may have without its documents having them, unless one is the last.
var small = map[string]bool{
	"a": true, "au": true, "aux": true, "avec": true, "d": true, "dans": true, "de": true, "des": true, "du": true,
	"en": true, "et": true, "l": true, "la": true, "le": true, "les": true, "ou": true, "par": true, "pour": true,
	"qui": true, "sans": true, "sur": true, "un": true, "une": true, "contre": true, "versus": true, "vs": true,
	"an": true, "and": true, "for": true, "in": true, "of": true, "or": true, "the": true, "to": true, "with": true,
}

const (
	minStemmed = 4 // a shorter word is its own stem
	minLong    = 6 // from here on a word may lose more than the sign of its plural
)

// stem takes the ends off a folded word that tell number and gender: outils and outil, canaux and canal,
// gratuite and gratuit have one stem. It is light on purpose: a stem is compared with stems only, and one
// that two meanings share finds too much.
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
