package search

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/palmares-hq/palmares/internal/testkit"
)

func TestFold(t *testing.T) {
	t.Parallel()
	for typed, want := range map[string]string{
		"":                                  "",
		"  Béta\t":                          "beta",
		"ÉCLAIR":                            "eclair",
		"e\u0301clair":                      "eclair", // the accent apart
		"Œuvre":                             "oeuvre",
		"ex æquo":                           "ex aequo",
		"l’assistant d'écriture":            "assistant ecriture",
		"qu'il":                             "il",
		"aujourd'hui":                       "aujourd hui",
		"l'":                                "l",
		"O’Reilly":                          "o reilly",
		"e-mail":                            "e mail",
		"GPT-4o":                            "gpt 4 o",
		"gpt4":                              "gpt 4",
		"Delta.Example":                     "delta.example",
		"https://www.delta.example/tarif?x": "delta.example",
		"www.mon-outil.fr":                  "mon-outil.fr",
		"www.fr":                            "www.fr",
		"v2.5":                              "v 2 5",
		"fin.":                              "fin",
		"C++ & Go":                          "c go",
		"ﬁn":                                "fin", // a ligature
		"日本語":                               "日本語",
		"-":                                 "",
		"💩":                                 "",
		"\x00":                              "",
	} {
		testkit.Equal(t, typed, Fold(typed), want)
	}
}

// Of a query 200 characters count: one that is typed may be eighteen of others.
func TestFold_IsBounded(t *testing.T) {
	t.Parallel()
	for typed, want := range map[string]string{
		strings.Repeat("abcd ", 40):        strings.Repeat("abcd ", 39) + "abcd",
		strings.Repeat("abcd ", 41):        strings.Repeat("abcd ", 39) + "abcd",
		"a " + strings.Repeat("abcd ", 80): "a " + strings.Repeat("abcd ", 39) + "abc",
		strings.Repeat("ﷺ ", 60):           strings.TrimSpace(string([]rune(strings.Repeat(Fold("ﷺ")+" ", 60))[:200])),
	} {
		testkit.Equal(t, typed, Fold(typed), want)
	}
}

func TestStem(t *testing.T) {
	t.Parallel()
	for _, same := range [][]string{
		{"outil", "outils"},
		{"canal", "canaux"},
		{"tableau", "tableaux"},
		{"gratuit", "gratuite", "gratuits", "gratuites"},
		{"professionnel", "professionnelle", "professionnelles"},
		{"creatif", "creative", "creatives"},
		{"generer", "genere", "generes"},
		{"reseau", "reseaux"},
		{"image", "images"},
	} {
		for _, w := range same[1:] {
			testkit.Equal(t, w, stem(w), stem(same[0]))
		}
	}
	for _, w := range []string{"ia", "gpt", "os", "2026", "son"} {
		testkit.Equal(t, w, stem(w), w)
	}
	for _, two := range [][2]string{{"voix", "voir"}, {"code", "codex"}, {"agent", "argent"}} {
		if stem(two[0]) == stem(two[1]) {
			t.Errorf("%s and %s have one stem", two[0], two[1])
		}
	}
}

// What a query is folded to is folded no more, whatever it was.
func FuzzFold(f *testing.F) {
	for _, s := range []string{"L’Œuvre de l'e-mail", "www.www.x.fr", "ẞ İ ﷺ", "a.b.c-", "\xff\xfe", "http://a.fr:80", "d'l'a"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		once := Fold(s)
		if twice := Fold(once); twice != once {
			t.Errorf("%q is folded to %q, and that to %q", s, once, twice)
		}
		if utf8.RuneCountInString(once) > maxFolded {
			t.Errorf("%q is folded to %d characters", s, utf8.RuneCountInString(once))
		}
	})
}
