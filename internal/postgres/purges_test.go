package postgres_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/palmares-hq/palmares/internal/catalog"
	ct "github.com/palmares-hq/palmares/internal/catalogtest"
	"github.com/palmares-hq/palmares/internal/purge"
	"github.com/palmares-hq/palmares/internal/testkit"
)

// told has the cache told in a pass without delay, and says what: its tags, "everything", or "" for nothing.
func (db *testDB) told(cache string, pass int) string {
	db.Helper()
	var all []string
	for range 3 { // it is seen, and then told
		change, err := db.Purges.Tell(db.Context(), cache, pass, 0, func(_ context.Context, c purge.Change) error {
			if c.Everything {
				all = append(all, "everything")
			}
			all = append(all, c.Tags...)
			return nil
		})
		db.must(err)
		if asked := len(change.Tags) > 0 || change.Everything; asked != (change.Edition > 0) {
			db.Errorf("of edition %d: %v", change.Edition, change)
		}
	}
	return strings.Join(all, " ")
}

// behind is whether a cache has not been told of something.
func (db *testDB) behind(cache string, passes int) bool {
	db.Helper()
	d, err := db.Purges.Behind(db.Context(), cache, passes)
	db.must(err)
	return d > 0
}

// What a cache is told is what editions changed since it was last told, by each pass for itself.
func TestPurges_TellWhatChanged(t *testing.T) {
	t.Parallel()
	db := newDB(t)
	testkit.Equal(t, "before the first edition", db.told("a", 0), "")
	testkit.Equal(t, "behind", db.behind("a", 1), false)
	c := before()
	db.publish(c)
	testkit.Equal(t, "behind", db.behind("a", 1), true)
	for _, step := range []struct {
		name   string
		change func()
		want   string
	}{
		{"the first", func() {}, "everything"},
		{"nothing", func() {}, ""},
		{"a price", func() { c.Tools[0] = ct.Tool("a", ct.Scored(500), ct.Priced(catalog.Paid, "12 €/mois")) }, "edition tools tools/a"},
		{"a comparison", func() {
			c.Comparisons[0] = ct.Comparison("a-ou-b", "a", "b", func(x *catalog.Comparison) { x.Note = "Autrement." })
		}, "comparisons comparisons/a-ou-b edition"},
		{"a tool that retires", func() {
			c.Tools = slices.DeleteFunc(slices.Clone(c.Tools), func(t *catalog.Tool) bool { return t.Slug == "part" })
			c.Retired = append(c.Retired, ct.Retired("part"))
		}, "edition retired retired/part tools tools/part"},
		{"a page of the operator", func() { c.Files = []*catalog.OperatorFile{catalog.NewOperatorFile("conditions.md", "Des mots.\n")} }, "edition service"},
		{"and without it", func() { c.Files = nil }, "edition service"},
		{"a category", func() { c.Categories[0].Label = "Le code" }, "edition service"},
		{"the name", func() { c.Service.Name = "Autre nom" }, "edition service"},
		{"an incident", func() { c.Incidents = []catalog.Incident{{At: db.now, Title: catalog.Localized{French: "Panne"}}} }, "edition service"},
		{"a tool that is renamed", func() {
			i := slices.IndexFunc(c.Tools, func(t *catalog.Tool) bool { return t.Slug == "a" })
			c.Tools[i] = ct.Tool("n", ct.Scored(500), func(t *catalog.Tool) { t.Formerly = []string{"a"} })
			c.Comparisons[0] = ct.Comparison("a-ou-b", "n", "b")
			c.Sort()
		}, "comparisons comparisons/a-ou-b edition tools tools/a tools/n"},
		{"and changes: its old address may say so", func() {
			i := slices.IndexFunc(c.Tools, func(t *catalog.Tool) bool { return t.Slug == "n" })
			c.Tools[i] = ct.Tool("n", ct.Scored(510), func(t *catalog.Tool) { t.Formerly = []string{"a"} })
		}, "comparisons comparisons/a-ou-b edition tools tools/a tools/n"},
		{"nothing again", func() {}, ""},
	} {
		next := *c
		next.Tools, next.Comparisons, next.Categories = slices.Clone(c.Tools), slices.Clone(c.Comparisons), slices.Clone(c.Categories)
		c = &next
		step.change()
		if step.want != "" && step.name != "the first" {
			db.publish(c)
		}
		for pass := range 2 {
			testkit.Equal(t, step.name, db.told("a", pass), step.want)
		}
		testkit.Equal(t, "behind after "+step.name, db.behind("a", 2), false)
	}
	testkit.Equal(t, "another cache", db.told("b", 0), "everything")
	testkit.Equal(t, "behind in a pass that there never was", db.behind("b", 2), true)

	many := *c
	for i := range purge.MaxTags {
		many.Tools = append(many.Tools, ct.Tool("outil-"+strings.Repeat("x", i%7)+string(rune('a'+i%26))+strings.Repeat("y", i/26+1)))
	}
	db.publish(&many)
	testkit.Equal(t, "more than 500 tags", db.told("a", 0), "everything")
}

// A cache is told when it is due and not before, once by however many, and again if it failed.
func TestPurges_TellWhenDue(t *testing.T) {
	t.Parallel()
	db := newDB(t)
	db.publish(before())
	db.told("a", 0)
	db.publish(after())
	refuse := errors.New("it refuses")
	fails := func(context.Context, purge.Change) error { return refuse }
	for range 3 {
		if c, err := db.Purges.Tell(t.Context(), "a", 0, time.Hour, fails); err != nil || c.Edition != 0 {
			t.Fatalf("within the hour: %v %v", c, err)
		}
	}
	db.exec(`UPDATE purges SET due = now()`)
	for range 2 {
		if _, err := db.Purges.Tell(t.Context(), "a", 0, time.Hour, fails); !errors.Is(err, refuse) {
			t.Fatalf("one that refuses: %v", err)
		}
	}
	testkit.Equal(t, "behind", db.behind("a", 1), true)

	var mu sync.Mutex
	var wg sync.WaitGroup
	var asked int
	all := make(chan struct{})
	for range 4 {
		p := db.isolated("repeatable read")
		wg.Go(func() {
			_, err := p.Purges.Tell(t.Context(), "a", 0, time.Hour, func(context.Context, purge.Change) error {
				mu.Lock()
				asked++
				mu.Unlock()
				<-all
				return nil
			})
			if err != nil {
				t.Error(err)
			}
		})
	}
	testkit.EventuallyTrue(t, "one asks", func() bool { mu.Lock(); defer mu.Unlock(); return asked > 0 })
	c, err := db.Purges.Tell(t.Context(), "a", 0, time.Hour, fails) // while it does
	testkit.Equal(t, "beside another", c.Edition, int64(0))
	db.must(err)
	close(all)
	wg.Wait()
	testkit.Equal(t, "asked", asked, 1)
	testkit.Equal(t, "behind", db.behind("a", 1), false)
}

// An edition that comes between does not postpone the one that is due, and is told of by itself: a node that is behind may have
// answered from the one before meanwhile.
func TestPurges_EditionsThatFollowEachOther(t *testing.T) {
	t.Parallel()
	db := newDB(t)
	c := before()
	db.publish(c)
	db.told("a", 0)
	c.Categories[0].Label = "Un"
	db.publish(c)
	_, err := db.Purges.Tell(t.Context(), "a", 0, time.Hour, nil) // seen
	db.must(err)
	c = before()
	c.Categories[0].Label = "Deux"
	db.publish(c)
	db.exec(`UPDATE purges SET due = now()`)
	var tags [][]string
	for range 4 {
		_, err := db.Purges.Tell(t.Context(), "a", 0, 0, func(_ context.Context, c purge.Change) error { tags = append(tags, c.Tags); return nil })
		db.must(err)
	}
	testkit.Equal(t, "told", tags, [][]string{{"edition", "service"}, {"edition", "service"}})
}

// After a restore a cache may hold what this database never knew: it drops everything.
func TestPurges_OfARestoredDatabase(t *testing.T) {
	t.Parallel()
	db := newDB(t)
	db.publish(before())
	db.publish(after())
	testkit.Equal(t, "first", db.told("a", 0), "everything")
	db.exec(`UPDATE editions SET id = gen_random_uuid()`) // the editions after the backup were others
	testkit.Equal(t, "behind", db.behind("a", 1), true)
	testkit.Equal(t, "restored", db.told("a", 0), "everything")
	testkit.Equal(t, "then", db.told("a", 0), "")
}
