package search_test

import (
	"slices"
	"testing"

	"github.com/palmares-hq/palmares/internal/search"
)

// One typo is allowed in a word of five letters and more, two in one of seven: a shorter one is near too much.
func TestSearch_TyposByLength(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, typed string
		found       bool
	}{
		{"zok", "zuk", false},
		{"zokp", "zukp", false},
		{"zokpa", "zukpa", true},
		{"zokpa", "zutpa", false},
		{"zokpam", "zukpam", true},
		{"zokpam", "zutpam", false},
		{"zokpami", "zutpami", true},
		{"zokpami", "zutpimi", false},
	} {
		x, order := search.New().Apply([]search.Change{{New: &search.Document{Names: []string{c.name}}}}, nil, func() {})
		m := x.Search(search.Fold(c.typed), order)
		_, total := m.Page(order, nil, 0, 1)
		m.Release()
		if found := total == 1; found != c.found {
			t.Errorf("%s finds %s: %t", c.typed, c.name, found)
		}
	}
}

// Whatever is typed, pages of what it finds have each match once, the total is right, and what is searched is the same
// however it was written.
func FuzzSearch(f *testing.F) {
	documents := []search.Document{
		{Names: []string{"Tournevis"}, Texts: []string{"L’agent de terminal"}, Domain: "tournevis.dev", Group: "code"},
		{Names: []string{"Œuvre Libre"}, Texts: []string{"Des tableaux", "Paintings"}, Domain: "www.oeuvre-libre.art", Group: "image"},
		{Names: []string{"GPT-4x4", "日本"}, Texts: []string{"e-mail"}, Domain: "a.b.c.d", Group: "chat"},
		{},
	}
	var changed []search.Change
	for i := range documents {
		changed = append(changed, search.Change{New: &documents[i]})
	}
	x, order := search.New().Apply(changed, []search.Group{{Name: "code", Labels: []string{"Logiciels"}}}, func() {})
	for _, s := range []string{"tournevis", "de", "a b c d", "oeuvr", "gpt 4 x 4", "x.fr a", "tuornevis agent", "日", "e mail", "a.b.c.d"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, typed string) {
		folded := search.Fold(typed)
		m := x.Search(folded, order)
		defer m.Release()
		all, total := m.Page(order, nil, 0, len(documents))
		var paged []int
		for start := 0; start <= total; start++ {
			page, n := m.Page(order, nil, start, 1)
			if n != total {
				t.Errorf("%q: %d of %d", typed, n, total)
			}
			paged = append(paged, page...)
		}
		if len(all) != total || !slices.Equal(all, paged) || folded == "" && total > 0 {
			t.Errorf("%q finds %v, page by page %v, of %d", typed, all, paged, total)
		}
		for _, place := range all {
			if !m.Has(order[place]) {
				t.Errorf("%q: %d is on a page and not found", typed, place)
			}
		}
		x.Near(folded, order, 3)
	})
}
