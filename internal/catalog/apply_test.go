package catalog_test

import (
	"fmt"
	"sync"
	"testing"

	. "github.com/palmares-hq/palmares/internal/catalog"
	build "github.com/palmares-hq/palmares/internal/catalogtest"
	"github.com/palmares-hq/palmares/internal/testkit"
	"github.com/palmares-hq/palmares/internal/throttle"
)

// A snapshot reached through any number of deltas answers as one built from nothing. Those before it
// go on answering as they did, even while it is made.
func TestApply_AnswersAsASnapshotBuiltFromNothing(t *testing.T) {
	t.Parallel()
	editions := int64(testkit.Size(12, 22))
	if testkit.Raced {
		editions = 8
	}
	for seed := range uint64(4) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			t.Parallel()
			w := build.NewWorld(seed, []int{40, 3, 25, 0}[seed])
			w.DecideEmbeddings()
			current := Empty().Apply(build.Whole(w.Published(), build.Edition(1)))
			w.Forget()
			formerly := map[string]bool{} // every slug that an item had before, at any time
			for n := int64(2); n < editions; n++ {
				w.Change(w.IntN(6))
				w.DecideEmbeddings()
				e := build.Edition(n)
				d, before := w.Delta(e), build.Recorded(current)
				what := fmt.Sprintf("edition %d after %s", n, describe(d))

				var next *Snapshot
				var writer sync.WaitGroup
				writer.Go(func() { next = current.Apply(d) })
				build.WantAnswers(t, "during "+what+", the old one", before, current)
				writer.Wait()
				build.WantAnswers(t, "after "+what+", the old one", before, current)
				build.WantAnswers(t, what, build.Answers(Empty().Apply(build.Whole(w.Published(), e))), next)
				for _, slugs := range formerSlugs(w.Published()) {
					for _, slug := range slugs {
						formerly[slug] = true
					}
				}
				fresh := Empty().Apply(build.Whole(w.Published(), e))
				for slug := range formerly {
					testkit.Equal(t, what+": where "+slug+" leads", leads(next, slug), leads(fresh, slug))
				}
				testkit.Equal(t, what+": contents", build.Dump(next.Contents()), build.Dump(w.Published()))
				current = next
			}
			build.WantAnswers(t, "built from Whole", build.Answers(current), Empty().Apply(current.Whole()))
			testkit.Equal(t, "where Whole starts", current.Whole().From, int64(0))
		})
	}
}

func formerSlugs(c *Contents) (lists [][]string) {
	for _, x := range c.Tools {
		lists = append(lists, x.Formerly)
	}
	for _, x := range c.Comparisons {
		lists = append(lists, x.Formerly)
	}
	for _, x := range c.Retired {
		lists = append(lists, x.Formerly)
	}
	return lists
}

// leads says where a former slug leads.
func leads(s *Snapshot, slug string) string {
	tool, isTool := s.RenamedTool(slug)
	comparison, isComparison := s.RenamedComparison(slug)
	return fmt.Sprint(tool, isTool, comparison, isComparison)
}

func describe(d Delta) string {
	out := ""
	for _, x := range d.Tools {
		out += " +" + x.Slug
	}
	for _, x := range d.Comparisons {
		out += " +" + x.Slug
	}
	for _, x := range d.Retired {
		out += " +†" + x.Slug
	}
	return out + fmt.Sprint(" -", d.GoneTools, d.GoneComparisons, d.GoneRetired)
}

// after is the snapshot that the delta leads to when nothing but its items changes.
func after(s *Snapshot, d Delta) *Snapshot {
	whole := s.Whole()
	d.From, d.Edition, d.Service, d.Categories = 1, build.Edition(2), whole.Service, whole.Categories
	return s.Apply(d)
}

func TestApply_SharesWhatDidNotChange(t *testing.T) {
	t.Parallel()
	s := build.Snapshot(build.Tool("a"), build.Tool("a2"), build.Tool("b", build.In("image")),
		build.Comparison("a-ou-a2", "a", "a2"), build.Retired("c"))
	next := after(s, Delta{Tools: []*Tool{build.Tool("b", build.In("image"), build.Scored(900))}})
	oldTool, _ := s.ToolJSON("a")
	newTool, _ := next.ToolJSON("a")
	oldComparison, _ := s.ComparisonJSON("a-ou-a2")
	newComparison, _ := next.ComparisonJSON("a-ou-a2")
	if &oldTool.Body[0] != &newTool.Body[0] || &oldComparison.Body[0] != &newComparison.Body[0] {
		t.Error("untouched items are encoded anew")
	}
}

// The delta names only the tool.
func TestApply_ToolThatGoesTakesItsComparisons(t *testing.T) {
	t.Parallel()
	tools := []any{build.Tool("b"), build.Tool("c"), build.Comparison("b-ou-c", "b", "c")}
	s := build.Snapshot(append(tools, build.Tool("a"), build.Comparison("a-ou-b", "a", "b"))...)
	want := after(build.Snapshot(tools...), Delta{})
	build.WantSame(t, want, after(s, Delta{GoneTools: []string{"a", "inconnu", ""}}))
}

func TestApply_SitePatternAloneMovesTheURLsOfEveryItem(t *testing.T) {
	t.Parallel()
	w := build.NewWorld(5, 20)
	w.DecideEmbeddings()
	s := Empty().Apply(build.Whole(w.Published(), build.Edition(1)))
	for name, edit := range map[string]func(*Site){
		"tool":         func(s *Site) { s.Tool = "https://x.example/{slug}" },
		"review":       func(s *Site) { s.Review = "https://x.example/{slug}" },
		"alternatives": func(s *Site) { s.Alternatives = "https://x.example/{slug}" },
		"comparison":   func(s *Site) { s.Comparison = "https://x.example/{slug}/{slug}" },
	} {
		c, e := w.Published(), build.Edition(2)
		edit(&c.Service.Site)
		got := s.Apply(Delta{From: 1, Edition: e, Service: c.Service, Categories: c.Categories})
		build.WantAnswers(t, name, build.Answers(Empty().Apply(build.Whole(c, e))), got)
	}
}

// A large delta is applied on all processors, in parts that must meet.
func TestApply_OneLargeDeltaLeadsWhereManySmallOnesDo(t *testing.T) {
	t.Parallel()
	whole := build.Whole(build.Generated(11_000), build.Edition(2))
	small := Empty()
	for len(whole.Tools) > 0 {
		part := whole
		part.Tools, whole.Tools = whole.Tools[:1000], whole.Tools[1000:]
		if len(whole.Tools) > 0 {
			part.Comparisons = nil
		}
		small = small.Apply(part)
	}
	got := Empty().Apply(build.Whole(build.Generated(11_000), build.Edition(2)))
	testkit.Equal(t, "stats", got.Stats(), small.Stats())
	for _, order := range ToolOrders() {
		q := ToolQuery{Paging: Paging{1, 11_000}, Order: order}
		testkit.Equal(t, string(order), got.ToolsJSON(q).Document().Tag(), small.ToolsJSON(q).Document().Tag())
	}
	q := ComparisonQuery{Paging: Paging{1, 11_000}}
	testkit.Equal(t, "comparisons", got.ComparisonsJSON(q).Document().Tag(), small.ComparisonsJSON(q).Document().Tag())
}

func TestEmpty_AnswersEverything(t *testing.T) {
	t.Parallel()
	s := Empty()
	testkit.Equal(t, "edition", s.Edition(), Edition{})
	testkit.Equal(t, "contents", s.Contents(), &Contents{})
	testkit.Equal(t, "categories", string(s.CategoriesJSON().Body), `{"data":[]}`)
	testkit.Equal(t, "embeddings", string(s.EmbeddingsListJSON().Body), `{"data":[]}`)
	p := Paging{1, 200}
	for name, page := range map[string]JSONPage{
		"tools": s.ToolsJSON(ToolQuery{Paging: p}), "prices": s.PricesJSON(PriceQuery{Paging: p}),
		"comparisons": s.ComparisonsJSON(ComparisonQuery{Paging: p}), "cemetery": s.CemeteryJSON(CemeteryQuery{Paging: p}),
	} {
		testkit.Equal(t, name, string(page.Document().Body), `{"data":[],"meta":{"total":0,"page":1,"limit":200,"pages":0}}`)
	}
	if _, ok := s.Tool("a"); ok {
		t.Error("an empty snapshot has a tool")
	}
}

// A small delta is applied with pauses. A large one takes all processors, and pauses are for one goroutine.
func TestApplyThrottled(t *testing.T) {
	t.Parallel()
	s := Empty()
	for tools, want := range map[int]bool{10: true, 5_000: false} {
		d := build.Whole(build.Generated(tools), build.Edition(2))
		slow := throttle.New(t.Context().Done())
		got := s.ApplyThrottled(d, slow)
		testkit.Equal(t, "it pauses", slow.Calls() >= tools, want)
		testkit.Equal(t, "what it makes", build.Dump(got.Contents()), build.Dump(s.Apply(d).Contents()))
	}
}
