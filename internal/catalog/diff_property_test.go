package catalog_test

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"testing"

	. "github.com/palmares-hq/palmares/internal/catalog"
	build "github.com/palmares-hq/palmares/internal/catalogtest"
	"github.com/palmares-hq/palmares/internal/testkit"
)

// publishedOver is the state that publishing the files over current on the day leads to, decided by
// the plainest means: dates move with what readers see, prices leave a trace, the embeddings set is
// drawn anew.
func publishedOver(current, files *Contents, day Date) *Contents {
	before, after := undated(current), undated(files)
	tools, comparisons := formerNames(bearersOf(current, true), bearersOf(files, true)), formerNames(bearersOf(current, false), bearersOf(files, false))
	seenTool := func(s *Snapshot, slug string) string {
		t, ok := s.Tool(slug)
		if !ok {
			return "not there"
		}
		doc, _ := s.ToolJSON(slug)
		return fmt.Sprint(string(doc.Body), t.Review.Hash, t.Obsolescence)
	}
	seenComparison := func(s *Snapshot, slug string) string {
		m, ok := s.Comparison(slug)
		if !ok {
			return "not there"
		}
		doc, _ := s.ComparisonJSON(slug)
		names := []string{m.ToolA, m.ToolB, m.Winner}
		for i, slug := range names {
			if s == after { // that a tool has another slug is not seen
				names[i] = cmp.Or(tools[slug], slug)
			}
		}
		return fmt.Sprint(string(doc.Body), m.Title, names, s.Service().Site.Comparison)
	}
	embedded := map[string]bool{}
	for _, t := range EmbeddingsSet(files.Tools) {
		embedded[t.Slug] = true
	}
	dates := map[string]Date{} // of comparisons
	for _, c := range current.Comparisons {
		dates[c.Slug] = c.UpdatedAt
	}
	out := build.Clone(files)
	translated(current, out, tools, comparisons)
	for _, t := range out.Tools {
		t.Embedded, t.UpdatedAt, t.History = embedded[t.Slug], day, nil
		was := cmp.Or(tools[t.Slug], t.Slug)
		if _, known := before.Tool(was); !known {
			continue
		}
		old := build.Find(current, was)
		t.History = old.History
		if t.Price != old.Price || t.Pricing != old.Pricing {
			t.History = append([]PriceChange{{day, old.Pricing, old.Price, t.Pricing, t.Price}}, old.History...)
		}
		if seenTool(before, t.Slug) == seenTool(after, t.Slug) {
			t.UpdatedAt = old.UpdatedAt
		}
	}
	for _, c := range out.Comparisons {
		c.UpdatedAt = day
		if seenComparison(before, c.Slug) == seenComparison(after, c.Slug) {
			c.UpdatedAt = dates[c.Slug]
		}
	}
	return out
}

// translated says of each English text which French it was published with: that of the day on which it
// became what it is.
func translated(current, out *Contents, tools, comparisons map[string]string) {
	was := map[string]string{} // what texts were of, by what they are
	note := func(item, text, of string) { was[item+" "+text] = of }
	of := func(item, text, french string) string {
		if text == "" {
			return ""
		}
		return cmp.Or(was[item+" "+text], french)
	}
	text := func(item string, t *Translation, french string) {
		t.Of = of(item, t.Text, NewMarkdown(french).Hash)
	}
	for _, x := range current.Categories {
		note("label "+x.Slug, x.English.Text, x.English.Of)
	}
	for _, x := range current.Tools {
		note("tagline "+x.Slug, x.English.Tagline.Text, x.English.Tagline.Of)
		note("review "+x.Slug, x.English.Review.Markdown.Hash, x.English.Review.Of)
	}
	for _, x := range current.Comparisons {
		note("title "+x.Slug, x.English.Title.Text, x.English.Title.Of)
		note("note "+x.Slug, x.English.Note.Text, x.English.Note.Of)
	}
	for _, x := range current.Retired {
		note("epitaph "+x.Slug, x.English.Note.Text, x.English.Note.Of)
	}
	for i := range out.Categories {
		text("label "+out.Categories[i].Slug, &out.Categories[i].English, out.Categories[i].Label)
	}
	for _, x := range out.Tools {
		slug := cmp.Or(tools[x.Slug], x.Slug)
		text("tagline "+slug, &x.English.Tagline, x.Tagline)
		x.English.Review.Of = of("review "+slug, x.English.Review.Markdown.Hash, x.Review.Markdown.Hash)
	}
	for _, x := range out.Comparisons {
		slug := cmp.Or(comparisons[x.Slug], x.Slug)
		text("title "+slug, &x.English.Title, x.Title)
		text("note "+slug, &x.English.Note, x.Note)
	}
	for _, x := range out.Retired {
		text("epitaph "+cmp.Or(tools[x.Slug], x.Slug), &x.English.Note, x.Note)
	}
}

// bearersOf are the former slugs of tools, living and retired, or of comparisons, by slug.
func bearersOf(c *Contents, tools bool) map[string][]string {
	list := map[string][]string{}
	for _, x := range c.Comparisons {
		if !tools {
			list[x.Slug] = x.Formerly
		}
	}
	for _, x := range c.Tools {
		if tools {
			list[x.Slug] = x.Formerly
		}
	}
	for _, x := range c.Retired {
		if tools {
			list[x.Slug] = x.Formerly
		}
	}
	return list
}

// formerNames says of the items that were renamed which slug they had.
func formerNames(current, files map[string][]string) map[string]string {
	names := map[string]string{}
	gone := func(slug string) bool { return has(current, slug) && !has(files, slug) }
	for slug, formerly := range files {
		for _, old := range formerly { // the last one counts
			if !has(current, slug) && gone(old) {
				names[slug] = old
			}
		}
	}
	for old, formerly := range current {
		for _, slug := range formerly { // it takes a slug back, and forgets the one it had
			if has(files, slug) && !has(current, slug) && gone(old) && names[slug] == "" && !slices.Contains(slices.Collect(maps.Values(names)), old) {
				names[slug] = old
			}
		}
	}
	return names
}

func has(m map[string][]string, slug string) bool { _, ok := m[slug]; return ok }

// undated shows the contents without any date.
func undated(c *Contents) *Snapshot {
	bare := build.Clone(c)
	for _, t := range bare.Tools {
		t.UpdatedAt = ""
	}
	for _, x := range bare.Comparisons {
		x.UpdatedAt = ""
	}
	return Empty().Apply(build.Whole(bare, build.Edition(1)))
}

// The changes, applied to a snapshot of the state before, give the state after. Published again they
// are none. Comparing modifies neither state.
func TestDiff_DeltaLeadsToTheNewState(t *testing.T) {
	t.Parallel()
	if testkit.Raced {
		t.Skip("it compares whole editions, one after the other")
	}
	for seed := range uint64(4) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			t.Parallel()
			w := build.NewWorld(100+seed, 25)
			current, snapshot := &Contents{}, Empty()
			mirror, plain := newReader(), newReader()
			for n := int64(1); n < 20; n++ {
				files, e := w.Contents(), build.Edition(n)
				if seed%2 == 1 {
					w.Reuse(files, current)
				}
				currentBefore, filesBefore := build.Clone(current), build.Clone(files)
				changes := Diff(current, files, e.Date())
				testkit.Equal(t, "the state before, after Diff", build.Dump(current), build.Dump(currentBefore))
				testkit.Equal(t, "the files, after Diff", build.Dump(files), build.Dump(filesBefore))
				for _, event := range changes.Events() {
					checkEvent(t, event)
					mirror.apply(event, true)
					plain.apply(event, false)
				}

				snapshot = snapshot.Apply(changes.Delta(e))
				mirror.check(t, fmt.Sprint("who knows renames, edition ", n), snapshot)
				plain.check(t, fmt.Sprint("who knows no renames, edition ", n), snapshot)
				want := publishedOver(current, w.Published(), e.Date())
				testkit.Equal(t, "contents", build.Dump(snapshot.Contents()), build.Dump(want))
				build.WantAnswers(t, fmt.Sprint("edition ", n), build.Answers(Empty().Apply(build.Whole(want, e))), snapshot)
				testkit.Equal(t, "counts", changes.After, Counts{len(want.Tools), len(want.Comparisons), len(want.Retired)})
				if again := Diff(snapshot.Contents(), files, "2027-01-01"); !again.Empty() {
					t.Fatalf("edition %d, published again, changes %+v", n, again)
				}
				if t.Failed() {
					t.FailNow()
				}
				current = snapshot.Contents()
				w.Change(w.IntN(7))
			}
		})
	}
}
