package catalog

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

func setOf(tools ...*Tool) []string {
	got := []string{}
	for _, t := range EmbeddingsSet(tools) {
		got = append(got, t.Slug)
	}
	return got
}

func TestEmbeddingsSet_WhoBelongs(t *testing.T) {
	t.Parallel()
	text := reviewed("Texte")
	tests := []struct {
		name string
		tool *Tool
		want bool
	}{
		{"highest tier, any score", tool("a", tier(1), score(100), text), true},
		{"score of 8", tool("a", tier(3), score(800), text), true},
		{"score below 8", tool("a", tier(3), score(799), text), false},
		{"mainstream, second tier", tool("a", tier(2), mainstream, score(300), text), true},
		{"second tier, not mainstream", tool("a", tier(2), score(799), text), false},
		{"mainstream, third tier", tool("a", tier(3), mainstream, score(799), text), false},
		{"no review", tool("a", tier(1), score(900)), false},
		{"no score", tool("a", tier(1), unscored, text), false},
		{"no verifiability", tool("a", tier(1), score(900), text, func(t *Tool) { t.Verifiability = 0 }), false},
		{"verifiability of 0", tool("a", tier(1), score(900), text, func(t *Tool) { t.Verifiability = Hundredths(0) }), true},
		{"no obsolescence", tool("a", tier(1), text, func(t *Tool) { t.Obsolescence = 0 }), true},
		{"review without its text", tool("a", tier(1), func(t *Tool) { t.Review.Hash = "sha256-x" }), true},
	}
	for _, tt := range tests {
		if got := len(EmbeddingsSet([]*Tool{tt.tool})) == 1; got != tt.want {
			t.Errorf("%s: in the set %t, want %t", tt.name, got, tt.want)
		}
	}
}

func TestEmbeddingsSet_TierThenScoreThenMainstreamEachByScoreTiesOnSlug(t *testing.T) {
	t.Parallel()
	text := reviewed("Texte")
	tools := []*Tool{
		tool("mainstream-bas", tier(2), mainstream, score(100), text),
		tool("mainstream-haut", tier(2), mainstream, score(799), text),
		tool("note-b", tier(3), score(900), text),
		tool("note-a", tier(2), score(900), text),
		tool("note-c", tier(2), mainstream, score(1000), text),
		tool("note-d", tier(4), score(800), text),
		tool("premier-bas", tier(1), score(50), text),
		tool("premier-haut", tier(1), score(990), mainstream, text),
		tool("dehors", tier(3), score(500), text),
	}
	want := []string{"premier-haut", "premier-bas", "note-c", "note-a", "note-b", "note-d", "mainstream-haut", "mainstream-bas"}
	equal(t, "set", setOf(tools...), want)
	slices.Reverse(tools)
	equal(t, "set, other order of the tools", setOf(tools...), want)
}

func TestEmbeddingsSet_CutAt300FromTheLastGroup(t *testing.T) {
	t.Parallel()
	var tools []*Tool
	var want []string
	for i := range 100 {
		tools = append(tools, tool(fmt.Sprintf("c-%03d", i), tier(2), mainstream, score(500), reviewed("Texte")))
	}
	for i := range 150 {
		tools = append(tools, tool(fmt.Sprintf("b-%03d", i), tier(3), score(850), reviewed("Texte")))
	}
	for i := range 100 {
		tools = append(tools, tool(fmt.Sprintf("z-%03d", i), tier(1), score(200), reviewed("Texte")))
	}
	for i := range 100 {
		want = append(want, fmt.Sprintf("z-%03d", i))
	}
	for i := range 150 {
		want = append(want, fmt.Sprintf("b-%03d", i))
	}
	for i := range 50 {
		want = append(want, fmt.Sprintf("c-%03d", i))
	}
	equal(t, "set", setOf(tools...), want)
	equal(t, "exactly 300", len(EmbeddingsSet(tools[50:])), EmbeddingsSize)
	equal(t, "299", len(EmbeddingsSet(tools[51:])), EmbeddingsSize-1)
	equal(t, "none", len(EmbeddingsSet(nil)), 0)
}

func TestReviewHash_MovesOnlyWithIDsAndTexts(t *testing.T) {
	t.Parallel()
	sections := func() []Section {
		return []Section{{SummaryID, "Résumé", "Un texte."}, {"prix", "Le prix", "Vingt euros."}}
	}
	base := NewReview("Copeau", sections())
	if digest, ok := strings.CutPrefix(base.Hash, "sha256-"); !ok || len(digest) != 64 || strings.Trim(digest, "0123456789abcdef") != "" {
		t.Errorf("hash %q is not sha256- and lower-case hexadecimal", base.Hash)
	}
	// Pinned: a change of the recipe makes every consumer embed everything again.
	equal(t, "hash", base.Hash, "sha256-e516ddfc500b86c4f9bd79bb3609d45600ef892d5bf52ed1fe68ea155e66ae6a")
	equal(t, "hash of equal sections", NewReview("Copeau", sections()).Hash, base.Hash)

	moves := map[string]func([]Section) (string, []Section){
		"the tool's name": func(s []Section) (string, []Section) { return "Rabot", s },
		"a heading":       func(s []Section) (string, []Section) { s[1].Heading = "Les prix"; return "Copeau", s },
		"an id":           func(s []Section) (string, []Section) { s[1].ID = "les-prix"; return "Copeau", s },
		"a text":          func(s []Section) (string, []Section) { s[0].Text += " "; return "Copeau", s },
		"the order":       func(s []Section) (string, []Section) { slices.Reverse(s); return "Copeau", s },
		"a section less":  func(s []Section) (string, []Section) { return "Copeau", s[:1] },
		"a section more":  func(s []Section) (string, []Section) { return "Copeau", append(s, Section{"x", "X", "x"}) },
		"a boundary":      func(s []Section) (string, []Section) { s[0].Text += "prix"; s[1].ID = ""; return "Copeau", s },
	}
	seen := map[string]string{base.Hash: "nothing"}
	for what, edit := range moves {
		name, s := edit(sections())
		hash := NewReview(name, s).Hash
		if other, ok := seen[hash]; ok {
			t.Errorf("changing %s gives the hash of changing %s", what, other)
		}
		seen[hash] = what
	}
}

func TestReview_WithoutSectionsIsNone(t *testing.T) {
	t.Parallel()
	for _, r := range []Review{NewReview("Copeau", nil), NewReview("Copeau", []Section{}), {}} {
		if r.Exists() || r.Hash != "" {
			t.Errorf("it exists: %v", r)
		}
	}
}

func TestChunkText_OpensWithNameAndHeading(t *testing.T) {
	t.Parallel()
	equal(t, "text", ChunkText("Échafaude 3", Section{"prix", "Le prix", "Vingt euros."}), "Échafaude 3 — Le prix\n\nVingt euros.")
}

func TestEmbeddingsHash_IndifferentToScoreDateCategoryAndURLs(t *testing.T) {
	t.Parallel()
	a := tool("a", reviewed("Texte"))
	b := tool("a", score(100), in("image"), func(t *Tool) { t.UpdatedAt, t.Verifiability, t.Tagline = "2030-01-01", 0, "x" }, reviewed("Texte"))
	equal(t, "hash", a.Review.Hash, b.Review.Hash)
}
