package catalog_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/catalogtest"
)

// Files and incidents come, change and go with editions, each of which keeps its own. None of that
// is an event.
func TestOperatorFiles(t *testing.T) {
	t.Parallel()
	told := func(s *catalog.Snapshot) string {
		text := fmt.Sprint(s.Edition().Number)
		for _, name := range []string{"conditions.md", "theme.css"} {
			if f, ok := s.OperatorFile(name); ok {
				text += " " + f.Text
			}
		}
		for _, i := range s.Incidents() {
			text += " " + i.Title.French
		}
		return text
	}
	at := time.Date(2026, 3, 4, 5, 6, 0, 0, time.UTC)
	states := []struct {
		want string
		edit func(*catalog.Contents)
	}{
		{"1 avant", nil},
		{"2 après", func(c *catalog.Contents) { c.Files[0] = catalog.NewOperatorFile("conditions.md", "après") }},
		{"3 après bleu panne", func(c *catalog.Contents) {
			c.Files = append(c.Files, catalog.NewOperatorFile("theme.css", "bleu"))
			c.Incidents = []catalog.Incident{{At: at, Title: catalog.Localized{French: "panne"}}}
		}},
		{"4 bleu panne", func(c *catalog.Contents) { c.Files = c.Files[1:] }},
		{"5", func(c *catalog.Contents) { c.Files, c.Incidents = nil, nil }},
	}
	snapshots := []*catalog.Snapshot{
		catalogtest.Snapshot(catalogtest.Tool("lumen"), catalog.NewOperatorFile("conditions.md", "avant")),
	}
	for _, state := range states[1:] {
		snapshots = append(snapshots, catalogtest.Amend(snapshots[len(snapshots)-1], state.edit))
	}
	for i, s := range snapshots {
		if got := told(s); got != states[i].want {
			t.Errorf("edition %d says %q, want %q", i+1, got, states[i].want)
		}
		if whole := catalog.Empty().Apply(s.Whole()); told(whole) != states[i].want {
			t.Errorf("the whole of edition %d says %q, want %q", i+1, told(whole), states[i].want)
		}
		if n := s.LastChange(); n != 0 {
			t.Errorf("edition %d ends with event %d, want none", i+1, n)
		}
	}
	same := catalogtest.Edited(snapshots[2].Contents(), func(c *catalog.Contents) {
		c.Incidents[0].At = at.In(time.FixedZone("", 3600)) // the same moment
	})
	if c := catalog.Diff(snapshots[2].Contents(), same, "2026-03-09"); !c.Empty() {
		t.Errorf("nothing changed, and that changes %+v", c)
	}
}
