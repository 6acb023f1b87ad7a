package catalog_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	. "github.com/palmares-hq/palmares/internal/catalog"
	build "github.com/palmares-hq/palmares/internal/catalogtest"
	"github.com/palmares-hq/palmares/internal/testkit"
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
	text := build.Reviewed("Texte")
	tests := []struct {
		name string
		tool *Tool
		want bool
	}{
		{"highest tier, any score", build.Tool("a", build.Tier(1), build.Scored(100), text), true},
		{"score of 8", build.Tool("a", build.Tier(3), build.Scored(800), text), true},
		{"score below 8", build.Tool("a", build.Tier(3), build.Scored(799), text), false},
		{"mainstream, second tier", build.Tool("a", build.Tier(2), build.Mainstream, build.Scored(300), text), true},
		{"second tier, not mainstream", build.Tool("a", build.Tier(2), build.Scored(799), text), false},
		{"mainstream, third tier", build.Tool("a", build.Tier(3), build.Mainstream, build.Scored(799), text), false},
		{"no review", build.Tool("a", build.Tier(1), build.Scored(900)), false},
		{"no score", build.Tool("a", build.Tier(1), build.Unscored, text), false},
		{"no verifiability", build.Tool("a", build.Tier(1), build.Scored(900), text, func(t *Tool) { t.Verifiability = Measure{} }), false},
		{"verifiability of 0", build.Tool("a", build.Tier(1), build.Scored(900), text, func(t *Tool) { t.Verifiability = Hundredths(0) }), true},
		{"no obsolescence", build.Tool("a", build.Tier(1), text, func(t *Tool) { t.Obsolescence = Measure{} }), true},
		{"review without its text", build.Tool("a", build.Tier(1), func(t *Tool) { t.Review.Hash = "sha256-x" }), true},
	}
	for _, tt := range tests {
		if got := len(EmbeddingsSet([]*Tool{tt.tool})) == 1; got != tt.want {
			t.Errorf("%s: in the set %t, want %t", tt.name, got, tt.want)
		}
	}
}

func TestEmbeddingsSet_TierThenScoreThenMainstreamEachByScoreTiesOnSlug(t *testing.T) {
	t.Parallel()
	text := build.Reviewed("Texte")
	tools := []*Tool{
		build.Tool("mainstream-bas", build.Tier(2), build.Mainstream, build.Scored(100), text),
		build.Tool("mainstream-haut", build.Tier(2), build.Mainstream, build.Scored(799), text),
		build.Tool("note-b", build.Tier(3), build.Scored(900), text),
		build.Tool("note-a", build.Tier(2), build.Scored(900), text),
		build.Tool("note-c", build.Tier(2), build.Mainstream, build.Scored(1000), text),
		build.Tool("note-d", build.Tier(4), build.Scored(800), text),
		build.Tool("premier-bas", build.Tier(1), build.Scored(50), text),
		build.Tool("premier-haut", build.Tier(1), build.Scored(990), build.Mainstream, text),
		build.Tool("dehors", build.Tier(3), build.Scored(500), text),
	}
	want := []string{"premier-haut", "premier-bas", "note-c", "note-a", "note-b", "note-d", "mainstream-haut", "mainstream-bas"}
	testkit.Equal(t, "set", setOf(tools...), want)
	slices.Reverse(tools)
	testkit.Equal(t, "set, other order of the tools", setOf(tools...), want)
}

func TestEmbeddingsSet_CutAt300FromTheLastGroup(t *testing.T) {
	t.Parallel()
	var tools []*Tool
	var want []string
	for i := range 100 {
		tools = append(tools, build.Tool(fmt.Sprintf("c-%03d", i), build.Tier(2), build.Mainstream, build.Scored(500), build.Reviewed("Texte")))
	}
	for i := range 150 {
		tools = append(tools, build.Tool(fmt.Sprintf("b-%03d", i), build.Tier(3), build.Scored(850), build.Reviewed("Texte")))
	}
	for i := range 100 {
		tools = append(tools, build.Tool(fmt.Sprintf("z-%03d", i), build.Tier(1), build.Scored(200), build.Reviewed("Texte")))
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
	testkit.Equal(t, "set", setOf(tools...), want)
	testkit.Equal(t, "exactly 300", len(EmbeddingsSet(tools[50:])), EmbeddingsSize)
	testkit.Equal(t, "299", len(EmbeddingsSet(tools[51:])), EmbeddingsSize-1)
	testkit.Equal(t, "none", len(EmbeddingsSet(nil)), 0)
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
	testkit.Equal(t, "hash", base.Hash, "sha256-e516ddfc500b86c4f9bd79bb3609d45600ef892d5bf52ed1fe68ea155e66ae6a")
	testkit.Equal(t, "hash of equal sections", NewReview("Copeau", sections()).Hash, base.Hash)

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
	got := ChunkText("Échafaude 3", Section{"prix", "Le prix", "Vingt euros."})
	testkit.Equal(t, "text", got, "Échafaude 3 — Le prix\n\nVingt euros.")
}
