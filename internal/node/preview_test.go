package node

import (
	"bytes"
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/content"
	"github.com/palmares-hq/palmares/internal/pgtest"
	"github.com/palmares-hq/palmares/internal/publish"
	"github.com/palmares-hq/palmares/internal/testkit"
)

// startPreview runs a preview of a directory, which has been loaded once.
func startPreview(t *testing.T, dir string) *running {
	t.Helper()
	r := &running{t: t}
	p, err := NewPreview(t.Context(), PreviewOptions{Dir: dir, Listen: "127.0.0.1:0", Log: &r.log})
	must(t, err)
	_, err = p.Load(t.Context())
	must(t, err)
	r.run(p.Node)
	return r
}

// evening is when the tests of histories read the files.
var evening = time.Date(2026, 11, 15, 18, 0, 0, 0, time.UTC)

// replayExample replays the example catalog, and gives its files of today as well.
func replayExample(t *testing.T) (*catalog.Snapshot, *catalog.Contents) {
	t.Helper()
	today, err := content.Load(t.Context(), exampleCatalog, content.Options{})
	must(t, err)
	s, faults, err := replay(t.Context(), exampleCatalog, today.Contents, evening)
	must(t, err)
	if len(faults) > 0 {
		t.Fatal(faults)
	}
	return s, today.Contents
}

// What a preview replays is what publishing every older state on its day makes.
func TestReplay_IsWhatPublishingMakes(t *testing.T) {
	t.Parallel()
	db := pgtest.Open(t)
	run := func(day catalog.Date) publish.Outcome {
		out, err := publish.Run(t.Context(), db.Catalog, exampleCatalog, publish.Options{
			At: day, Now: func() time.Time { return evening },
		})
		if err != nil {
			t.Fatalf("on %q: %v", day, err)
		}
		return out
	}
	days, err := content.History(exampleCatalog, evening)
	must(t, err)
	for _, day := range days {
		if !run(day).Written() {
			t.Errorf("nothing changes on %s", day)
		}
	}
	if out := run(""); out.Written() {
		t.Errorf("the history does not end with the files of today: %+v", out.Changes)
	}
	feed, err := db.Catalog.Feed(t.Context())
	must(t, err)
	defer feed.Close()
	delta, err := feed.Since(t.Context(), catalog.Edition{})
	must(t, err)
	replayed, _ := replayExample(t)
	got, want := describe(t, replayed), describe(t, catalog.Empty().Apply(delta))
	for i := range min(len(got), len(want)) {
		if got[i] != want[i] {
			t.Fatalf("replayed:\n%s\npublished:\n%s", got[i], want[i])
		}
	}
	if len(got) != len(want) {
		t.Errorf("%d lines are replayed, %d published", len(got), len(want))
	}
}

// describe tells all that a snapshot shows, a line for each thing.
func describe(t *testing.T, s *catalog.Snapshot) (lines []string) {
	t.Helper()
	add := func(format string, args ...any) { lines = append(lines, fmt.Sprintf(format, args...)) }
	add("edition %d of %s", s.Edition().Number, s.Edition().PublishedAt.UTC())
	add("%s %s", s.StatsJSON().Body, s.CategoriesJSON().Body)
	c := s.Contents()
	for _, x := range c.Tools {
		tool, _ := s.ToolJSON(x.Slug)
		price, _ := s.PriceJSON(x.Slug)
		add("%s %s %t", tool.Body, price.Body, x.Embedded)
		if x.Review.Exists() {
			text, err := s.Review(x.Slug)
			must(t, err)
			add("%s", text)
		}
	}
	for _, x := range c.Comparisons {
		comparison, _ := s.ComparisonJSON(x.Slug)
		add("%s", comparison.Body)
	}
	for _, x := range c.Retired {
		x.Source = ""
		add("%+v", *x)
	}
	for e := range s.RecentChanges() {
		add("%d of %d, %s: %s %s %s %s %s", e.Seq, e.Edition, e.At.UTC(), e.Type, e.Slug, e.Categories, e.Object, e.Previous)
	}
	return lines
}

// The example catalog has something of everything to show.
func TestReplay_OfTheExample(t *testing.T) {
	t.Parallel()
	s, today := replayExample(t)
	if changes := catalog.Diff(s.Contents(), today, catalog.DateOf(evening)); !changes.Empty() || s.Edition().Number != 20 {
		t.Errorf("edition %d, and then %+v", s.Edition().Number, changes)
	}
	seen := make(map[string]int)
	for e := range s.RecentChanges() {
		seen[string(e.Type)]++
		if e.At.After(evening.AddDate(0, 0, -7)) {
			seen["this week"]++
		}
		if e.Type == catalog.ToolRetired {
			if r, ok := s.Retired(e.Slug); !ok || r.RetiredAt != catalog.DateOf(e.At) {
				t.Errorf("%s is retired on %s, and its file says %+v", e.Slug, e.At, r)
			}
		}
	}
	for _, tool := range s.Contents().Tools {
		seen["most steps"] = max(seen["most steps"], len(tool.History))
		for _, step := range tool.History {
			before, _ := catalog.ParsePrice(step.OldPrice)
			after, _ := catalog.ParsePrice(step.NewPrice)
			switch {
			case before.Period != after.Period:
				seen["other period"]++
			case step.NewPricing == catalog.Free:
				seen["free"]++
			case before.Cents < after.Cents:
				seen["rise"]++
			default:
				seen["fall"]++
			}
		}
	}
	for what, least := range map[string]int{
		"rise": 20, "fall": 15, "free": 1, "other period": 1, "most steps": 7, "this week": 12, "tool.created": 50, "tool.updated": 50,
		"tool.retired": 7, "price.changed": 45, "comparatif.published": 14, "comparatif.updated": 5, "embeddings.updated": 50,
	} {
		if seen[what] < least {
			t.Errorf("%s: %d, want %d at least", what, seen[what], least)
		}
	}
}

// A preview begins after the history, and goes on from there.
func TestPreview_BeginsAfterTheHistory(t *testing.T) {
	t.Parallel()
	dir := testkit.CopyOf(t, exampleCatalog)
	p, err := NewPreview(t.Context(), PreviewOptions{Dir: dir, Listen: "127.0.0.1:0", Log: &bytes.Buffer{}})
	must(t, err)
	t.Cleanup(func() { must(t, p.Close()) })
	load := func(wantEdition int64) Reload {
		t.Helper()
		r, err := p.Load(t.Context())
		must(t, err)
		if e := p.live.Current().Edition(); e.Number != wantEdition {
			t.Errorf("edition %d is served, want %d", e.Number, wantEdition)
		}
		return r
	}
	const older = "history/2025-05-06/tools/tournevis.md"
	text := testkit.ReadFile(t, dir+"/"+older)
	must(t, os.WriteFile(dir+"/"+older, []byte("---\n"), 0o600))
	if r := load(0); !r.Broken || !r.First || len(r.Faults) != 1 || r.Faults[0].File != older {
		t.Errorf("with a fault in the history: %+v", r)
	}
	must(t, os.WriteFile(dir+"/"+older, []byte(text), 0o600))
	if r := load(20); r.Broken || !r.First || r.Changes.After.Tools != 43 {
		t.Errorf("mended: %+v", r)
	}
	if r := load(20); r.First || !r.Changes.Empty() {
		t.Errorf("again: %+v", r)
	}
	testkit.Edit(t, dir+"/tools/tournevis.md", `price: "24 €/mois"`, `price: "30 €/mois"`)
	load(21)
	tool, _ := p.live.Current().Tool("tournevis")
	if len(tool.History) != 4 || tool.History[0].OldPrice != "24 €/mois" || tool.History[3].ChangedAt != "2025-05-06" {
		t.Errorf("the prices were %+v", tool.History)
	}
	if last := p.live.Current().LastChange(); last < 200 {
		t.Errorf("the log has %d entries", last)
	}
}
