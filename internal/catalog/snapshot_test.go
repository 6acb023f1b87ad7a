package catalog_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	. "github.com/palmares-hq/palmares/internal/catalog"
	build "github.com/palmares-hq/palmares/internal/catalogtest"
	"github.com/palmares-hq/palmares/internal/testkit"
)

// all asks for a whole list.
var all = Paging{Page: 1, Limit: 1000}

func toolSlugs(tools []*Tool) []string {
	out := []string{}
	for _, t := range tools {
		out = append(out, t.Slug)
	}
	return out
}

func TestAverages_RoundedHalfUpToTwoDecimals(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		scores []int // hundredths; -1 is unscored
		want   string
		tested int
	}{
		{nil, "", 0},
		{[]int{-1, -1}, "", 0},
		{[]int{800}, "8", 1},
		{[]int{800, -1}, "8", 1},
		{[]int{801, 802}, "8.02", 2}, // 8.015
		{[]int{805, 806, 806}, "8.06", 3},
		{[]int{800, 800, 801}, "8", 3},
		{[]int{1, 0}, "0.01", 2}, // 0.005
		{[]int{1, 0, 0}, "0", 3},
		{[]int{1000, 1000}, "10", 2},
		{[]int{910, 910}, "9.1", 2},
		{[]int{999, 1000}, "10", 2}, // 9.995
	} {
		items := []any{build.Retired("y"), build.Retired("z")}
		for i, n := range tt.scores {
			x := build.Tool(fmt.Sprint("t", i), build.In("voix"), build.Unscored)
			if n >= 0 {
				x.Score = Hundredths(n)
			}
			items = append(items, x)
		}
		s := build.Snapshot(items...)
		what, average := fmt.Sprint("of ", tt.scores), Measure{}
		if tt.want != "" {
			average, _ = ParseMeasure(tt.want)
		}
		testkit.Equal(t, "stats "+what, s.Stats(), Stats{Tools: len(tt.scores), Tested: tt.tested, AverageScore: average, Retired: 2})
		testkit.Equal(t, "category "+what, s.Categories()[2], CategoryStats{build.Categories()[2], len(tt.scores), average})
		shown := max(tt.want, "0")
		testkit.Equal(t, "stats as JSON "+what, string(s.StatsJSON().Body), fmt.Sprintf(
			`{"tools_total":%d,"tools_tested":%d,"tools_avg_score":%s,"tools_retired":2,"comparatifs_total":0}`, len(tt.scores), tt.tested, shown))
		if want := fmt.Sprintf(`{"slug":"voix","label":"Voix et son","tool_count":%d,"avg_score":%s}`, len(tt.scores), shown); !strings.Contains(string(s.CategoriesJSON().Body), want) {
			t.Errorf("categories %s are %s, want %s in it", what, s.CategoriesJSON().Body, want)
		}
	}
}

func TestCategories_KeepTheEditorsOrder(t *testing.T) {
	t.Parallel()
	c := build.Contents(build.Tool("a"))
	slices.Reverse(c.Categories)
	var got []Category
	for _, x := range Empty().Apply(build.Whole(c, build.Edition(1))).Categories() {
		got = append(got, x.Category)
	}
	testkit.Equal(t, "categories", got, c.Categories)
}

func TestEmbeddings_UnknownToolAndToolOutsideTheSetAreToldApart(t *testing.T) {
	t.Parallel()
	s := build.Snapshot(build.Tool("a", build.Reviewed("Texte"), func(t *Tool) { t.Embedded = true }),
		build.Tool("b", build.Reviewed("Texte")), build.Retired("c"))
	for slug, want := range map[string]error{"a": nil, "b": ErrNotEmbedded, "c": ErrUnknownTool, "inconnu": ErrUnknownTool, "": ErrUnknownTool} {
		if _, err := s.EmbeddingsJSON(slug); !errors.Is(err, want) {
			t.Errorf("%q: %v, want %v", slug, err, want)
		}
	}
}

func TestLookups_KindsDoNotMix(t *testing.T) {
	t.Parallel()
	s := build.Snapshot(build.Tool("a"), build.Tool("b"), build.Comparison("a-ou-b", "a", "b"), build.Retired("c"))
	for slug, want := range map[string]string{"a": "tool", "a-ou-b": "comparison", "c": "retired", "": "", "A": "", "inconnu": ""} {
		note := func(kind string, values ...bool) {
			for _, ok := range values {
				if ok != (kind == want) {
					t.Errorf("%q as a %s: found %t", slug, kind, ok)
				}
			}
		}
		_, value := s.Tool(slug)
		_, item := s.ToolJSON(slug)
		_, price := s.PriceJSON(slug)
		_, rank := s.Rank(slug)
		note("tool", value, item, price, rank)
		_, value = s.Comparison(slug)
		_, item = s.ComparisonJSON(slug)
		note("comparison", value, item)
		_, value = s.Retired(slug)
		note("retired", value)
	}
}

func TestTag_EqualForEqualBodiesAndNoOthers(t *testing.T) {
	t.Parallel()
	s, again := build.Snapshot(build.Tool("a"), build.Tool("b"), build.Tool("c")), build.Snapshot(build.Tool("c"), build.Tool("a"), build.Tool("b"))
	tags := map[string]string{}
	for _, p := range []Paging{{1, 1}, {2, 1}, {1, 2}, {2, 2}, {3, 2}, {4, 2}, {1, 200}, {1, 199}} {
		doc, other := s.ToolsJSON(ToolQuery{Paging: p}).Document(), again.ToolsJSON(ToolQuery{Paging: p}).Document()
		if doc.Tag() != other.Tag() || string(doc.Body) != string(other.Body) {
			t.Errorf("page %v differs between two snapshots of one state", p)
		}
		if body, seen := tags[doc.Tag()]; seen {
			t.Errorf("one tag for two pages:\n%s\n%s", body, doc.Body)
		}
		tags[doc.Tag()] = string(doc.Body)
	}
	if a, b := NewDocument([]byte("1")).Tag(), NewDocument([]byte("2")).Tag(); a == b || len(a) != 22 {
		t.Errorf("tags %q and %q", a, b)
	}
}

// Whatever the editors write, every document is JSON.
func TestDocuments_AreJSONWhateverTheTexts(t *testing.T) {
	t.Parallel()
	for _, s := range []string{"", `"`, `\`, "</script>", "\x00\x1f\x7f", "\n\r\t\v", "\u2028", "\xff", "\xed\xa0\x80", "a\xe2\x82", "👩‍💻"} {
		snapshot := build.Snapshot(
			build.Tool("a", build.Named(s), build.Reviewed(s, s), func(t *Tool) {
				t.Domain, t.Tagline, t.Price, t.Embedded = s, s, s, true
				t.History = []PriceChange{{"2026-01-01", Paid, s, Paid, s}}
			}),
			build.Tool("b", build.Named(s)),
			build.Comparison("a-ou-b", "a", "b", func(c *Comparison) { c.Title, c.Note = s, s }),
			build.Retired("c", func(r *Retired) { r.Name, r.Note = s, s }))
		tool, _ := snapshot.ToolJSON("a")
		price, _ := snapshot.PriceJSON("a")
		chunks, _ := snapshot.EmbeddingsJSON("a")
		comparison, _ := snapshot.ComparisonJSON("a-ou-b")
		for _, d := range []Document{
			tool, price, chunks, comparison, snapshot.EmbeddingsListJSON(),
			snapshot.PricesJSON(PriceQuery{Paging: all}).Document(),
			snapshot.ComparisonsJSON(ComparisonQuery{Paging: all}).Document(),
			snapshot.CemeteryJSON(CemeteryQuery{Paging: all}).Document(),
		} {
			if len(d.Body) == 0 || !json.Valid(d.Body) || !utf8.Valid(d.Body) {
				t.Fatalf("%q makes %q", s, d.Body)
			}
		}
	}
}
