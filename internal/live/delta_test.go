package live_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/live"
	"github.com/palmares-hq/palmares/internal/pgtest"
)

// Every kind of change reaches a node as a delta, and the node ends with what one
// that starts from nothing has.
func TestDeltaEqualsWhole(t *testing.T) {
	t.Parallel()
	db := pgtest.Open(t)
	n := run(t, live.Options{Open: feedOf(db)})
	n.wantEdition(t, publish(t, db, put(contents(400))), 10*time.Second)
	at := int64(1)
	for _, step := range []struct {
		name  string
		items int
		edit  func(*catalog.Contents)
	}{
		{"tagline", 1, tagline(1, "Nouveau.")},
		{"price", 1, changeTool(2, func(t *catalog.Tool) { t.Price = "99 €/mois" })},
		{"price again", 1, changeTool(2, func(t *catalog.Tool) { t.Price = "9 €/mois" })},
		// The comparison shows the name, and so changes with it.
		{"name", 2, changeTool(5, func(t *catalog.Tool) { t.Name = "Écureuil" })},
		{"category", 1, changeTool(6, func(t *catalog.Tool) { t.Category = "voix" })},
		{"new tool", 1, func(next *catalog.Contents) { next.Tools = append(next.Tools, tool(5000, "chat")) }},
		{"retired tool", 1, func(next *catalog.Contents) {
			gone := next.Tools[3]
			next.Tools = slices.Delete(next.Tools, 3, 4)
			next.Retired = append(next.Retired, &catalog.Retired{
				Slug: gone.Slug, Name: gone.Name, Category: gone.Category, Reason: catalog.Dead, RetiredAt: "2026-02-03", Note: "Fini.",
			})
		}},
		{"revived tool", 1, func(next *catalog.Contents) {
			next.Retired = slices.DeleteFunc(next.Retired, func(r *catalog.Retired) bool { return r.Slug == "outil-00003" })
			next.Tools = append(next.Tools, tool(3, "chat"))
			next.Sort()
		}},
		{"unpublished comparison", 0, func(next *catalog.Contents) { next.Comparisons = next.Comparisons[1:] }},
		{"moved site", 400 + 1, func(next *catalog.Contents) { next.Service.Site.Tool = "https://ailleurs.example/{slug}" }},
		{"categories", 0, func(next *catalog.Contents) { slices.Reverse(next.Categories) }},
	} {
		n.wantEdition(t, publish(t, db, step.edit), 5*time.Second)
		if s := n.last(t); s.From != at || s.Items != step.items {
			t.Errorf("%s: the node fetched %d items from edition %d, want %d from %d", step.name, s.Items, s.From, step.items, at)
		}
		at++
		wantSame(t, read(t, db), n.Current())
	}
}

func changeTool(i int, change func(*catalog.Tool)) func(*catalog.Contents) {
	return func(next *catalog.Contents) {
		t := *next.Tools[i]
		change(&t)
		next.Tools[i] = &t
	}
}

// Half of 10,000 tools change at once, and a lock on their table holds up the
// reading beyond its time limit: the node gives up, is given twice the time on the
// next connection, and gets there.
func TestLargeDeltaBehindALock(t *testing.T) {
	t.Parallel()
	url := pgtest.Migrated(t)
	db := open(t, url)
	first := publish(t, db, put(large()))
	f := &fetches{}
	n := run(t, live.Options{Open: func(ctx context.Context) (live.Feed, error) {
		feed, err := feedOf(db)(ctx)
		return &timedFeed{feed, f}, err
	}})
	n.wantEdition(t, first, 30*time.Second)
	f.take()

	free := make(chan error, 1)
	f.setBefore(sync.OnceFunc(func() { lockTools(url, 3*time.Second, free) }))
	second := publish(t, db, func(next *catalog.Contents) {
		for i := range 5000 {
			tagline(i, fmt.Sprint("Changé ", i))(next)
		}
	})
	n.wantEdition(t, second, 60*time.Second)
	if err := <-free; err != nil {
		t.Fatal(err)
	}
	limits := f.take()
	t.Logf("the fetches were given %v; the last took %v", limits, n.last(t).Fetch.Round(time.Millisecond))
	if len(limits) < 2 {
		t.Error("the lock did not hold up the fetch")
	}
	for i, got := range limits {
		if want := live.MinFetch << i; got != want {
			t.Errorf("fetch %d was given %v, want %v", i, got, want)
		}
	}
	if s := n.last(t); s.From != 1 || s.Items != 5000 {
		t.Errorf("the node fetched %d items from edition %d, want 5000 from 1", s.Items, s.From)
	}
	n.wantEdition(t, publish(t, db, tagline(1, "Puis un seul.")), 5*time.Second)
	if got := f.take(); len(got) == 0 || got[0] != live.MinFetch {
		t.Errorf("afterwards a fetch was given %v, want %v", got, live.MinFetch)
	}
	wantSame(t, read(t, db), n.Current())
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
	live.Feed
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
