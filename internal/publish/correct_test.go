package publish_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/catalogtest"
	"github.com/palmares-hq/palmares/internal/live"
	"github.com/palmares-hq/palmares/internal/publish"
)

// edit replaces a line of a tool's file.
func (d *desk) edit(slug, old, text string) {
	d.Helper()
	path := filepath.Join(d.dir, "tools", slug+".md")
	before, err := os.ReadFile(path)
	if err != nil || !strings.Contains(string(before), old) {
		d.Fatalf("%s has no %q: %v", path, old, err)
	}
	d.write("tools/"+slug+".md", strings.Replace(string(before), old, text, 1))
}

// follower is a node that follows by deltas.
type follower struct {
	*desk
	*catalog.Snapshot
}

// next publishes a day later and follows. The node then holds what one that reads everything holds,
// and what one that starts from a disk copy holds.
func (f *follower) next(o publish.Options) publish.Outcome {
	f.Helper()
	f.now = f.now.AddDate(0, 0, 1)
	out := f.publish(o)
	feed, err := f.db.Catalog.Feed(f.Context())
	if err != nil {
		f.Fatal(err)
	}
	defer feed.Close()
	delta, err := feed.Since(f.Context(), f.Edition())
	if err != nil {
		f.Fatal(err)
	}
	if delta.From != f.Edition().Number {
		f.Fatalf("the node read everything")
	}
	f.Snapshot = f.Apply(delta)
	path := filepath.Join(f.TempDir(), "copy")
	if err := live.WriteCopy(path, f.Snapshot); err != nil {
		f.Fatal(err)
	}
	copied, err := live.ReadCopy(path)
	if err != nil {
		f.Fatal(err)
	}
	catalogtest.WantSame(f, f.served(), f.Snapshot, copied)
	return out
}

// history is the price history of a tool, newest first.
func (f *follower) history(slug string) string {
	t, _ := f.Tool(slug)
	var lines []string
	for _, h := range t.History {
		lines = append(lines, fmt.Sprintf("%s %s→%s", h.ChangedAt[5:], h.OldPrice, h.NewPrice))
	}
	return strings.Join(lines, ", ")
}

// corrections are the entries of the log that correct others: "seq type slug corrects seq", oldest first.
func (f *follower) corrections() []string {
	var lines []string
	for e := range f.RecentChanges() {
		if e.Correction > 0 {
			lines = append(lines, fmt.Sprintf("%d %s %s corrects %d", e.Seq, e.Type, e.Slug, e.Correction))
		}
	}
	slices.Reverse(lines)
	return lines
}

func (f *follower) want(what, got, want string) {
	f.Helper()
	if got != want {
		f.Errorf("%s: %q, want %q", what, got, want)
	}
}

func newFollower(t *testing.T) *follower {
	t.Helper()
	f := &follower{newDesk(t, 2), catalog.Empty()}
	f.comparison("duel", "outil-0", "outil-1", "published")
	f.next(publish.Options{}) // 1 to 3
	return f
}

// 24 becomes 2400, and 24 again: the history has neither move, the log has both.
func TestASlipThatGoesBackLeavesNoEntry(t *testing.T) {
	t.Parallel()
	f := newFollower(t)
	f.tool("outil-0", "24 €/mois")
	f.next(publish.Options{}) // 4 and 5
	f.tool("outil-0", "2400 €/mois")
	f.next(publish.Options{AllowPriceJump: true}) // 6 and 7
	f.want("the slip", f.history("outil-0"), "03-04 24 €/mois→2400 €/mois, 03-03 10 €/mois→24 €/mois")
	f.tool("outil-0", "24 €/mois")
	f.next(publish.Options{Correct: []string{"outil-0"}}) // 8 and 9
	f.want("after the correction", f.history("outil-0"), "03-03 10 €/mois→24 €/mois")
	f.want("what corrects", fmt.Sprint(f.corrections()),
		"[9 tool.updated outil-0 corrects 7 10 price.changed outil-0 corrects 8]")
	if f.LastChange() != 10 {
		t.Errorf("the log ends at %d", f.LastChange())
	}
	// And it goes on.
	f.tool("outil-0", "30 €/mois")
	f.next(publish.Options{})
	f.want("later", f.history("outil-0"), "03-06 24 €/mois→30 €/mois, 03-03 10 €/mois→24 €/mois")
}

// The corrected price takes the place of the slip: its day and what was before it stay. It can be
// corrected again.
func TestACorrectionTakesThePlaceOfTheLastChange(t *testing.T) {
	t.Parallel()
	f := newFollower(t)
	f.tool("outil-0", "12 €/mois")
	f.next(publish.Options{})
	f.tool("outil-0", "300 €/mois")
	f.next(publish.Options{AllowPriceJump: true}) // 6 and 7
	f.tool("outil-0", "30 €/mois")
	f.next(publish.Options{Correct: []string{"outil-0", "outil-0"}}) // 8 and 9
	f.want("corrected", f.history("outil-0"), "03-04 12 €/mois→30 €/mois, 03-03 10 €/mois→12 €/mois")
	f.tool("outil-0", "33 €/mois")
	f.next(publish.Options{Correct: []string{"outil-0"}}) // 10 and 11
	f.want("corrected again", f.history("outil-0"), "03-04 12 €/mois→33 €/mois, 03-03 10 €/mois→12 €/mois")
	f.tool("outil-0", "12 €/mois")
	f.next(publish.Options{Correct: []string{"outil-0"}}) // 12 and 13
	f.want("taken back", f.history("outil-0"), "03-03 10 €/mois→12 €/mois")
	f.want("what corrects", fmt.Sprint(f.corrections()), "[9 tool.updated outil-0 corrects 7 10 price.changed outil-0 corrects 8"+
		" 11 tool.updated outil-0 corrects 9 12 price.changed outil-0 corrects 10"+
		" 13 tool.updated outil-0 corrects 11 14 price.changed outil-0 corrects 12]")
	for seq, a := range f.Amendments() {
		if mistaken := a.Price.By != nil; mistaken != (seq < 13) || a.Price.Corrects != (seq >= 9) {
			t.Errorf("entry %d: %+v", seq, a)
		}
		if a.Price.By != nil && a.Price.By.Seq != 14 || a.Price.From != nil && a.Price.From.Seq != 8 {
			t.Errorf("entry %d is corrected by %d, and corrects from %v", seq, a.Price.By.Seq, a.Price.From)
		}
	}
}

// A score has no history: the event that moved it last is corrected, with that of the comparison that
// shows it. A price that moved before is not.
func TestACorrectedScore(t *testing.T) {
	t.Parallel()
	f := newFollower(t)
	f.tool("outil-0", "12 €/mois")
	f.next(publish.Options{}) // 4 and 5
	f.edit("outil-0", "score: 7.5", "score: 1.5")
	f.next(publish.Options{}) // 6, and 7 for the comparison
	f.edit("outil-0", "tagline: Un outil", "tagline: Un autre")
	f.next(publish.Options{}) // 8
	f.edit("outil-0", "score: 1.5", "score: 7.6")
	out := f.next(publish.Options{Correct: []string{"outil-0"}}) // 9 and 10
	f.want("what corrects", fmt.Sprint(f.corrections()),
		"[10 tool.updated outil-0 corrects 7 11 comparatif.updated duel corrects 8]")
	f.want("the history", f.history("outil-0"), "03-03 10 €/mois→12 €/mois")
	a := f.Amendments()
	if len(a) != 4 || a[7].Score.By.Seq != 10 || a[8].Score.By.Seq != 11 || a[10].Score.From.Seq != 7 || a[11].Score.From.Seq != 8 {
		t.Errorf("the amendments: %+v", a)
	}
	var plan strings.Builder
	if err := publish.Print(&plan, out.Changes, publish.Style{}); err != nil || !strings.Contains(plan.String(),
		"Corrections\n  outil-0  score: 1.5 becomes 7.6 (event 7)\n") {
		t.Errorf("the plan is %v\n%s", err, plan.String())
	}
}

// Two slips in two editions, taken back in one: each event names its own.
func TestTwoSlipsAreCorrectedAtOnce(t *testing.T) {
	t.Parallel()
	f := newFollower(t)
	f.tool("outil-1", "40 €/mois")
	f.next(publish.Options{}) // 4 and 5
	f.edit("outil-1", "score: 7.5", "score: 0.5")
	f.next(publish.Options{}) // 6, 7
	f.tool("outil-1", "14 €/mois")
	f.next(publish.Options{Correct: []string{"outil-1"}}) // 8, 9 and 10
	f.want("what corrects", fmt.Sprint(f.corrections()),
		"[9 tool.updated outil-1 corrects 7 10 price.changed outil-1 corrects 6 11 comparatif.updated duel corrects 8]")
	f.want("the history", f.history("outil-1"), "03-03 10 €/mois→14 €/mois")
	a := f.Amendments()
	if a[5].Price.By == nil || a[5].Score.By != nil || a[7].Score.By == nil || a[7].Price.By != nil {
		t.Errorf("the amendments: %+v %+v", a[5], a[7])
	}
}

// A slip in a file that is new: there is no row to replace, and none is added.
func TestAFirstPriceIsCorrected(t *testing.T) {
	t.Parallel()
	f := newFollower(t)
	f.tool("neuf", "2400 €/mois")
	f.next(publish.Options{}) // 4
	f.tool("neuf", "24 €/mois")
	out := f.next(publish.Options{Correct: []string{"neuf"}}) // 5 and 6
	f.want("the history", f.history("neuf"), "")
	f.want("what corrects", fmt.Sprint(f.corrections()), "[6 tool.updated neuf corrects 5 7 price.changed neuf corrects 5]")
	var plan strings.Builder
	if err := publish.Print(&plan, out.Changes, publish.Style{}); err != nil || !strings.Contains(plan.String(),
		"Corrections\n  neuf  price: its first price becomes 24 €/mois, and the history stays as it is (event 5)\n") {
		t.Errorf("the plan is %v\n%s", err, plan.String())
	}
	// A tool that comes back has its history, which is not what brought its price now.
	f.tool("neuf", "26 €/mois")
	f.next(publish.Options{})
	f.remove("tools/neuf.md")
	f.retired("neuf")
	f.next(publish.Options{})
	f.remove("cimetiere/neuf.md")
	f.tool("neuf", "290 €/mois")
	f.next(publish.Options{})
	f.tool("neuf", "29 €/mois")
	f.next(publish.Options{Correct: []string{"neuf"}})
	f.want("the history of a tool that came back", f.history("neuf"), "03-05 24 €/mois→26 €/mois")
}

func TestWhatCannotBeCorrected(t *testing.T) {
	t.Parallel()
	f := newFollower(t)
	f.retired("feu")
	f.tool("outil-0", "12 €/mois")
	f.next(publish.Options{})
	f.edit("outil-0", "tagline: Un outil", "tagline: Un autre")
	f.tool("neuf", "5 €/mois")
	for slug, why := range map[string]string{
		"personne": "there is no such tool",
		"feu":      "there is no such tool",
		"outil-0":  "neither its price nor its score changes",
		"outil-1":  "neither its price nor its score changes",
		"neuf":     "neither its price nor its score changes",
	} {
		for _, dry := range []bool{true, false} {
			_, err := f.run(publish.Options{Correct: []string{slug}, DryRun: dry})
			refused, ok := errors.AsType[*publish.CorrectionError](err)
			if !ok || len(refused.Reasons) != 1 || !strings.HasPrefix(refused.Reasons[0], slug+": "+why) {
				t.Errorf("correcting %s: %v", slug, err)
			}
		}
	}
	f.wantEdition(2)
	f.edit("outil-1", "price: 10 €/mois", "price: 100 €/mois")
	if e := f.refused(publish.Options{}); len(e.Jumps) != 1 {
		t.Errorf("refused for %+v", e)
	}
	f.tool("outil-0", "13 €/mois")
	if e := f.refused(publish.Options{Correct: []string{"outil-0"}}); len(e.Jumps) != 1 || e.Jumps[0].Slug != "outil-1" {
		t.Errorf("a correction allows the price of another tool to jump: %+v", e)
	}
}

// What a dry run prints is what becomes of the history.
func TestThePlanOfACorrection(t *testing.T) {
	t.Parallel()
	f := newFollower(t)
	f.tool("outil-0", "1000 €/mois")
	f.next(publish.Options{AllowPriceJump: true})
	for price, want := range map[string]string{
		"10 €/mois": "outil-0  price: 2026-03-03, 10 €/mois → 1000 €/mois goes from the history (event 6)\n",
		"11 €/mois": "outil-0  price: 2026-03-03, 10 €/mois → 1000 €/mois becomes 10 €/mois → 11 €/mois (event 6)\n",
	} {
		f.tool("outil-0", price)
		out := f.publish(publish.Options{DryRun: true, Correct: []string{"outil-0"}})
		var plan strings.Builder
		if err := publish.Print(&plan, out.Changes, publish.Style{}); err != nil || !strings.Contains(plan.String(), "Corrections\n  "+want) ||
			strings.Contains(plan.String(), "warning") {
			t.Errorf("%v\n%s", err, plan.String())
		}
	}
	f.wantEdition(2)
}
