package publish_test

import (
	"errors"
	"fmt"
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
		"a comparison made a draft":    func(d *desk) { d.comparison("duel", "outil-0", "outil-1", "draft") },
		"a retired tool":               func(d *desk) { d.remove("tools/outil-9.md"); d.retired("outil-9") },
		"a revived tool":               func(d *desk) { d.remove("cimetiere/feu.md"); d.tool("feu", "5 €/mois") },
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
		{publish.GuardError{Before: 100, After: 79}, shrunk},
		{publish.GuardError{Jumps: []publish.PriceJump{{Slug: "outil-0", Before: "24 €/mois", After: "2400 €/mois"}}}, jumped},
		{publish.GuardError{Vanished: many[:1], Before: 100, After: 79}, "1 published item has vanished:\n  tools/outil-0.md\n" + advice + "\n" + shrunk},
	} {
		if got := c.err.Error(); got != c.want {
			t.Errorf("got\n%s\nwant\n%s", got, c.want)
		}
	}
}
