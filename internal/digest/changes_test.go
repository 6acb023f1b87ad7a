package digest_test

import (
	"slices"
	"testing"

	"github.com/palmares-hq/palmares/internal/catalog"
	build "github.com/palmares-hq/palmares/internal/catalogtest"
	"github.com/palmares-hq/palmares/internal/digest"
	"github.com/palmares-hq/palmares/internal/testkit"
)

// A step is what editions do to the catalogue.
type step func(s *catalog.Snapshot) *catalog.Snapshot

// told does nothing.
func told(s *catalog.Snapshot) *catalog.Snapshot { return s }

func edit(change func(*catalog.Tool)) step {
	return func(s *catalog.Snapshot) *catalog.Snapshot {
		return build.Amend(s, func(c *catalog.Contents) { change(build.Find(c, slugIn(c))) })
	}
}

func correct(change func(*catalog.Tool)) step {
	return func(s *catalog.Snapshot) *catalog.Snapshot { return build.Correct(s, "rabot", change) }
}

func slugIn(c *catalog.Contents) string {
	if slices.ContainsFunc(c.Tools, func(t *catalog.Tool) bool { return t.Slug == "rabot" }) {
		return "rabot"
	}
	return "rabot-neuf"
}

func price(s string) func(*catalog.Tool) { return build.Priced(catalog.Paid, s+" €/mois") }
func ends(at catalog.Date, successor string) func(*catalog.Tool) {
	return func(t *catalog.Tool) { t.Ending = catalog.Ending{At: at, Successor: successor} }
}

func retire(s *catalog.Snapshot) *catalog.Snapshot {
	return build.Amend(s, func(c *catalog.Contents) {
		formerly := build.Find(c, slugIn(c)).Formerly
		build.Retire(c, slugIn(c))
		r := c.Retired[slices.IndexFunc(c.Retired, func(r *catalog.Retired) bool { return r.Name == "Rabot" })]
		r.Formerly, r.Successor = formerly, "lime"
	})
}

func remove(s *catalog.Snapshot) *catalog.Snapshot {
	return build.Amend(s, func(c *catalog.Contents) {
		c.Tools = slices.DeleteFunc(c.Tools, func(t *catalog.Tool) bool { return t.Slug == "rabot" })
		c.Retired = slices.DeleteFunc(c.Retired, func(r *catalog.Retired) bool { return r.Slug == "rabot" })
	})
}

func revive(s *catalog.Snapshot) *catalog.Snapshot {
	return build.Amend(s, func(c *catalog.Contents) {
		c.Retired = slices.DeleteFunc(c.Retired, func(r *catalog.Retired) bool { return r.Slug == "rabot" })
		c.Tools = append(c.Tools, rabot())
		c.Sort()
	})
}

func rename(s *catalog.Snapshot) *catalog.Snapshot {
	return build.Amend(s, func(c *catalog.Contents) {
		t := build.Find(c, "rabot")
		t.Slug, t.Formerly = "rabot-neuf", []string{"rabot"}
		c.Sort()
	})
}

func rabot() *catalog.Tool {
	return build.Tool("rabot", build.Named("Rabot"), build.Scored(800), build.Priced(catalog.Paid, "20 €/mois"))
}

func all(steps ...step) step {
	return func(s *catalog.Snapshot) *catalog.Snapshot {
		for _, next := range steps {
			s = next(s)
		}
		return s
	}
}

// A digest compares the day of the last one with today, whatever happened in between, and a mistake never happened.
func TestChangeOf(t *testing.T) {
	t.Parallel()
	dearer := func(was, is string) *digest.Move[string] {
		return &digest.Move[string]{Was: was + " €/mois", Is: is + " €/mois"}
	}
	mended := func(was, is string) *digest.Move[string] {
		m := dearer(was, is)
		m.Corrected = true
		return m
	}
	score := func(was, is int) *digest.Move[catalog.Measure] {
		return &digest.Move[catalog.Measure]{Was: catalog.Hundredths(was), Is: catalog.Hundredths(is)}
	}
	end := func(was, is catalog.Date) *digest.Move[catalog.Date] {
		return &digest.Move[catalog.Date]{Was: was, Is: is}
	}
	gone := digest.Change{Life: digest.Retired, RetiredAt: "2026-11-10", Reason: catalog.Dead, Successor: "Lime"}
	for name, c := range map[string]struct {
		before, after step
		want          digest.Change
	}{
		"dearer":                    {told, edit(price("24")), digest.Change{Price: dearer("20", "24")}},
		"dearer twice":              {told, all(edit(price("24")), edit(price("30"))), digest.Change{Price: dearer("20", "30")}},
		"and back":                  {told, all(edit(price("24")), edit(price("20"))), digest.Change{}},
		"cheaper":                   {told, edit(price("15")), digest.Change{}},
		"free and no longer":        {edit(build.Priced(catalog.Free, "0 €/an")), edit(price("1")), digest.Change{Price: &digest.Move[string]{Was: "0 €/an", Is: "1 €/mois"}}},
		"for another period":        {told, edit(build.Priced(catalog.Paid, "300 €/an")), digest.Change{}},
		"only told before":          {edit(price("24")), edit(build.Tagline("Autre.")), digest.Change{}},
		"a mistake that was told":   {edit(price("240")), correct(price("24")), digest.Change{Price: mended("240", "24")}},
		"and dearer since":          {edit(price("240")), all(correct(price("24")), edit(price("30"))), digest.Change{Price: dearer("24", "30")}},
		"and cheaper since":         {edit(price("240")), all(correct(price("24")), edit(price("22"))), digest.Change{Price: mended("240", "22")}},
		"corrected twice":           {edit(price("240")), all(correct(price("24")), correct(price("25"))), digest.Change{Price: mended("240", "25")}},
		"corrected back":            {edit(price("240")), all(correct(price("24")), correct(price("240"))), digest.Change{}},
		"a mistake that was not":    {told, all(edit(price("240")), correct(price("24"))), digest.Change{Price: dearer("20", "24")}},
		"a mistake alone":           {told, all(edit(price("240")), correct(price("20"))), digest.Change{}},
		"score":                     {told, all(edit(build.Scored(790)), edit(build.Scored(650))), digest.Change{Score: score(800, 650)}},
		"first score":               {edit(build.Unscored), edit(build.Scored(650)), digest.Change{Score: &digest.Move[catalog.Measure]{Is: catalog.Hundredths(650)}}},
		"score and price":           {told, edit(func(t *catalog.Tool) { price("24")(t); build.Scored(810)(t) }), digest.Change{Price: dearer("20", "24"), Score: score(800, 810)}},
		"a score that was told":     {edit(build.Scored(80)), correct(build.Scored(810)), digest.Change{Score: &digest.Move[catalog.Measure]{Was: catalog.Hundredths(80), Is: catalog.Hundredths(810), Corrected: true}}},
		"an end":                    {told, edit(ends("2027-01-31", "lime")), digest.Change{End: end("", "2027-01-31"), Successor: "Lime"}},
		"an end, moved":             {edit(ends("2027-01-31", "lime")), edit(ends("2027-03-31", "lime")), digest.Change{End: end("2027-01-31", "2027-03-31"), Successor: "Lime"}},
		"an end, taken back":        {edit(ends("2027-01-31", "lime")), edit(ends("", "")), digest.Change{End: end("2027-01-31", "")}},
		"an end, and not":           {told, all(edit(ends("2027-01-31", "")), edit(ends("", ""))), digest.Change{}},
		"a successor":               {edit(ends("2027-01-31", "")), edit(ends("2027-01-31", "lime")), digest.Change{Successor: "Lime"}},
		"retired":                   {told, all(edit(price("24")), retire), gone},
		"retired, told":             {retire, told, digest.Change{}},
		"retired and back":          {told, all(retire, revive), digest.Change{}},
		"back":                      {retire, revive, digest.Change{Life: digest.Returned}},
		"back and dearer":           {all(retire, revive), edit(price("24")), digest.Change{Price: dearer("20", "24")}},
		"removed":                   {told, remove, digest.Change{Life: digest.Removed}},
		"removed from the cemetery": {retire, remove, digest.Change{Life: digest.Removed}},
		"renamed":                   {told, rename, digest.Change{}},
		"renamed and dearer":        {told, all(edit(price("24")), rename, edit(price("25"))), digest.Change{Price: dearer("20", "25")}},
		"renamed with an end":       {edit(ends("2027-01-31", "lime")), rename, digest.Change{}},
		"renamed and retired":       {told, all(rename, retire), gone},
	} {
		s := build.First(build.Contents(rabot(), build.Tool("lime", build.Named("Lime"))), build.Edition(1))
		s = c.before(s)
		since := s.LastChange()
		s = c.after(s)
		slug := s.ToolSlug("rabot")
		var entries []*catalog.LogEntry
		for e := range s.RecentChanges() {
			if e.Seq > since && (e.Slug == "rabot" || e.Slug == slug) {
				entries = append([]*catalog.LogEntry{e}, entries...)
			}
		}
		tool := digest.Tool{Slug: slug, Formerly: []string{"rabot"}}
		if living, ok := s.Tool(slug); ok {
			tool.Name, tool.Living = living.Name, true
		} else if r, ok := s.Retired(slug); ok {
			tool.Name, tool.Successor = r.Name, r.Successor
		}
		got := digest.ChangeOf(tool, entries, since, map[string]string{"lime": "Lime"})
		testkit.Equal(t, name+": empty", got.Empty(), c.want.Empty())
		if !got.Empty() {
			testkit.Equal(t, name+": its name", got.Name, "Rabot")
		}
		c.want.Slug, c.want.Name, c.want.Page = got.Slug, got.Name, got.Page
		testkit.Equal(t, name, got, c.want)
	}
}

// An event of a later version, and one that cannot be read, say nothing.
func TestChangeOf_Unknown(t *testing.T) {
	t.Parallel()
	entries := []*catalog.LogEntry{
		{Seq: 2, Event: catalog.Event{Type: "price.announced", Slug: "rabot", Object: []byte(`{"price":"30 €/mois"}`), Previous: []byte(`{"price":"20 €/mois"}`)}},
		{Seq: 3, Event: catalog.Event{Type: catalog.PriceChanged, Slug: "rabot", Object: []byte(`{"price":30}`), Previous: []byte(`{"price":20}`)}},
	}
	if got := digest.ChangeOf(digest.Tool{Slug: "rabot"}, entries, 1, nil); !got.Empty() {
		t.Errorf("%+v", got)
	}
	testkit.Equal(t, "matters", digest.Matters(entries[0]), false)
}
