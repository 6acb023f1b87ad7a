package publish_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/content"
	"github.com/palmares-hq/palmares/internal/publish"
)

func TestContentIsPublished(t *testing.T) {
	t.Parallel()
	d := newDesk(t, 3)
	d.comparison("duel", "outil-0", "outil-1", "published")
	d.comparison("brouillon", "outil-0", "outil-2", "draft")
	d.retired("feu")
	seen := 0
	out := d.publish(publish.Options{Progress: func(done, total int) { seen = done*100 + total }})

	c, e := d.published()
	if !out.Written() || out.Edition != e || e.Number != 1 || out.Before != (catalog.Edition{}) {
		t.Errorf("the outcome is %+v, the edition %+v", out, e)
	}
	if len(c.Tools) != 3 || len(c.Comparisons) != 1 || len(c.Retired) != 1 || out.Changes.Drafts != 1 {
		t.Errorf("published: %d tools, %d comparisons, %d retired, %d drafts held back", len(c.Tools), len(c.Comparisons), len(c.Retired), out.Changes.Drafts)
	}
	if !e.PublishedAt.Equal(d.now) || c.Tools[0].UpdatedAt != "2026-03-01" || c.Comparisons[0].UpdatedAt != "2026-03-01" {
		t.Errorf("published at %s, dated %s and %s", e.PublishedAt, c.Tools[0].UpdatedAt, c.Comparisons[0].UpdatedAt)
	}
	if seen != 606 {
		t.Errorf("progress ended at %d, of 6 files", seen)
	}
}

func TestTheSameContentTwice(t *testing.T) {
	t.Parallel()
	d := newDesk(t, 3)
	d.comparison("brouillon", "outil-0", "outil-1", "draft")
	first := d.publish(publish.Options{})
	d.now = d.now.AddDate(0, 0, 1)
	second := d.publish(publish.Options{})
	if second.Written() || !second.Changes.Empty() || second.Edition != first.Edition || second.Before != first.Edition {
		t.Errorf("the second run: %+v", second)
	}
	// Other bytes that say the same are no change either.
	d.write("categories.yaml", "# nos catégories\n- slug: code\n  label: Code\n")
	d.tool("outil-1", `"10 €/mois"`)
	if third := d.publish(publish.Options{}); third.Written() {
		t.Errorf("the third run wrote edition %d", third.Edition.Number)
	}
	d.wantEdition(1)
}

func TestOnlyChangedFilesAreDecoded(t *testing.T) {
	t.Parallel()
	d := newDesk(t, 5)
	d.comparison("duel", "outil-0", "outil-1", "published")
	d.retired("feu")
	decoded := func() int {
		t.Helper()
		current, _ := d.published()
		r, err := content.Load(t.Context(), d.dir, content.Options{Known: current})
		if err != nil || r.HasErrors() {
			t.Fatal(err, r.Faults)
		}
		return r.Decoded
	}
	const always = 2 // catalog.yaml and categories.yaml
	if n := decoded(); n != always+7 {
		t.Errorf("%d files decoded before the first publication", n)
	}
	d.publish(publish.Options{})
	if n := decoded(); n != always {
		t.Errorf("%d files decoded with nothing changed", n)
	}
	d.tool("outil-3", "12 €/mois")
	d.comparison("duel", "outil-0", "outil-2", "published")
	if n := decoded(); n != always+2 {
		t.Errorf("%d files decoded with two changed", n)
	}
	out := d.publish(publish.Options{})
	if len(out.Changes.Tools) != 1 || len(out.Changes.Comparisons) != 1 || len(out.Changes.Retired) != 0 {
		t.Errorf("the changes: %+v", out.Changes)
	}
	if n := decoded(); n != always {
		t.Errorf("%d files decoded after publishing the change", n)
	}
}

// A file that says the same in other bytes is no news, and is not decoded for ever
// after either.
func TestARewrittenFileThatSaysTheSameIsNoEdition(t *testing.T) {
	t.Parallel()
	d := newDesk(t, 2)
	d.comparison("duel", "outil-0", "outil-1", "published")
	d.retired("feu")
	d.publish(publish.Options{})
	for _, path := range []string{"tools/outil-0.md", "comparatifs/duel.md", "cimetiere/feu.md"} {
		text, err := os.ReadFile(filepath.Join(d.dir, path))
		if err != nil {
			t.Fatal(err)
		}
		d.write(path, strings.Replace(string(text), "---\n", "---\n# un commentaire\n", 1))
	}
	if out := d.publish(publish.Options{}); out.Written() || out.Decoded != 2+3 {
		t.Errorf("written: %v, decoded: %d files", out.Written(), out.Decoded)
	}
	d.wantEdition(1)
	if out := d.publish(publish.Options{}); out.Written() || out.Decoded != 2 {
		t.Errorf("the second time: written: %v, decoded: %d files", out.Written(), out.Decoded)
	}
}

// Run itself leaves unchanged files alone, which shows in their warnings: a file
// that was published with one is not complained about again.
func TestWhatIsPublishedIsNotReadAgain(t *testing.T) {
	t.Parallel()
	d := newDesk(t, 1)
	d.write("tools/long.md", `---
name: Long
domain: long.example
category: code
icp: mixte
pricing: payant
price: 10 €/mois
tagline: Un outil
obsolescence: 2
tier: 3
mainstream: false
---

`+strings.Repeat("Un avis trop long pour un seul morceau. ", 60)+"\n")
	if out := d.publish(publish.Options{}); len(out.Warnings) != 1 {
		t.Fatalf("the first publication warns %d times: %v", len(out.Warnings), out.Warnings)
	}
	d.tool("outil-0", "12 €/mois")
	if out := d.publish(publish.Options{}); len(out.Warnings) != 0 || !out.Written() {
		t.Errorf("the second publication warns of what did not change: %v", out.Warnings)
	}
}

func TestFaultsStopAPublication(t *testing.T) {
	t.Parallel()
	d := newDesk(t, 3)
	d.tool("outil-1", "dix euros")
	_, err := d.run(publish.Options{})
	var faults *publish.FaultsError
	if !errors.As(err, &faults) || len(faults.Faults) != 1 || faults.Faults[0].File != "tools/outil-1.md" {
		t.Fatalf("the error is %v", err)
	}
	if got := faults.Error(); got != "the content has a fault: nothing was published" {
		t.Errorf("one fault reads %q", got)
	}
	d.tool("outil-2", "vingt euros")
	_, err = d.run(publish.Options{DryRun: true})
	if !errors.As(err, &faults) || faults.Error() != "the content has 2 faults: nothing was published" {
		t.Errorf("two faults in a dry run: %v", err)
	}
	d.wantEdition(0)
}

func TestAWarningIsNoFault(t *testing.T) {
	t.Parallel()
	d := newDesk(t, 1)
	d.write("cimetieres/feu.md", "") // nearly cimetiere/
	out := d.publish(publish.Options{})
	if len(out.Warnings) != 1 || !out.Warnings[0].Warning || !out.Written() {
		t.Errorf("the outcome: %+v", out)
	}
	d.tool("outil-0", "faux")
	_, err := d.run(publish.Options{})
	if err == nil || !strings.Contains(err.Error(), "the content has a fault:") {
		t.Errorf("warnings are counted as faults: %v", err)
	}
}

func TestADirectoryThatIsNotThere(t *testing.T) {
	t.Parallel()
	d := newDesk(t, 1)
	d.dir += "-not"
	if _, err := d.run(publish.Options{}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the error is %v", err)
	}
	d.wantEdition(0)
}

func TestAClockThatRunsBackwardsIsRefused(t *testing.T) {
	t.Parallel()
	d := newDesk(t, 1)
	d.publish(publish.Options{})
	d.tool("outil-0", "12 €/mois")
	d.now = d.now.Add(-time.Second)
	for _, dry := range []bool{true, false} {
		_, err := d.run(publish.Options{DryRun: dry})
		if err == nil || !strings.Contains(err.Error(), "2026-03-01T09:00:00Z, after this machine's clock (2026-03-01T08:59:59Z): set the clock first") {
			t.Errorf("dry %t: %v", dry, err)
		}
	}
	d.wantEdition(1)
	d.now = d.now.Add(time.Second) // the very same moment is late enough
	d.publish(publish.Options{})
	d.wantEdition(2)
}

// An edition at midnight must not be dated otherwise than its items.
func TestTheClockIsReadOnce(t *testing.T) {
	t.Parallel()
	d := newDesk(t, 1)
	day := time.Date(2026, 3, 1, 23, 59, 59, 0, time.UTC)
	out := d.publish(publish.Options{Now: func() time.Time {
		defer func() { day = day.Add(time.Minute) }()
		return day
	}})
	c, _ := d.published()
	if out.Edition.Date() != c.Tools[0].UpdatedAt {
		t.Errorf("edition of %s, tool of %s", out.Edition.Date(), c.Tools[0].UpdatedAt)
	}
}

func TestADryRunWritesNothing(t *testing.T) {
	t.Parallel()
	d := newDesk(t, 2)
	out := d.publish(publish.Options{DryRun: true})
	if out.Written() || len(out.Changes.Tools) != 2 || out.Edition.Number != 0 {
		t.Errorf("the outcome: %+v", out)
	}
	d.wantEdition(0)

	first := d.publish(publish.Options{})
	d.tool("outil-0", "12 €/mois")
	out = d.publish(publish.Options{DryRun: true})
	if out.Written() || len(out.Changes.Tools) != 1 || out.Edition != first.Edition {
		t.Errorf("the outcome: %+v", out)
	}
	c, e := d.published()
	if e != first.Edition || c.Tools[0].Price != "10 €/mois" {
		t.Errorf("after the dry run: edition %d, price %s", e.Number, c.Tools[0].Price)
	}
}

func TestADryRunDoesNotWaitForAPublication(t *testing.T) {
	t.Parallel()
	d := newDesk(t, 2)
	d.publish(publish.Options{})
	d.tool("outil-0", "12 €/mois")

	inside, release := make(chan struct{}), make(chan struct{})
	done := make(chan error, 1)
	go func() {
		_, err := d.db.Catalog.Publish(d.Context(), func() time.Time { return d.now },
			func(context.Context, *catalog.Contents, catalog.Edition, catalog.Past) (catalog.Changes, error) {
				close(inside)
				<-release
				return catalog.Changes{}, nil
			})
		done <- err
	}()
	<-inside
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
	defer cancel()
	o := publish.Options{DryRun: true, Now: func() time.Time { return d.now }}
	if out, err := publish.Run(ctx, d.db.Catalog, d.dir, o); err != nil || len(out.Changes.Tools) != 1 {
		t.Errorf("a dry run during a publication: %v, %+v", err, out.Changes)
	}
	// While one that writes does wait: the lock is really held.
	short, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	o.DryRun = false
	if _, err := publish.Run(short, d.db.Catalog, d.dir, o); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a publication during another: %v", err)
	}
	close(release)
	if err := <-done; err != nil {
		t.Error(err)
	}
}

func TestWithoutADatabase(t *testing.T) {
	t.Parallel()
	d := newDesk(t, 1)
	d.db.Close()
	for _, dry := range []bool{true, false} {
		if _, err := d.run(publish.Options{DryRun: dry}); err == nil {
			t.Errorf("dry %t: no error", dry)
		}
	}
}

// Of publications that expect the same edition one goes through, however many come at
// once: the others see it under the lock.
func TestExpectEdition(t *testing.T) {
	t.Parallel()
	d := newDesk(t, 1)
	for _, from := range []int64{0, 1} {
		var running sync.WaitGroup
		var mu sync.Mutex
		written := 0
		for i := range 4 {
			other := *d
			other.dir = copyDir(t, d.dir)
			other.tool("outil-0", fmt.Sprintf("%d €/mois", 10*from+int64(i)+11))
			running.Go(func() {
				out, err := other.run(publish.Options{ExpectEdition: &from})
				var refused *publish.EditionError
				mu.Lock()
				defer mu.Unlock()
				switch {
				case err == nil && out.Written():
					written++
				case !errors.As(err, &refused) || refused.Expected != from || refused.Published != from+1:
					t.Errorf("expecting edition %d: %+v %v", from, out, err)
				}
			})
		}
		running.Wait()
		if written != 1 {
			t.Errorf("%d publications over edition %d were written, want 1", written, from)
		}
		d.wantEdition(from + 1)
	}
}

func TestPublishedAsIfOnADay(t *testing.T) {
	t.Parallel()
	d := newDesk(t, 2)
	at := func(day catalog.Date, price string, want time.Time) {
		t.Helper()
		d.tool("outil-0", price)
		out := d.publish(publish.Options{At: day})
		c, e := d.published()
		if !out.Written() || !e.PublishedAt.Equal(want) || c.Tools[0].UpdatedAt != day {
			t.Errorf("as if on %s: published at %s, dated %s", day, e.PublishedAt, c.Tools[0].UpdatedAt)
		}
		if h := out.Changes.Tools[0].New.History; e.Number > 1 && (len(h) == 0 || h[0].ChangedAt != day) {
			t.Errorf("as if on %s: the price changed on %v", day, h)
		}
	}
	noon := time.Date(2026, 1, 31, 12, 0, 0, 0, time.UTC)
	at("2026-01-31", "10 €/mois", noon)
	at("2026-01-31", "11 €/mois", noon) // again
	at("2026-02-14", "12 €/mois", noon.AddDate(0, 0, 14))
	at("2026-03-01", "13 €/mois", d.now) // today, which has not come to noon
	d.now = d.now.AddDate(0, 0, 1)
	at("2026-03-01", "14 €/mois", time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC))
	d.tool("outil-0", "15 €/mois")
	for _, day := range []catalog.Date{"2026-02-28", "2026-03-03"} {
		for _, dry := range []bool{false, true} {
			_, err := d.run(publish.Options{At: day, DryRun: dry})
			if _, refused := errors.AsType[*publish.DayError](err); !refused {
				t.Errorf("as if on %s: %v", day, err)
			}
		}
	}
	d.wantEdition(5)
}
