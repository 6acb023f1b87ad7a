package catalog_test

import (
	_ "embed"
	"strings"
	"testing"

	. "github.com/palmares-hq/palmares/internal/catalog"
	build "github.com/palmares-hq/palmares/internal/catalogtest"
	"github.com/palmares-hq/palmares/internal/search"
	"github.com/palmares-hq/palmares/internal/testkit"
)

//go:embed testdata/search.txt
var searchCases string

var searchCategories = []Category{
	{Slug: "code", Label: "Logiciels de code", Synonyms: Synonyms{French: []string{"agent de programmation", "développement"}, English: []string{"coding agent", "programming"}}},
	{Slug: "chat", Label: "Assistants", Synonyms: Synonyms{French: []string{"discussion", "agent conversationnel"}, English: []string{"chatbot", "virtual assistant"}}},
	{Slug: "ecriture", Label: "Écriture et rédaction", Synonyms: Synonyms{French: []string{"correcteur", "aide à la rédaction"}, English: []string{"writing assistant", "proofreading"}}},
	{Slug: "image", Label: "Génération d’images", Synonyms: Synonyms{French: []string{"dessin", "générateur d’images"}, English: []string{"image generator", "text to image"}}},
	{Slug: "video", Label: "Vidéo", Synonyms: Synonyms{French: []string{"montage vidéo"}, English: []string{"video editing"}}},
	{Slug: "voix", Label: "Voix et son", Synonyms: Synonyms{French: []string{"synthèse vocale"}, English: []string{"text to speech", "voice"}}},
	{Slug: "agents", Label: "Agents autonomes"},
	{Slug: "recherche", Label: "Recherche et veille"},
	{Slug: "donnees", Label: "Données", Synonyms: Synonyms{French: []string{"base de données", "tableur"}, English: []string{"spreadsheet", "data analysis"}}},
	{Slug: "presentations", Label: "Présentations", Synonyms: Synonyms{French: []string{"diapositives"}, English: []string{"slides"}}},
	{Slug: "traduction", Label: "Traduction", Synonyms: Synonyms{French: []string{"interprète"}, English: []string{"translation"}}},
}

// What people type finds first what they mean: accents, ligatures, elisions, plurals, hyphens, digits, beginnings, slips,
// words in any order, domains and categories.
func TestSearch_FrenchCases(t *testing.T) {
	t.Parallel()
	c := &Contents{Service: build.Service(), Categories: searchCategories}
	type question struct{ kind, typed, want string }
	var questions []question
	for line := range strings.Lines(searchCases) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		parts := strings.Split(strings.TrimSpace(line), " | ")
		switch len(parts) {
		case 6:
			score, err := ParseMeasure(parts[4])
			testkit.Must(t, err)
			tool := build.Tool(parts[0], build.Named(parts[1]), build.In(parts[2]), build.Tagline(parts[5]))
			tool.Domain, tool.Score = parts[3], score
			c.Tools = append(c.Tools, tool)
		case 3:
			questions = append(questions, question{parts[0], parts[1], parts[2]})
		}
	}
	c.Sort()
	s := Empty().Apply(build.Whole(c, build.Edition(1)))
	kinds := map[string]int{}
	for _, q := range questions {
		kinds[q.kind]++
		page := s.Tools(ToolQuery{Paging: Paging{1, 5}, Search: search.Fold(q.typed)})
		if slugs := toolSlugs(page.Items); len(slugs) == 0 || slugs[0] != q.want {
			t.Errorf("%s: %q finds %v of %d, want %s first", q.kind, q.typed, slugs, page.Total, q.want)
		}
	}
	testkit.Equal(t, "kinds", len(kinds), 13)
	for kind, n := range kinds {
		if n < 15 {
			t.Errorf("%s has %d cases", kind, n)
		}
	}
	if len(questions) < 240 {
		t.Errorf("there are %d cases", len(questions))
	}
}

// Words as they were typed come before anything near, and what is near is said to be.
func TestSearch_NearOnlyWhenNothingElse(t *testing.T) {
	t.Parallel()
	s := build.Snapshot(build.Tool("alpha", build.Named("Alpha")), build.Tool("alpho", build.Named("Alpho")),
		build.Comparison("alpha-ou-alpho", "alpha", "alpho"), build.Retired("omega"))
	find := func(q string) Page[*Tool] { return s.Tools(ToolQuery{Paging: all, Search: q}) }
	testkit.Equal(t, "a name", toolSlugs(find("alpha").Items), []string{"alpha"})
	testkit.Equal(t, "it is near", find("alpha").Near, false)
	testkit.Equal(t, "a slip", toolSlugs(find("alphs").Items), []string{"alpha", "alpho"})
	testkit.Equal(t, "it is near", find("alphs").Near, true)
	testkit.Equal(t, "with an order", s.Tools(ToolQuery{Paging: all, Search: "alphs", Order: NameDesc}).Near, true)
	testkit.Equal(t, "one word of two", toolSlugs(find("alpha zzz").Items), []string{"alpha"})
	testkit.Equal(t, "it has some words", []any{find("alpha zzz").Match(), find("alpha zzz").Ignored, find("alpha zzz").Near}, []any{"some", []string{"zzz"}, false})
	testkit.Equal(t, "a comparison", s.Comparisons(ComparisonQuery{Paging: all, Search: "alpho vs alpha"}).Total, 1)
	testkit.Equal(t, "nothing is near", len(s.NearTools("xyzxyz", 5)), 0)
	testkit.Equal(t, "far but the nearest", toolSlugs(s.NearTools("alfaa", 1)), []string{"alpha"})
}
