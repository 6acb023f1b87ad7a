package catalog

import (
	"fmt"
	"runtime"
	"sync"
	"testing"
)

// decided gives the tools their place in the embeddings set, as a publication does.
func (w *world) decided() {
	embedded := map[string]bool{}
	for _, t := range EmbeddingsSet(w.contents().Tools) {
		embedded[t.Slug] = true
	}
	for slug, old := range w.tools {
		if old.Embedded != embedded[slug] {
			t := *old
			t.Embedded = !old.Embedded
			w.putTool(&t)
		}
	}
}

// A snapshot reached through any number of deltas answers as one built from
// nothing; the ones before it go on answering as they did, even while it is made.
func TestApply_AnswersAsASnapshotBuiltFromNothing(t *testing.T) {
	t.Parallel()
	for seed := range uint64(4) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			t.Parallel()
			w := newWorld(seed, []int{40, 3, 25, 0}[seed])
			w.decided()
			current := Empty().Apply(whole(w.contents(), testEdition(1)))
			w.forget()
			before := transcript(current)
			for n := int64(2); n < 22; n++ {
				for range w.IntN(6) {
					w.change()
				}
				w.decided()
				e := testEdition(n)
				d := w.delta(e)

				var readers sync.WaitGroup
				var during []line
				readers.Go(func() { during = transcript(current) })
				next := current.Apply(d)
				readers.Wait()
				same(t, "the old snapshot after"+describe(d), during, before)

				after := transcript(next)
				same(t, fmt.Sprint("edition ", n, describe(d)), after, transcript(Empty().Apply(whole(w.contents(), e))))
				checkLookups(t, next, w.contents())
				current, before = next, after
			}
		})
	}
}

func TestApply_EmptyDeltaChangesOnlyTheEdition(t *testing.T) {
	t.Parallel()
	s := snapshotOf(tool("a"), tool("b"), comparison("a-ou-b", "a", "b"), retired("c"))
	next := s.Apply(Delta{From: 1, Edition: testEdition(2), Service: s.Service(), Categories: s.categories})
	if next.Edition() != testEdition(2) || s.Edition() != testEdition(1) {
		t.Errorf("editions %v and %v", next.Edition(), s.Edition())
	}
	a, b := transcript(s), transcript(next)
	for i := range a {
		if a[i] != b[i] && a[i].question != "edition" {
			t.Errorf("%s differs", a[i].question)
		}
	}
}

func TestApply_SharesWhatDidNotChange(t *testing.T) {
	t.Parallel()
	s := snapshotOf(tool("a"), tool("b", in("image")), comparison("a-ou-a2", "a", "a2"), tool("a2"), retired("c"))
	next := s.Apply(Delta{Edition: testEdition(2), Service: s.Service(), Categories: s.categories, Tools: []*Tool{tool("b", in("image"), score(900))}})
	if next.tools.get("a") != s.tools.get("a") || next.comparisons.get("a-ou-a2") != s.comparisons.get("a-ou-a2") {
		t.Error("untouched items are encoded anew")
	}
	if &next.byScoreDesc.lists["code"][0] != &s.byScoreDesc.lists["code"][0] {
		t.Error("the list of an untouched category is copied")
	}
}

func TestApply_GoneSlugsThatAreNotThereAreIgnored(t *testing.T) {
	t.Parallel()
	s := snapshotOf(tool("a"), tool("b"), comparison("a-ou-b", "a", "b"), retired("c"))
	next := s.Apply(Delta{
		Edition: s.Edition(), Service: s.Service(), Categories: s.categories,
		GoneTools: []string{"x", "c", ""}, GoneComparisons: []string{"y", "a"}, GoneRetired: []string{"a"},
	})
	same(t, "after removals of nothing", transcript(next), transcript(s))
}

func TestApply_ToolThatGoesTakesItsComparisons(t *testing.T) {
	t.Parallel()
	s := snapshotOf(tool("a"), tool("b"), tool("c"), comparison("a-ou-b", "a", "b"), comparison("b-ou-c", "b", "c"))
	next := s.Apply(Delta{Edition: s.Edition(), Service: s.Service(), Categories: s.categories, GoneTools: []string{"a"}})
	equal(t, "comparisons", slugs(t, next.Comparisons(ComparisonQuery{all(10), ""})), []string{"b-ou-c"})
	if _, ok := next.Comparison("a-ou-b"); ok {
		t.Error("the comparison is still found by its slug")
	}
}

func TestApply_ComparisonFollowsItsTools(t *testing.T) {
	t.Parallel()
	s := snapshotOf(tool("a"), tool("b"), comparison("a-ou-b", "a", "b"))
	next := s.Apply(Delta{
		Edition: s.Edition(), Service: s.Service(), Categories: s.categories,
		Tools: []*Tool{tool("a", named("Neuf"), score(915), in("voix"))},
	})
	doc, _ := next.Comparison("a-ou-b")
	want := `{"slug":"a-ou-b","tool_a":{"name":"Neuf","score":9.15},"tool_b":{"name":"Outil b","score":7},"winner":"Neuf","winner_note":"Plus sûr."}`
	equal(t, "comparison", string(doc.Body), want)
	for category, want := range map[string]int{"voix": 1, "code": 1, "image": 0, "": 1} {
		if got := next.Comparisons(ComparisonQuery{all(10), category}).Total; got != want {
			t.Errorf("%d comparisons in %q, want %d", got, category, want)
		}
	}
}

func TestApply_SitePatternAloneMovesTheURLsOfEveryItem(t *testing.T) {
	t.Parallel()
	w := newWorld(5, 20)
	w.decided()
	s := Empty().Apply(whole(w.contents(), testEdition(1)))
	for name, edit := range map[string]func(*Site){
		"tool":         func(s *Site) { s.Tool = "https://x.example/{slug}" },
		"review":       func(s *Site) { s.Review = "https://x.example/{slug}" },
		"alternatives": func(s *Site) { s.Alternatives = "https://x.example/{slug}" },
		"comparison":   func(s *Site) { s.Comparison = "https://x.example/{slug}/{slug}" },
	} {
		c := w.contents()
		edit(&c.Service.Site)
		e := testEdition(2)
		got := s.Apply(Delta{From: 1, Edition: e, Service: c.Service, Categories: c.Categories})
		same(t, name, transcript(got), transcript(Empty().Apply(whole(c, e))))
	}
}

// More tools than one worker encodes at a time, so that the parts must meet.
func TestApply_ManyToolsEncodedInParts(t *testing.T) {
	t.Parallel()
	var items []any
	for i := range 64*runtime.GOMAXPROCS(0)*2 + 1 {
		items = append(items, tool(fmt.Sprintf("t-%05d", i)))
	}
	s := snapshotOf(items...)
	if got := s.Tools(ToolQuery{Paging: all(1)}).Total; got != len(items) {
		t.Fatalf("%d tools, want %d", got, len(items))
	}
	for _, x := range items {
		doc, ok := s.Tool(x.(*Tool).Slug)
		if !ok || len(doc.Body) == 0 {
			t.Fatalf("no document of %s", x.(*Tool).Slug)
		}
	}
}

func TestWhole_LeadsFromNothingToTheSameSnapshot(t *testing.T) {
	t.Parallel()
	w := newWorld(9, 30)
	w.decided()
	s := Empty().Apply(whole(w.contents(), testEdition(3)))
	d := s.Whole()
	if d.From != 0 {
		t.Errorf("it starts from edition %d", d.From)
	}
	same(t, "built again", transcript(Empty().Apply(d)), transcript(s))
	equal(t, "contents", s.Contents(), w.contents())
}

func TestEmpty_AnswersEverything(t *testing.T) {
	t.Parallel()
	s := Empty()
	for _, l := range transcript(s) {
		if l.question == "stats" || l.question == "edition" {
			continue
		}
		if l.question == "categories" {
			equal(t, "categories", l.body, `{"data":[]}`)
			continue
		}
		var page struct {
			Data []any
			Meta map[string]int
		}
		decode(t, []byte(l.body), &page)
		if page.Data == nil || len(page.Data) != 0 || page.Meta["total"] != 0 || page.Meta["pages"] != 0 {
			t.Errorf("%s answers %s", l.question, l.body)
		}
	}
	if _, ok := s.Tool("a"); ok {
		t.Error("an empty snapshot has a tool")
	}
	if s.Edition().Number != 0 || len(s.Contents().Tools) != 0 {
		t.Error("an empty snapshot has an edition or contents")
	}
}
