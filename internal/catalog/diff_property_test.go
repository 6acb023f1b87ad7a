package catalog

import (
	"bytes"
	"fmt"
	"testing"
)

// A press publishes states of a world one over the other, deciding by the plainest
// means what Diff decides.
type press struct {
	service     Service
	tools       map[string]*Tool
	comparisons map[string]*Comparison
}

// publish is the state that publishing the files on the day leads to: dates move
// with what the API shows, prices leave a trace, the embeddings set is drawn anew.
func (p *press) publish(files *Contents, day Date) *Contents {
	out := clone(files)
	embedded := map[string]bool{}
	for _, t := range EmbeddingsSet(files.Tools) {
		embedded[t.Slug] = true
	}
	tools := map[string]*Tool{}
	for _, t := range out.Tools {
		t.Embedded, t.UpdatedAt, t.History = embedded[t.Slug], day, nil
		if old := p.tools[t.Slug]; old != nil {
			t.History = old.History
			if t.Price != old.Price || t.Pricing != old.Pricing {
				t.History = append([]PriceChange{{day, old.Pricing, old.Price, t.Pricing, t.Price}}, old.History...)
			}
			if bytes.Equal(shown(p.service, old), shown(files.Service, t)) {
				t.UpdatedAt = old.UpdatedAt
			}
		}
		tools[t.Slug] = t
	}
	comparisons := map[string]*Comparison{}
	for _, c := range out.Comparisons {
		c.UpdatedAt = day
		if old := p.comparisons[c.Slug]; old != nil {
			before := shownComparison(p.service, matchup{old, p.tools[old.ToolA], p.tools[old.ToolB]})
			if bytes.Equal(before, shownComparison(files.Service, matchup{c, tools[c.ToolA], tools[c.ToolB]})) {
				c.UpdatedAt = old.UpdatedAt
			}
		}
		comparisons[c.Slug] = c
	}
	p.service, p.tools, p.comparisons = files.Service, tools, comparisons
	return out
}

// shown is all that a reader can learn of a tool, but for its date.
func shown(s Service, t *Tool) []byte {
	x := *t
	x.UpdatedAt = ""
	return fmt.Appendf(nil, "%s %s %s", encodeTool(s, &x), x.Review.Hash, x.Obsolescence)
}

func shownComparison(s Service, m matchup) []byte {
	c := *m.Comparison
	c.UpdatedAt = ""
	m.Comparison = &c
	return append(encodeComparisonItem(s, m), encodeComparison(m)...)
}

// reuse puts the published item in the place of every one that the world did not
// touch since, as loading does with files that are as they were.
func reuse(w *world, files, current *Contents) {
	for i, t := range files.Tools {
		if old := find(current.Tools, t.Slug, func(t *Tool) string { return t.Slug }); old != nil && !w.touchedTools[t.Slug] {
			files.Tools[i] = old
		}
	}
	for i, c := range files.Comparisons {
		if old := find(current.Comparisons, c.Slug, func(c *Comparison) string { return c.Slug }); old != nil && !w.touchedComparisons[c.Slug] {
			files.Comparisons[i] = old
		}
	}
	for i, r := range files.Retired {
		if old := find(current.Retired, r.Slug, func(r *Retired) string { return r.Slug }); old != nil && !w.touchedRetired[r.Slug] {
			files.Retired[i] = old
		}
	}
	w.forget()
}

func find[T any](list []*T, slug string, of func(*T) string) *T {
	for _, x := range list {
		if of(x) == slug {
			return x
		}
	}
	return nil
}

// The changes, applied to a snapshot of the state before, give the state after;
// published again they are none; and neither state is touched by the comparing.
func TestDiff_DeltaLeadsToTheNewState(t *testing.T) {
	t.Parallel()
	for seed := range uint64(4) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			t.Parallel()
			w := newWorld(100+seed, 25)
			current := &Contents{}
			p := &press{tools: map[string]*Tool{}, comparisons: map[string]*Comparison{}}
			snapshot := Empty()
			for n := int64(1); n < 20; n++ {
				files, e := w.contents(), testEdition(n)
				day := e.Date()
				if seed%2 == 1 {
					reuse(w, files, current)
				}
				currentBefore, filesBefore := clone(current), clone(files)

				changes := Diff(current, files, day)
				snapshot = snapshot.Apply(changes.Delta(e))
				for _, event := range changes.Events() {
					checkEvent(t, event)
				}
				equal(t, "the state before, after Diff", current, currentBefore)
				equal(t, "the files, after Diff", files, filesBefore)

				want := p.publish(files, day)
				equal(t, "contents", dump(snapshot.Contents()), dump(want))
				same(t, fmt.Sprint("edition ", n), transcript(snapshot), transcript(Empty().Apply(whole(want, e))))
				equal(t, "after", changes.After, Counts{len(want.Tools), len(want.Comparisons), len(want.Retired)})
				if again := Diff(snapshot.Contents(), files, "2027-01-01"); !again.Empty() {
					t.Fatalf("edition %d, published again, changes %+v", n, again)
				}
				if t.Failed() {
					t.FailNow()
				}
				current = snapshot.Contents()
				for range w.IntN(7) {
					w.change()
				}
			}
		})
	}
}

// dump writes the items out, for pointers compare by value.
func dump(c *Contents) string {
	var b bytes.Buffer
	fmt.Fprintln(&b, c.Service, c.Categories)
	for _, x := range c.Tools {
		fmt.Fprintf(&b, "%+v\n", *x)
	}
	for _, x := range c.Comparisons {
		fmt.Fprintf(&b, "%+v\n", *x)
	}
	for _, x := range c.Retired {
		fmt.Fprintf(&b, "%+v\n", *x)
	}
	return b.String()
}
