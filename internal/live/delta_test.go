package live

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/catalogtest"
	"github.com/palmares-hq/palmares/internal/pgtest"
	"github.com/palmares-hq/palmares/internal/postgres"
	"github.com/palmares-hq/palmares/internal/testkit"
)

// Every kind of change reaches a node as a delta, and the node ends with what one
// that starts from nothing has. There are enough reviews for a dictionary.
func TestDeltaEqualsWhole(t *testing.T) {
	t.Parallel()
	if testkit.Raced {
		t.Skip("it compares whole editions, one after the other")
	}
	db := pgtest.Open(t)
	n := run(t, Options{Open: feedOf(db)})
	n.wantEdition(t, publish(t, db, put(reviewed(510))))
	at := int64(1)
	for _, step := range []struct {
		name  string
		items int
		edit  func(*catalog.Contents)
	}{
		{"tagline", 1, tagline(1, "Nouveau.")},
		{"markdown", 1, changeTool(1, catalogtest.Written("*Un seul* mot."))},
		{"price", 1, changeTool(2, func(t *catalog.Tool) { t.Price = "99 €/mois" })},
		{"price again", 1, changeTool(2, func(t *catalog.Tool) { t.Price = "9 €/mois" })},
		// The comparison shows the name, and so changes with it.
		{"name", 2, changeTool(5, func(t *catalog.Tool) { t.Name = "Écureuil" })},
		{"category", 1, changeTool(6, func(t *catalog.Tool) { t.Category = "voix" })},
		{"new tool", 1, func(next *catalog.Contents) { next.Tools = append(next.Tools, catalogtest.GeneratedTool(5000, "chat")) }},
		{"retired tool", 1, func(next *catalog.Contents) {
			gone := next.Tools[3]
			next.Tools = slices.Delete(next.Tools, 3, 4)
			next.Retired = append(next.Retired, &catalog.Retired{
				Slug: gone.Slug, Name: gone.Name, Category: gone.Category, Reason: catalog.Dead, RetiredAt: "2026-02-03", Note: "Fini.",
			})
		}},
		{"revived tool", 1, func(next *catalog.Contents) {
			next.Retired = slices.DeleteFunc(next.Retired, func(r *catalog.Retired) bool { return r.Slug == "outil-00003" })
			next.Tools = append(next.Tools, catalogtest.GeneratedTool(3, "chat"))
			next.Sort()
		}},
		{"unpublished comparison", 0, func(next *catalog.Contents) { next.Comparisons = next.Comparisons[1:] }},
		{"moved site", 510 + 1, func(next *catalog.Contents) { next.Service.Site.Tool = "https://ailleurs.example/{slug}" }},
		{"categories", 0, func(next *catalog.Contents) { slices.Reverse(next.Categories) }},
	} {
		n.wantEdition(t, publish(t, db, step.edit))
		if s := n.last(t); s.From != at || s.Items != step.items {
			t.Errorf("%s: the node fetched %d items from edition %d, want %d from %d", step.name, s.Items, s.From, step.items, at)
		}
		at++
		wantWhole(t, read(t, db), n.Current())
	}
	catalogtest.WantSame(t, read(t, db), n.Current())
}

func changeTool(i int, change func(*catalog.Tool)) func(*catalog.Contents) {
	return func(next *catalog.Contents) {
		t := *next.Tools[i]
		change(&t)
		next.Tools[i] = &t
	}
}

// A lock on the tools holds up the reading beyond its time limit: the node gives up, is given twice
// the time on the next connection, and gets there.
func TestDeltaBehindALock(t *testing.T) {
	t.Parallel()
	url := pgtest.Migrated(t)
	db := open(t, url)
	f := &fetches{}
	n := run(t, Options{Open: f.watch(db)})
	n.wantEdition(t, publish(t, db, put(catalogtest.Generated(200))))
	f.take()
	free := make(chan error, 1)
	f.setBefore(sync.OnceFunc(func() { lockTools(url, 3*time.Second, free) }))
	n.wantEdition(t, publish(t, db, tagline(1, "Derrière le verrou.")))
	if err := <-free; err != nil {
		t.Fatal(err)
	}
	limits := f.take()
	if len(limits) < 2 {
		t.Error("the lock did not hold up the fetch")
	}
	for i, got := range limits {
		if want := minFetch << i; got != want {
			t.Errorf("fetch %d was given %v, want %v", i, got, want)
		}
	}
	catalogtest.WantSame(t, read(t, db), n.Current())
}

// lockTools keeps everybody from reading the tools for a while; free then hears how
// it went.
func lockTools(url string, d time.Duration, free chan<- error) {
	ctx := context.Background()
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		free <- err
		return
	}
	if _, err := conn.Exec(ctx, `BEGIN; LOCK TABLE tools IN ACCESS EXCLUSIVE MODE`); err != nil {
		free <- errors.Join(err, conn.Close(ctx))
		return
	}
	time.AfterFunc(d, func() { free <- conn.Close(ctx) })
}

// fetches watches over the fetches of all feeds of a node.
type fetches struct {
	mu     sync.Mutex
	limits []time.Duration // rounded to seconds
	before func()
}

// watch opens feeds of the database and watches over them.
func (f *fetches) watch(db *postgres.DB) func(context.Context) (Feed, error) {
	return func(ctx context.Context) (Feed, error) {
		feed, err := feedOf(db)(ctx)
		return &timedFeed{feed, f}, err
	}
}

func (f *fetches) take() []time.Duration {
	f.mu.Lock()
	defer f.mu.Unlock()
	defer func() { f.limits = nil }()
	return f.limits
}

func (f *fetches) setBefore(before func()) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.before = before
}

type timedFeed struct {
	Feed
	*fetches
}

func (f *timedFeed) Since(ctx context.Context, e catalog.Edition) (catalog.Delta, error) {
	f.mu.Lock()
	if deadline, ok := ctx.Deadline(); ok {
		f.limits = append(f.limits, time.Until(deadline).Round(time.Second))
	}
	before := f.before
	f.mu.Unlock()
	if before != nil {
		before()
	}
	return f.Feed.Since(ctx, e)
}
