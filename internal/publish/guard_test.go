package publish_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/palmares-hq/palmares/internal/publish"
)

// refused runs a publication that the guards must refuse.
func (d *desk) refused(o publish.Options) *publish.GuardError {
	d.Helper()
	_, before := d.published()
	out, err := d.run(o)
	var refused *publish.GuardError
	if !errors.As(err, &refused) {
		d.Fatalf("not refused: %v", err)
	}
	if out.Changes.Empty() || out.Written() {
		d.Errorf("a refused run must tell what it would have changed, and write nothing: %+v", out)
	}
	d.wantEdition(before.Number)
	return refused
}

// guarded has ten tools, a comparison and a retired tool published.
func guarded(t *testing.T) *desk {
	t.Helper()
	d := newDesk(t, 10)
	d.comparison("duel", "outil-0", "outil-1", "published")
	d.retired("feu")
	d.publish(publish.Options{})
	return d
}

func TestWhatIsPublishedCannotVanish(t *testing.T) {
	t.Parallel()
	d := guarded(t)
	for _, file := range []string{"tools/outil-9.md", "comparatifs/duel.md", "cimetiere/feu.md"} {
		t.Run(file, func(t *testing.T) {
			d := *d
			d.T, d.dir = t, copyDir(t, d.dir)
			d.remove(file)
			for _, o := range []publish.Options{{}, {DryRun: true}, {AllowShrink: true}} {
				if e := d.refused(o); !slices.Equal(e.Vanished, []string{file}) || e.Before != 0 {
					t.Errorf("refused for %+v", e)
				}
			}
			if out := d.publish(publish.Options{DryRun: true, AllowRemoval: true}); out.Changes.Empty() {
				t.Error("with the flag, nothing changes")
			}
		})
	}
	d.remove("tools/outil-9.md")
	d.publish(publish.Options{AllowRemoval: true})
	d.wantEdition(2)
}

func TestWhatIsNotVanished(t *testing.T) {
	t.Parallel()
	for name, edit := range map[string]func(*desk){
		"a comparison made a draft": func(d *desk) { d.comparison("duel", "outil-0", "outil-1", "draft") },
		"a retired tool":            func(d *desk) { d.remove("tools/outil-9.md"); d.retired("outil-9") },
		"a revived tool":            func(d *desk) { d.remove("cimetiere/feu.md"); d.tool("feu", "5 €/mois") },
		"a renamed tool":            func(d *desk) { d.rename("tools", "outil-9", "neuf") },
		"a renamed comparison":      func(d *desk) { d.rename("comparatifs", "duel", "combat") },
		"a renamed draft": func(d *desk) {
			d.comparison("duel", "outil-0", "outil-1", "draft")
			d.rename("comparatifs", "duel", "combat")
		},
		"a renamed entry of the dead": func(d *desk) { d.rename("cimetiere", "feu", "cendres") },
		"a tool renamed and retired": func(d *desk) {
			d.remove("tools/outil-9.md")
			d.retired("neuf")
			d.formerly("cimetiere/neuf.md", "outil-9")
		},
		"a draft that was never there": func(d *desk) { d.comparison("autre", "outil-2", "outil-3", "draft"); d.tool("outil-0", "5 €/mois") },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := guarded(t)
			edit(d)
			d.publish(publish.Options{})
			d.wantEdition(2)
		})
	}
}

// rename gives a file another name, and lists the one that it had.
func (d *desk) rename(folder, from, to string) {
	d.Helper()
	must(d.T, os.Rename(filepath.Join(d.dir, folder, from+".md"), filepath.Join(d.dir, folder, to+".md")))
	d.formerly(folder+"/"+to+".md", from)
}

// formerly writes which slugs a file had; none takes the line out.
func (d *desk) formerly(file string, slugs ...string) {
	d.Helper()
	path := filepath.Join(d.dir, filepath.FromSlash(file))
	text, err := os.ReadFile(path)
	must(d.T, err)
	var lines []string
	for line := range strings.Lines(string(text)) {
		if !strings.HasPrefix(line, "formerly:") {
			lines = append(lines, line)
		}
	}
	if len(slugs) > 0 {
		lines = slices.Insert(lines, 1, "formerly: ["+strings.Join(slugs, ", ")+"]\n")
	}
	must(d.T, os.WriteFile(path, []byte(strings.Join(lines, "")), 0o600))
}

func must(tb testing.TB, err error) {
	tb.Helper()
	if err != nil {
		tb.Fatal(err)
	}
}

// A slug that was published leads to its item until somebody says that it need not.
func TestAnOldSlugCannotBeDropped(t *testing.T) {
	t.Parallel()
	d := guarded(t)
	d.rename("tools", "outil-9", "neuf")
	out := d.publish(publish.Options{})
	var plan strings.Builder
	must(t, publish.Print(&plan, out.Changes, publish.Style{}))
	for _, want := range []string{"  ~ neuf  ", "renamed from outil-9", "tools 1 renamed"} {
		if !strings.Contains(plan.String(), want) {
			t.Errorf("the plan lacks %q:\n%s", want, plan.String())
		}
	}
	for name, edit := range map[string]func(d *desk){
		"the line taken out": func(d *desk) { d.formerly("tools/neuf.md") },
		"another slug there": func(d *desk) { d.formerly("tools/neuf.md", "jadis") },
		"retired without it": func(d *desk) { d.remove("tools/neuf.md"); d.retired("neuf") },
		"renamed without it": func(d *desk) { d.rename("tools", "neuf", "autre") },
		"given to another":   func(d *desk) { d.formerly("tools/neuf.md"); d.tool("outil-9", "5 €/mois") },
	} {
		t.Run(name, func(t *testing.T) {
			d := *d
			d.T, d.dir = t, copyDir(t, d.dir)
			edit(&d)
			e := d.refused(publish.Options{DryRun: true})
			if len(e.Vanished) > 0 || len(e.Dropped) != 1 || !strings.HasSuffix(e.Dropped[0], "formerly lacks outil-9") {
				t.Errorf("refused for %+v", e)
			}
			d.publish(publish.Options{DryRun: true, AllowRemoval: true})
		})
	}
	d.rename("tools", "neuf", "outil-9") // taken back
	d.publish(publish.Options{})
	d.wantEdition(3)
	d.rename("tools", "outil-9", "neuf")
	d.formerly("tools/neuf.md") // as a revert of the last commit would
	if e := d.refused(publish.Options{}); !slices.Equal(e.Dropped, []string{"tools/neuf.md  formerly lacks outil-9"}) {
		t.Errorf("refused for %+v", e)
	}
}

func TestARemovedDraftIsNoLoss(t *testing.T) {
	t.Parallel()
	d := newDesk(t, 3)
	d.comparison("brouillon", "outil-0", "outil-1", "draft")
	d.publish(publish.Options{})
	d.remove("comparatifs/brouillon.md")
	if out := d.publish(publish.Options{}); out.Written() {
		t.Errorf("edition %d for a draft", out.Edition.Number)
	}
}

// Ten tools: two fewer is a fifth and allowed, three fewer is not.
func TestTheCatalogCannotShrinkByMoreThanAFifth(t *testing.T) {
	t.Parallel()
	d := newDesk(t, 10)
	d.publish(publish.Options{})

	d.remove("tools/outil-0.md", "tools/outil-1.md")
	d.publish(publish.Options{DryRun: true, AllowRemoval: true})
	d.remove("tools/outil-2.md")
	for _, dry := range []bool{true, false} {
		e := d.refused(publish.Options{DryRun: dry, AllowRemoval: true})
		if len(e.Vanished) != 0 || e.Before != 10 || e.After != 7 {
			t.Errorf("refused for %+v", e)
		}
	}
	e := d.refused(publish.Options{})
	if len(e.Vanished) != 3 || e.Before != 10 || e.After != 7 {
		t.Errorf("refused for %+v", e)
	}
	e = d.refused(publish.Options{AllowShrink: true})
	if len(e.Vanished) != 3 || e.Before != 0 {
		t.Errorf("refused for %+v", e)
	}
	// Retired tools still count.
	for i := range 3 {
		d.retired(fmt.Sprintf("outil-%d", i))
	}
	d.publish(publish.Options{DryRun: true})
	for i := range 3 {
		d.remove(fmt.Sprintf("cimetiere/outil-%d.md", i))
	}
	d.publish(publish.Options{AllowRemoval: true, AllowShrink: true})
	d.wantEdition(2)
}

func TestUnpublishingCountsAsShrinking(t *testing.T) {
	t.Parallel()
	d := newDesk(t, 2)
	d.comparison("duel", "outil-0", "outil-1", "published")
	d.publish(publish.Options{})
	d.comparison("duel", "outil-0", "outil-1", "draft")
	if e := d.refused(publish.Options{}); len(e.Vanished) != 0 || e.Before != 3 || e.After != 2 {
		t.Errorf("refused for %+v", e)
	}
}

// A price of 10 may become 50 or 2, and no more than that; a year has twelve months, and other periods
// say nothing about each other.
func TestAPriceCannotJump(t *testing.T) {
	t.Parallel()
	d := newDesk(t, 2)
	d.publish(publish.Options{})
	for price, jumps := range map[string]bool{
		"50 €/mois": false, "50,01 €/mois": true, "2 €/mois": false, "1,99 €/mois": true, "1000 €/mois": true,
		"120 €/an": false, "601 €/an": true, "600 €/an": false, "9000 €/siège": false,
	} {
		d.tool("outil-0", price)
		for _, dry := range []bool{true, false} {
			o := publish.Options{DryRun: dry}
			if !jumps {
				o.DryRun = true // the next price is compared with the first
				d.publish(o)
				continue
			}
			e := d.refused(o)
			if want := []publish.PriceJump{{Slug: "outil-0", Before: "10 €/mois", After: price}}; !slices.Equal(e.Jumps, want) {
				t.Errorf("%s is refused for %+v", price, e)
			}
		}
	}
	d.tool("outil-0", "1000 €/mois")
	d.publish(publish.Options{AllowPriceJump: true})
	d.wantEdition(2)
	d.tool("outil-2", "5000 €/mois") // new, so nothing moves
	d.publish(publish.Options{})
}

func TestWhatAGuardSays(t *testing.T) {
	t.Parallel()
	many := make([]string, 12)
	for i := range many {
		many[i] = fmt.Sprintf("tools/outil-%d.md", i)
	}
	const advice = "Retire a tool by moving it to cimetiere/, unpublish a comparison with status: draft,\n" +
		"rename either with \"palmares rename\", which lists the old slug under formerly,\n" +
		"or allow the removal with --allow-removal."
	const shrunk = "the catalog would shrink from 100 items to 79, by more than 20 %: if that is meant, allow it with --allow-shrink."
	const jumped = "1 price moves by more than five times:\n  outil-0  24 €/mois → 2400 €/mois\n" +
		"If that is meant, allow it with --allow-price-jump. A price that takes back a slip is published with --correct."
	for _, c := range []struct {
		err  publish.GuardError
		want string
	}{
		{publish.GuardError{Vanished: many[:1]}, "1 published item has vanished:\n  tools/outil-0.md\n" + advice},
		{publish.GuardError{Vanished: many[:10]}, "10 published items have vanished:\n  " + strings.Join(many[:10], "\n  ") + "\n" + advice},
		{publish.GuardError{Vanished: many}, "12 published items have vanished:\n  " + strings.Join(many[:10], "\n  ") + "\n  and 2 more\n" + advice},
		{publish.GuardError{Dropped: []string{"tools/b.md  formerly lacks a"}}, "1 old slug would lead nowhere any more:\n  tools/b.md  formerly lacks a\n" +
			"Put it back under formerly, or allow the removal with --allow-removal."},
		{publish.GuardError{Before: 100, After: 79}, shrunk},
		{publish.GuardError{Jumps: []publish.PriceJump{{Slug: "outil-0", Before: "24 €/mois", After: "2400 €/mois"}}}, jumped},
		{publish.GuardError{Vanished: many[:1], Before: 100, After: 79}, "1 published item has vanished:\n  tools/outil-0.md\n" + advice + "\n" + shrunk},
	} {
		if got := c.err.Error(); got != c.want {
			t.Errorf("got\n%s\nwant\n%s", got, c.want)
		}
	}
}
