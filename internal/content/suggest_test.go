package content

import "testing"

func TestClosest(t *testing.T) {
	t.Parallel()
	keys := keyNames(toolKeys)
	for given, want := range map[string]string{
		"prix": "price", "Name": "name", "taglien": "tagline", "catégorie": "category", "zzz": "", "verifiabilite": "verifiability", "": "",
	} {
		if got := closest(given, keys); got != want {
			t.Errorf("closest(%q) is %q, want %q", given, got, want)
		}
	}
}

func TestAnchor(t *testing.T) {
	t.Parallel()
	for heading, want := range map[string]string{
		"Résumé": "resume", "Prix & délais": "prix-delais", "Œuvre d'art n° 2 !": "oeuvre-d-art-n-2", "ÇA, LÀ-BAS": "ca-la-bas", "日本": "",
	} {
		if got := anchor(heading); got != want {
			t.Errorf("anchor(%q) is %q, want %q", heading, got, want)
		}
	}
}
