package catalog_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	. "github.com/palmares-hq/palmares/internal/catalog"
	build "github.com/palmares-hq/palmares/internal/catalogtest"
	"github.com/palmares-hq/palmares/internal/testkit"
)

// A reader keeps the lists of the catalog by the events alone.
type reader struct{ tools, comparisons, retired, endings, announced map[string]string }

func newReader() *reader {
	return &reader{map[string]string{}, map[string]string{}, map[string]string{}, map[string]string{}, map[string]string{}}
}

// apply follows an event. Who knows renames moves what he has, and needs no event that repeats it. Who knows none is never
// told of them.
func (r *reader) apply(e Event, renames bool) {
	put := func(m map[string]string) {
		if delete(m, e.Slug); e.Object != nil {
			m[e.Slug] = string(e.Object)
		}
	}
	move := func(m map[string]string) {
		delete(m, e.RenamedFrom)
		put(m)
	}
	kind, verb, _ := strings.Cut(string(e.Type), ".")
	switch {
	case renames && e.Repeats() && e.Type != ToolEnding && e.Type != PriceAnnounced, !renames && verb == "renamed":
	case e.Type == ToolRenamed:
		move(r.tools)
		delete(r.endings, e.RenamedFrom)
		delete(r.announced, e.RenamedFrom)
	case e.Type == ComparisonRenamed:
		move(r.comparisons)
	case e.Type == CemeteryRenamed:
		move(r.retired)
	case e.Type == ToolEnding:
		put(r.endings)
	case e.Type == PriceAnnounced:
		put(r.announced)
	case e.Type == ToolRetired:
		delete(r.tools, e.Slug)
		delete(r.endings, e.Slug)
		delete(r.announced, e.Slug)
		put(r.retired)
	case kind == "tool":
		if e.Object == nil {
			delete(r.endings, e.Slug)
			delete(r.announced, e.Slug)
		}
		put(r.tools)
	case kind == "comparatif":
		put(r.comparisons)
	case kind == "cimetiere":
		put(r.retired)
	}
}

// check compares what the reader has with the catalog, item by item.
func (r *reader) check(t *testing.T, who string, s *Snapshot) {
	t.Helper()
	want, c := newReader(), s.Contents()
	for _, x := range c.Tools {
		d, _ := s.ToolJSON(x.Slug)
		want.tools[x.Slug] = string(d.Body)
		if x.Ending.Announced() {
			want.endings[x.Slug] = string(x.Ending.At)
		}
		if x.Next.Announced() {
			want.announced[x.Slug] = string(x.Next.From)
		}
	}
	for _, x := range c.Comparisons {
		d, _ := s.LoggedComparisonJSON(x.Slug)
		want.comparisons[x.Slug] = string(d)
	}
	for _, x := range c.Retired {
		d, _ := s.RetiredJSON(x.Slug)
		want.retired[x.Slug] = string(d)
	}
	testkit.Equal(t, who+": tools", r.tools, want.tools)
	testkit.Equal(t, who+": comparisons", r.comparisons, want.comparisons)
	testkit.Equal(t, who+": the cemetery", r.retired, want.retired)
	testkit.Equal(t, who+": announced prices", slices.Sorted(maps.Keys(r.announced)), slices.Sorted(maps.Keys(want.announced)))
	testkit.Equal(t, who+": announced ends", slices.Sorted(maps.Keys(r.endings)), slices.Sorted(maps.Keys(want.endings)))
}

// story is how events tell of a publication: the type, the slug, and where it was or is renamed.
func story(events []Event) []string {
	var list []string
	for _, e := range events {
		line := string(e.Type) + " " + e.Slug
		if e.RenamedFrom != "" {
			line += " < " + e.RenamedFrom
		}
		if e.RenamedTo != "" {
			line += " > " + e.RenamedTo
		}
		list = append(list, line)
	}
	return list
}

// A rename is told before what follows from it, whatever comes with it.
func TestEvents_OfRenames(t *testing.T) {
	t.Parallel()
	embedded := func(slug string, options ...func(*Tool)) *Tool {
		return build.Tool(slug, append([]func(*Tool){build.Tier(1), build.Named("A"), build.Reviewed("x")}, options...)...)
	}
	formerly := func(slugs ...string) func(*Tool) { return func(t *Tool) { t.Formerly = slugs } }
	ending := func(t *Tool) { t.Ending = Ending{At: "2027-01-01", Source: "https://a.example/fin"} }
	dead := func(slug string, formerly ...string) *Retired {
		return build.Retired(slug, func(r *Retired) { r.Formerly = formerly })
	}
	duel := func(slug, a string, formerly ...string) *Comparison {
		return build.Comparison(slug, a, "b", func(c *Comparison) { c.Formerly, c.Title, c.Note = formerly, "A ou B", "A." })
	}
	before := []any{embedded("a", ending), build.Tool("b"), duel("a-ou-b", "a"), dead("z")}
	renamed := []string{"tool.renamed n < a > n", "tool.removed a > n", "tool.created n < a", "tool.ending n < a"}
	for name, c := range map[string]struct {
		next []any
		want []string
	}{
		"a tool, its comparison and a retired one": {
			[]any{embedded("n", ending, formerly("a")), build.Tool("b"), duel("n-ou-b", "n", "a-ou-b"), dead("y", "z")},
			append(slices.Clone(renamed),
				"comparatif.renamed n-ou-b < a-ou-b > n-ou-b", "comparatif.unpublished a-ou-b > n-ou-b", "comparatif.published n-ou-b < a-ou-b",
				"cimetiere.renamed y < z > y", "cimetiere.removed z > y", "cimetiere.added y < z"),
		},
		"a tool, and its comparison keeps its slug": {
			[]any{embedded("n", ending, formerly("a")), build.Tool("b"), duel("a-ou-b", "n"), dead("z")},
			append(slices.Clone(renamed), "comparatif.updated a-ou-b"),
		},
		"with another price and another text": {
			[]any{embedded("n", ending, formerly("jadis", "a"), build.Priced(Paid, "99 €/mois"), build.Reviewed("y")), build.Tool("b"), duel("a-ou-b", "n"), dead("z")},
			append(append(slices.Clone(renamed[:3]), "price.changed n"), "tool.ending n < a", "embeddings.updated n", "comparatif.updated a-ou-b"),
		},
		"with another end": {
			[]any{embedded("n", formerly("a")), build.Tool("b"), duel("a-ou-b", "n"), dead("z")},
			append(slices.Clone(renamed[:3]), "tool.ending n", "comparatif.updated a-ou-b"),
		},
		"and retired": {
			[]any{dead("n", "a"), build.Tool("b"), dead("z")},
			append(slices.Clone(renamed), "tool.retired n", "embeddings.updated n", "comparatif.unpublished a-ou-b"),
		},
		"and back from the cemetery": {
			[]any{embedded("a", ending), build.Tool("b"), duel("a-ou-b", "a"), build.Tool("y", formerly("z"))},
			[]string{"cimetiere.renamed y < z > y", "cimetiere.removed z > y", "cimetiere.added y < z", "tool.created y", "cimetiere.removed y"},
		},
		"another tool that says it was this one, which stays": {
			[]any{embedded("a", ending), build.Tool("b"), duel("a-ou-b", "a"), dead("z"), build.Tool("n", formerly("jadis"))},
			[]string{"tool.created n"},
		},
		"a tool that was there before takes its place": {
			[]any{build.Tool("b", formerly("a")), dead("z")},
			[]string{"tool.removed a", "embeddings.updated a", "comparatif.unpublished a-ou-b"},
		},
	} {
		s := Empty().Apply(Diff(&Contents{}, build.Contents(before...), "2026-04-01").Delta(build.Edition(1)))
		changes := Diff(s.Contents(), build.Contents(c.next...), "2026-05-01")
		testkit.Equal(t, name, story(changes.Events()), c.want)
	}
}

// Whoever follows a tool through renames has it once, whether or not he knows renames; the price history, the date and
// the chunks go along.
func TestRenames_ThroughTenEditions(t *testing.T) {
	t.Parallel()
	a := build.Tool("a", build.Tier(1), build.Reviewed("Un texte"), build.Priced(Paid, "10 €/mois"))
	b := build.Tool("b")
	tool := func(slug, price string, formerly ...string) *Tool {
		t := *a
		t.Slug, t.Formerly, t.Price = slug, formerly, price
		return &t
	}
	dead := func(slug string, formerly ...string) *Retired {
		return build.Retired(slug, func(r *Retired) { r.Formerly = formerly })
	}
	duel := func(slug, of string, formerly ...string) *Comparison {
		return build.Comparison(slug, of, "b", func(c *Comparison) { c.Formerly = formerly })
	}
	editions := []struct {
		items []any
		now   string // the slug
		leads []string
	}{
		{[]any{tool("a", "10 €/mois"), b, duel("a-ou-b", "a")}, "a", nil},
		{[]any{tool("a2", "10 €/mois", "a"), b, duel("a-ou-b", "a2")}, "a2", []string{"a"}},
		{[]any{tool("a2", "12 €/mois", "a"), b, duel("a-ou-b", "a2")}, "a2", []string{"a"}},
		{[]any{tool("a3", "12 €/mois", "a", "a2"), b, duel("a3-ou-b", "a3", "a-ou-b")}, "a3", []string{"a", "a2"}},
		{[]any{dead("a3", "a", "a2"), b}, "a3", []string{"a", "a2"}},
		{[]any{dead("a4", "a", "a2", "a3"), b}, "a4", []string{"a", "a2", "a3"}},
		{[]any{tool("a4", "12 €/mois", "a", "a2", "a3"), b}, "a4", []string{"a", "a2", "a3"}},
		{[]any{tool("a2", "15 €/mois", "a", "a3", "a4"), b, duel("a-ou-b", "a2", "a3-ou-b")}, "a2", []string{"a", "a3", "a4"}},
		{[]any{dead("a5", "a", "a3", "a4", "a2"), b}, "a5", []string{"a", "a2", "a3", "a4"}},
		{[]any{tool("a", "15 €/mois", "a3", "a4", "a2", "a5"), b, duel("a-ou-b", "a", "a3-ou-b")}, "a", []string{"a2", "a3", "a4", "a5"}},
	}
	s, knows, plain := Empty(), newReader(), newReader()
	for i, x := range editions {
		e, name := build.Edition(int64(i+1)), fmt.Sprint("edition ", i+1)
		next := build.Contents(x.items...)
		changes := Diff(s.Contents(), next, e.Date())
		d := changes.Delta(e)
		d.Log = changes.LogEntries(e, s.LastChange())
		for _, event := range changes.Events() {
			knows.apply(event, true)
			plain.apply(event, false)
			if event.Type == EmbeddingsUpdated && event.Object != nil && event.Previous != nil {
				t.Errorf("%s: vectors are made again: %s", name, event.Object)
			}
		}
		s = s.Apply(d)
		knows.check(t, name+", who knows renames", s)
		plain.check(t, name+", who knows none", s)
		build.WantAnswers(t, name, build.Answers(Empty().Apply(s.Whole())), s)
		for _, slug := range x.leads {
			now, ok := s.RenamedTool(slug)
			testkit.Equal(t, name+": where "+slug+" leads", fmt.Sprint(now, ok), fmt.Sprint(x.now, true))
			testkit.Equal(t, name+": the slugs of "+slug, slices.Sorted(slices.Values(s.SlugsOf(slug))), slices.Sorted(slices.Values(append(slices.Clone(x.leads), x.now))))
		}
		if got, ok := s.RenamedTool(x.now); ok {
			t.Errorf("%s: %s leads to %s", name, x.now, got)
		}
		if tool, ok := s.Tool(x.now); ok {
			testkit.Equal(t, name+": the day", tool.UpdatedAt, e.Date())
		}
	}
	final, _ := s.Tool("a")
	testkit.Equal(t, "the price at the end", final.Price, "15 €/mois")
}

// The history of prices goes along with a tool, and a change of price at the rename is one of it.
func TestDiff_RenameKeepsThePriceHistory(t *testing.T) {
	t.Parallel()
	s := build.Snapshot(build.Tool("a", build.Priced(Paid, "10 €/mois")))
	publish := func(next *Tool) Changes {
		e := build.Edition(s.Edition().Number + 1)
		changes := Diff(s.Contents(), build.Contents(next), e.Date())
		s = s.Apply(changes.Delta(e))
		return changes
	}
	publish(build.Tool("a", build.Priced(Paid, "12 €/mois")))
	publish(build.Tool("n", build.Priced(Paid, "15 €/mois"), func(t *Tool) { t.Formerly = []string{"a"} }))
	changes := publish(build.Tool("a", build.Priced(Paid, "18 €/mois"))) // taken back without a trace of n
	tool, _ := s.Tool("a")
	var prices []string
	for _, row := range tool.History {
		prices = append(prices, row.OldPrice+" > "+row.NewPrice)
	}
	testkit.Equal(t, "history", prices, []string{"15 €/mois > 18 €/mois", "12 €/mois > 15 €/mois", "10 €/mois > 12 €/mois"})
	testkit.Equal(t, "renamed", changes.RenamedTools(), map[string]string{"n": "a"})
}
