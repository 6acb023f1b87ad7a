package generate

import (
	"maps"
	"slices"
	"strings"
	"testing"
)

// fixed are the slots that are known of an item, not drawn.
var fixed = []string{"outil", "domaine", "a", "b", "gagnant", "perdant", "repreneur"}

func TestEverySlotCanBeFilled(t *testing.T) {
	t.Parallel()
	for _, c := range categories {
		lists := merge(general, c.words)
		for key, list := range lists {
			if len(list) == 0 || len(list) > 64 {
				t.Errorf("%s: list %q has %d texts, want 1 to 64", c.slug, key, len(list))
			}
			s := newSpeaker()
			s.begin(newRand(1, 0, 0), c)
			for _, slot := range fixed {
				s.know(slot, "Élodia")
			}
			for range list { // each text once: none is repeated before all are said
				s.say(key)
			}
			if text := string(s.buf); strings.ContainsAny(text, "{}") {
				t.Errorf("%s: a slot is left in %q", c.slug, text)
			}
		}
	}
}

func TestEveryCategoryHasTheSameLists(t *testing.T) {
	t.Parallel()
	want := slices.Sorted(maps.Keys(categories[0].words))
	for _, c := range categories {
		if got := slices.Sorted(maps.Keys(c.words)); !slices.Equal(got, want) {
			t.Errorf("%s has the lists %v, want %v", c.slug, got, want)
		}
	}
}

func TestHeadingsDoNotMeet(t *testing.T) {
	t.Parallel()
	seen := map[string]string{"resume": "the text before the first heading"}
	for key, headings := range general {
		if !strings.HasPrefix(key, "titre ") || key == "titre de comparatif" {
			continue
		}
		for _, heading := range headings {
			anchor := slugify(heading)
			if other, taken := seen[anchor]; taken {
				t.Errorf("%q of %q has the anchor of %s", heading, key, other)
			}
			seen[anchor] = key
		}
	}
}

func TestSpeakerDoesNotRepeat(t *testing.T) {
	t.Parallel()
	s := newSpeaker()
	s.begin(newRand(1, 0, 0), categories[0])
	seen := map[string]bool{}
	for range general["mois"] {
		seen[s.pick("mois")] = true
	}
	if len(seen) != len(general["mois"]) {
		t.Errorf("%d months of %d", len(seen), len(general["mois"]))
	}
}

func TestContract(t *testing.T) {
	t.Parallel()
	tests := []struct{ preposition, phrase, want string }{
		{"de", "le dépôt git", "du dépôt git"},
		{"de", "les studios", "des studios"},
		{"de", "la messagerie", "de la messagerie"},
		{"de", "l'agenda", "de l'agenda"},
		{"de", "un dépôt", "d'un dépôt"},
		{"de", "des images", "d'images"},
		{"de", "Élodia", "d'Élodia"},
		{"de", "Kelmari", "de Kelmari"},
		{"de", "août", "d'août"},
		{"à", "le dépôt git", "au dépôt git"},
		{"à", "les studios", "aux studios"},
		{"à", "la messagerie", "à la messagerie"},
		{"à", "Élodia", "à Élodia"},
	}
	for _, test := range tests {
		if got := contract(test.preposition, test.phrase); got != test.want {
			t.Errorf("%s + %s: got %q, want %q", test.preposition, test.phrase, got, test.want)
		}
	}
}
