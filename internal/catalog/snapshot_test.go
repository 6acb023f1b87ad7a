package catalog

import (
	"errors"
	"fmt"
	"slices"
	"testing"
)

func TestAverages_RoundedHalfUpToTwoDecimals(t *testing.T) {
	t.Parallel()
	tests := []struct {
		scores []int // hundredths; -1 is unscored
		want   string
		tested int
	}{
		{nil, "0", 0},
		{[]int{-1, -1}, "0", 0},
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
	}
	for _, tt := range tests {
		var items []any
		for i, n := range tt.scores {
			x := tool(fmt.Sprint("t", i), in("voix"))
			x.Score = 0
			if n >= 0 {
				x.Score = Hundredths(n)
			}
			items = append(items, x)
		}
		s := snapshotOf(items...)
		equal(t, fmt.Sprint("stats of ", tt.scores), string(s.Stats().Body), fmt.Sprintf(
			`{"tools_total":%d,"tools_tested":%d,"tools_avg_score":%s,"tools_retired":0,"comparatifs_total":0}`, len(tt.scores), tt.tested, tt.want))
		equal(t, fmt.Sprint("categories of ", tt.scores), string(s.Categories().Body), fmt.Sprintf(
			`{"data":[{"slug":"code","label":"Code","tool_count":0,"avg_score":0},{"slug":"image","label":"Image","tool_count":0,"avg_score":0},`+
				`{"slug":"voix","label":"Voix et son","tool_count":%d,"avg_score":%s},`+
				`{"slug":"vide","label":"Catégorie sans outil","tool_count":0,"avg_score":0}]}`, len(tt.scores), tt.want))
	}
}

func TestStats_CountWhatIsServed(t *testing.T) {
	t.Parallel()
	s := snapshotOf(tool("a", score(900)), tool("b", score(600)), tool("c", unscored), comparison("a-ou-b", "a", "b"), retired("x"), retired("y"))
	equal(t, "stats", string(s.Stats().Body), `{"tools_total":3,"tools_tested":2,"tools_avg_score":7.5,"tools_retired":2,"comparatifs_total":1}`)
}

func TestCategories_KeepTheEditorsOrder(t *testing.T) {
	t.Parallel()
	c := contents(tool("a"))
	slices.Reverse(c.Categories)
	var doc struct{ Data []struct{ Slug string } }
	decode(t, Empty().Apply(whole(c, testEdition(1))).Categories().Body, &doc)
	var got []string
	for _, x := range doc.Data {
		got = append(got, x.Slug)
	}
	equal(t, "categories", got, []string{"vide", "voix", "image", "code"})
}

func TestEmbeddings_UnknownToolAndToolOutsideTheSetAreToldApart(t *testing.T) {
	t.Parallel()
	s := snapshotOf(tool("a", reviewed("Texte"), func(t *Tool) { t.Embedded = true }), tool("b", reviewed("Texte")), retired("c"))
	if _, err := s.Embeddings("a"); err != nil {
		t.Errorf("inside the set: %v", err)
	}
	if _, err := s.Embeddings("b"); !errors.Is(err, ErrNotEmbedded) {
		t.Errorf("outside the set: %v", err)
	}
	for _, slug := range []string{"c", "inconnu", ""} {
		if _, err := s.Embeddings(slug); !errors.Is(err, ErrUnknownTool) {
			t.Errorf("%q: %v", slug, err)
		}
	}
}

func TestLookups_KindsDoNotMix(t *testing.T) {
	t.Parallel()
	s := snapshotOf(tool("a"), tool("b"), comparison("a-ou-b", "a", "b"), retired("c"))
	for _, slug := range []string{"c", "a-ou-b", "", "A", "inconnu"} {
		if _, ok := s.Tool(slug); ok {
			t.Errorf("tool %q", slug)
		}
		if _, ok := s.Price(slug); ok {
			t.Errorf("price %q", slug)
		}
	}
	if _, ok := s.Comparison("a"); ok {
		t.Error("a tool is found among the comparisons")
	}
	if _, ok := s.Retired("a"); ok {
		t.Error("a living tool is found in the cemetery")
	}
	if r, ok := s.Retired("c"); !ok || r.Name != "Feu c" {
		t.Errorf("retired c: %v, %t", r, ok)
	}
}

func TestTag_EqualForEqualBodiesAndNoOthers(t *testing.T) {
	t.Parallel()
	s, again := snapshotOf(tool("a"), tool("b"), tool("c")), snapshotOf(tool("c"), tool("a"), tool("b"))
	tags := map[string]string{}
	for _, p := range []Paging{{1, 1}, {2, 1}, {1, 2}, {2, 2}, {3, 2}, {4, 2}, {1, 200}, {1, 199}} {
		doc, other := s.Tools(ToolQuery{Paging: p}).Document(), again.Tools(ToolQuery{Paging: p}).Document()
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
