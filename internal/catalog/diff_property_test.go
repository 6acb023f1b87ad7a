package catalog_test

import (
	"cmp"
	"fmt"
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
		return fmt.Sprint(string(doc.Body), m.Title, m.ToolA, m.ToolB, m.Winner, s.Service().Site.Comparison)
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
	translated(current, out)
	for _, t := range out.Tools {
		t.Embedded, t.UpdatedAt, t.History = embedded[t.Slug], day, nil
		if _, known := before.Tool(t.Slug); !known {
			continue
		}
		old := build.Find(current, t.Slug)
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
func translated(current, out *Contents) {
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
		text("tagline "+x.Slug, &x.English.Tagline, x.Tagline)
		x.English.Review.Of = of("review "+x.Slug, x.English.Review.Markdown.Hash, x.Review.Markdown.Hash)
	}
	for _, x := range out.Comparisons {
		text("title "+x.Slug, &x.English.Title, x.Title)
		text("note "+x.Slug, &x.English.Note, x.Note)
	}
	for _, x := range out.Retired {
		text("epitaph "+x.Slug, &x.English.Note, x.Note)
	}
}

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
				}

				snapshot = snapshot.Apply(changes.Delta(e))
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
