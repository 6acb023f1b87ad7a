package postgres_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/palmares-hq/palmares/internal/catalog"
	ct "github.com/palmares-hq/palmares/internal/catalogtest"
	"github.com/palmares-hq/palmares/internal/postgres"
)

func (db *testDB) feed() *postgres.Feed {
	db.Helper()
	f, err := db.Catalog.Feed(db.Context())
	db.must(err)
	db.Cleanup(f.Close)
	return f
}

// since reads what changed after an edition, on a connection of its own.
func (db *testDB) since(e catalog.Edition) catalog.Delta {
	db.Helper()
	f := db.feed()
	defer f.Close()
	d, err := f.Since(db.Context(), e)
	db.must(err)
	return d
}

// whole reads everything.
func (db *testDB) whole() catalog.Delta { db.Helper(); return db.since(catalog.Edition{}) }

func toolSlugs(d catalog.Delta) []string {
	return each(d.Tools, func(t *catalog.Tool) string { return t.Slug })
}

func (db *testDB) tool(slug string, d catalog.Delta) *catalog.Tool {
	db.Helper()
	i := slices.Index(toolSlugs(d), slug)
	if i < 0 {
		db.Fatalf("no tool %s in the delta", slug)
	}
	return d.Tools[i]
}

// everything is a catalog with the extremes of every field.
func everything() *catalog.Contents {
	bare := func(t *catalog.Tool) {
		t.Score, t.Verifiability, t.Obsolescence = catalog.Measure{}, catalog.Measure{}, catalog.Measure{}
	}
	c := ct.Contents(
		ct.Tool("bas", ct.Scored(1), ct.In("voix"), func(t *catalog.Tool) {
			t.Verifiability, t.Obsolescence, t.ICP = catalog.Hundredths(0), catalog.Hundredths(0), catalog.VibeCoder
		}),
		ct.Tool("haut", ct.Scored(1000), ct.Mainstream, ct.Tier(9), func(t *catalog.Tool) {
			t.Verifiability, t.Obsolescence, t.ICP = catalog.Hundredths(1000), catalog.Hundredths(1000), catalog.AgenticEngineer
		}, ct.Reviewed("Un « texte »\n\nsur \"deux\" paragraphes \\ et <b>un</b> é.", "Fin")),
		ct.Tool("nu", bare, ct.Priced(catalog.Free, "0 €/mois")),
		ct.Tool("lu-mais-hors-liste", bare, ct.Priced(catalog.Freemium, "199,90 €/an"), ct.Reviewed("Jamais servi.")),
		ct.Tool("a-b"), ct.Tool("a1"), ct.Tool("ab"), // collations disagree on their order
		ct.Comparison("bas-ou-haut", "bas", "haut"),
		ct.Comparison("brouillon", "bas", "haut", func(x *catalog.Comparison) { x.Draft = true }),
	)
	for _, r := range catalog.Reasons() {
		c.Retired = append(c.Retired, ct.Retired("feu-"+string(r), func(x *catalog.Retired) { x.Reason = r }))
	}
	c.Service.License = catalog.Etalab
	c.Service.Words = catalog.Words{
		Promise:  catalog.Localized{French: "Essayés d’abord.", English: "Tried first."},
		Colophon: catalog.Localized{French: "Un catalogue.", English: "A catalog."},
		Contact:  catalog.Localized{French: "a@palmares.example", English: "https://palmares.example/x"},
		Unsigned: true,
		Pro:      catalog.Pro{Availability: "99.5", NoSupport: true},
		Proofs: [catalog.MaxProofs]catalog.Proof{{
			Label: catalog.Localized{French: "Publicité", English: "Advertising"}, Value: catalog.Localized{French: "aucune", English: "none"},
		}, {Label: catalog.Localized{French: "Tests"}, Value: catalog.Localized{French: "payés"}}},
	}
	c.Files = []*catalog.OperatorFile{
		catalog.NewOperatorFile("theme.css", ":root { --mark: #fff; }\n"),
		catalog.NewOperatorFile("conditions.md", "Des « mots ».\n"),
	}
	c.Incidents = []catalog.Incident{
		{At: time.Date(2026, 2, 3, 4, 5, 0, 0, time.UTC), Title: catalog.Localized{French: "Panne"}},
		{
			At: time.Date(2026, 1, 3, 4, 5, 0, 0, time.UTC), ResolvedAt: time.Date(2026, 1, 3, 5, 0, 0, 0, time.UTC),
			Title: catalog.Localized{French: "Lenteur", English: "Slow"}, Text: catalog.Localized{French: "Finie.", English: "Over."},
		},
	}
	c.Sort()
	return c
}

func TestPublishedIsReadBack(t *testing.T) {
	t.Parallel()
	db := newDB(t)
	// 23:30 in São Paulo is the next day in UTC.
	db.now = time.Date(2026, 2, 28, 23, 30, 0, 123456789, time.FixedZone("", -3*60*60))
	edition := db.publish(everything())
	wantEqual(t, "its number", edition.Number, 1)
	wantEqual(t, "its date", edition.PublishedAt, time.Date(2026, 3, 1, 2, 30, 0, 123456000, time.UTC))

	want := everything()
	want.Comparisons = slices.DeleteFunc(want.Comparisons, func(x *catalog.Comparison) bool { return x.Draft })
	for _, x := range want.Comparisons {
		x.UpdatedAt = "2026-03-01"
	}
	for _, x := range want.Tools {
		x.UpdatedAt = "2026-03-01"
		if x.Embedded = x.Slug == "haut"; !x.Embedded {
			x.Review.Sections = nil // nodes do not serve them
		}
		x.Review.Markdown.Text = ""
	}
	d := db.whole()
	d.Dictionaries, d.Histories, d.Log, d.LogStart, d.LogEnd = nil, nil, nil, 0, catalog.Cursor{}
	for _, x := range d.Tools {
		x.Review.Markdown.Compressed = nil
	}
	wantSame(t, "the delta", d, ct.Whole(want, edition))
	current, e, err := db.Catalog.Current(t.Context())
	db.must(err)
	wantEqual(t, "the current edition", e, edition)
	for _, f := range want.Files {
		f.Text = "" // it has its hash
	}
	wantSame(t, "the current contents", current, want)
	if c := catalog.Diff(current, everything(), "2026-03-02"); !c.Empty() {
		t.Errorf("what was read differs from what was published: %+v", c)
	}
}

func TestNothingPublishedYet(t *testing.T) {
	t.Parallel()
	db := newDB(t)
	current, e, err := db.Catalog.Current(t.Context())
	db.must(err)
	wantEqual(t, "the edition", e, catalog.Edition{})
	wantSame(t, "the contents", current, catalog.Contents{
		Categories: []catalog.Category{}, Tools: []*catalog.Tool{}, Comparisons: []*catalog.Comparison{}, Retired: []*catalog.Retired{},
		Files: []*catalog.OperatorFile{}, Incidents: []catalog.Incident{},
	})
	latest, err := db.feed().Latest(t.Context())
	db.must(err)
	wantEqual(t, "the latest edition", latest, catalog.Edition{})
	wantEqual(t, "the delta", changes(db.whole()), "0 0 [] [] [] [] [] []")
}

// changes are the slugs of a delta, in the order of its fields.
func changes(d catalog.Delta) string {
	comparisons := each(d.Comparisons, func(x *catalog.Comparison) string { return x.Slug })
	retired := each(d.Retired, func(x *catalog.Retired) string { return x.Slug })
	return fmt.Sprint(d.From, d.Edition.Number, toolSlugs(d), comparisons, retired, d.GoneTools, d.GoneComparisons, d.GoneRetired)
}

func TestSince(t *testing.T) {
	t.Parallel()
	db := newDB(t)
	a, b, c := ct.Tool("a"), ct.Tool("b"), ct.Tool("c", ct.Tagline("Autre"))
	first := ct.Contents(a, b, ct.Tool("c"), ct.Tool("d"), ct.Comparison("a-ou-b", "a", "b"), ct.Retired("vieux"))
	// c changes, d is retired, the comparison is withdrawn, the retired tool vanishes.
	second := ct.Contents(a, b, c, ct.Retired("d"))
	// All of it comes back. Then a label changes, and all goes again.
	third := ct.Contents(a, b, c, ct.Tool("d"), ct.Comparison("a-ou-b", "a", "b"), ct.Retired("vieux"))
	fourth := ct.Edited(third, func(c *catalog.Contents) { c.Categories[0].Label = "Le code" })
	editions := []catalog.Edition{{}}
	for _, next := range []*catalog.Contents{first, second, third, fourth} {
		editions = append(editions, db.publish(next))
		db.nextDay()
	}
	for from, want := range []string{
		"0 4 [a b c d] [a-ou-b] [vieux] [] [] []",
		"1 4 [c d] [a-ou-b] [vieux] [] [] [d]",
		"2 4 [d] [a-ou-b] [vieux] [] [] [d]",
		"3 4 [] [] [] [] [] []",
		"4 4 [] [] [] [] [] []",
	} {
		d := db.since(editions[from])
		wantEqual(t, "the delta", changes(d), want)
		wantEqual(t, "the label", d.Categories[0].Label, "Le code")
	}
	db.publish(second)
	wantEqual(t, "what went again", changes(db.since(editions[4])), "4 5 [] [] [d] [d] [a-ou-b] [vieux]")
	wantEqual(t, "and from before it came back", changes(db.since(editions[2])), "2 5 [] [] [d] [d] [a-ou-b] [vieux]")

	stranger := "7b0e5a62-0d5c-4d4e-9a3b-0f5a2f0c9d11"
	for name, e := range map[string]catalog.Edition{
		"the number of one and the id of another": {Number: editions[2].Number, ID: editions[1].ID},
		"another database's":                      {Number: 1, ID: stranger}, "one to come": {Number: 99, ID: stranger},
		"an id that is no UUID": {Number: 1, ID: "x"}, "no id": {Number: 1},
	} {
		wantEqual(t, "from "+name, changes(db.since(e)), "0 5 [a b c] [] [d] [] [] []")
	}
}

var seed = flag.Uint64("seed", 1, "of the random publications")

// Whatever edition a node has, the delta leads to the snapshot of a node that reads everything.
func TestSince_LeadsToTheSameSnapshot(t *testing.T) {
	t.Parallel()
	db := newDB(t)
	w := ct.NewWorld(*seed, 12)
	feed := db.feed()
	since := func(e catalog.Edition) catalog.Delta {
		d, err := feed.Since(t.Context(), e)
		db.must(err)
		return d
	}
	editorial := func(c *catalog.Contents) *catalog.Contents {
		c = ct.Editorial(c)
		c.Comparisons = append([]*catalog.Comparison{}, c.Comparisons...) // not nil
		return c
	}
	var snapshots []*catalog.Snapshot // of every edition, from nothing
	events := 0
	for range 30 {
		db.nextDay()
		w.Change(1 + w.IntN(4))
		_, err := db.publishFrom(t.Context(), db.DB, func(current *catalog.Contents) *catalog.Contents {
			events += len(catalog.Diff(current, w.Contents(), catalog.DateOf(db.now)).Events())
			return w.Contents()
		})
		db.must(err)
		s := catalog.Empty().Apply(since(catalog.Edition{}))
		wantSame(t, "what the editors wrote and what is published", editorial(s.Contents()), editorial(w.Published()))
		snapshots = append(snapshots, s)
	}
	last := snapshots[len(snapshots)-1]
	if n := last.Edition().Number; n < 20 || events == 0 {
		t.Fatalf("the edits made %d editions and %d events: too few to prove anything", n, events)
	}
	for _, s := range snapshots {
		d := since(s.Edition())
		wantEqual(t, "From", d.From, s.Edition().Number)
		ct.WantSame(t, last, s.Apply(d))
	}
	wantEqual(t, "events in the log", db.count(`events`), events)
}

// A delta has the entries of the change log after its edition, as many as a node keeps: more
// than one batch of them here.
func TestSince_ReadsTheChangeLog(t *testing.T) {
	t.Parallel()
	db := newDB(t)
	db.logMany(2500)
	db.now = db.now.AddDate(0, 0, 40)
	db.logMany(4500)
	db.nextDay()
	db.logMany(500)
	ids := ask[string](db, `SELECT id::text FROM editions ORDER BY number`)
	second, third := catalog.Edition{Number: 2, ID: ids[1]}, ids[2]
	read := func(what string, since catalog.Edition, start int64, first, last int64) {
		t.Helper()
		d := db.since(since)
		wantEqual(t, what+": where the log starts", d.LogStart, start)
		seqs := each(d.Log, func(e *catalog.LogEntry) int64 { return e.Seq })
		wantSame(t, what, seqs, ask[int64](db, `SELECT generate_series($1::bigint, $2::bigint)`, first, last))
		newest := d.Log[len(d.Log)-1]
		wantEqual(t, what+": the last entry", fmt.Sprintln(newest.Edition, newest.EditionID, newest.At), fmt.Sprintln(3, third, db.now))
		wantEqual(t, what+": the end", d.LogEnd, newest.Cursor())
	}
	read("everything of the last 30 days", catalog.Edition{}, 1, 2501, 7500)
	read("after the second edition", second, 1, 7001, 7500)
	db.exec(`DELETE FROM events WHERE seq <= 7200`)
	read("after the beginning was pruned", catalog.Edition{}, 7201, 7201, 7500)

	// Of a log that is deleted whole the end is known all the same, and a node that had entries has none.
	before := catalog.Empty().Apply(db.whole())
	db.exec(`DELETE FROM events`)
	for what, s := range map[string]*catalog.Snapshot{
		"a new node": catalog.Empty(), "one that follows": before,
	} {
		d := db.since(s.Edition())
		wantEqual(t, what+": where the log starts", d.LogStart, 7501)
		s = s.Apply(d)
		wantEqual(t, what+": the end", s.Cursor(), catalog.NewCursor(7500, third))
		wantEqual(t, what+": from its copy", catalog.Empty().Apply(s.Whole()).Cursor(), s.Cursor())
		for e := range s.RecentChanges() {
			t.Fatalf("%s has entry %d", what, e.Seq)
		}
	}
}

func TestPriceHistory(t *testing.T) {
	t.Parallel()
	db := newDB(t)
	priced := func(p catalog.Pricing, price string, edits ...func(*catalog.Tool)) *catalog.Contents {
		return ct.Contents(ct.Tool("a", append(edits, ct.Priced(p, price))...), ct.Tool("ab"))
	}
	var editions []catalog.Edition
	for _, next := range []*catalog.Contents{
		priced(catalog.Paid, "10 €/mois"),
		priced(catalog.Paid, "10 €/mois", ct.Tagline("Autre")), // not a price
		priced(catalog.Paid, "20 €/mois", ct.Tagline("Autre")), // day 3
		ct.Contents(ct.Tool("ab"), ct.Retired("a")),
		priced(catalog.Paid, "20 €/mois"),     // comes back
		priced(catalog.Freemium, "20 €/mois"), // day 6: the pricing alone
		priced(catalog.Paid, "10 €/mois"),     // day 7: the first price again
		priced(catalog.Paid, "10 €/mois", ct.Scored(710)),
	} {
		editions = append(editions, db.publish(next))
		db.nextDay()
	}
	want := []catalog.PriceChange{
		{ChangedAt: "2026-03-07", OldPricing: "freemium", OldPrice: "20 €/mois", NewPricing: "payant", NewPrice: "10 €/mois"},
		{ChangedAt: "2026-03-06", OldPricing: "payant", OldPrice: "20 €/mois", NewPricing: "freemium", NewPrice: "20 €/mois"},
		{ChangedAt: "2026-03-03", OldPricing: "payant", OldPrice: "10 €/mois", NewPricing: "payant", NewPrice: "20 €/mois"},
	}
	wantSame(t, "the history", db.tool("a", db.whole()).History, want)
	wantSame(t, "the history in a delta", db.tool("a", db.since(editions[6])).History, want)
	wantEqual(t, "the history of another tool", len(db.tool("ab", db.whole()).History), 0)
}

// wakes runs Wait and reports whether it returned before its time was up.
func (db *testDB) wakes(f *postgres.Feed, d time.Duration) bool {
	db.Helper()
	started := time.Now()
	db.must(f.Wait(db.Context(), d))
	return time.Since(started) < d
}

// soon does something a moment from now. The function it returns waits for the end.
func soon(do func()) (wait func()) {
	var wg sync.WaitGroup
	wg.Go(func() {
		time.Sleep(50 * time.Millisecond)
		do()
	})
	return wg.Wait
}

func TestWait(t *testing.T) {
	t.Parallel()
	db := newDB(t)
	f := db.feed()
	wake := func(when string) {
		t.Helper()
		if !db.wakes(f, long) {
			t.Error("an edition is not heard of: " + when)
		}
	}
	e1 := db.publish(ct.Contents(ct.Tool("a")))
	wake("announced before Wait")
	latest, err := f.Latest(t.Context())
	db.must(err)
	wantEqual(t, "the latest edition", latest, e1)
	defer soon(func() { db.publish(ct.Contents(ct.Tool("b"))) })()
	wake("announced during Wait")
	db.publish(ct.Contents(ct.Tool("c")))
	_, err = f.Since(t.Context(), e1)
	db.must(err)
	wake("announced before a query on the same connection")
	for _, d := range []time.Duration{80 * time.Millisecond, time.Millisecond, 0, 80 * time.Millisecond} {
		if db.wakes(f, d) && d > 0 {
			t.Errorf("Wait(%s) returned early, with nothing announced", d)
		}
	}
	db.publish(ct.Contents(ct.Tool("d")))
	wake("announced after waits that timed out")

	ctx, cancel := context.WithCancel(t.Context())
	defer soon(cancel)()
	wantError(t, "Wait with a context that ends", f.Wait(ctx, long), context.Canceled)
	ctx, cancel = context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	wantError(t, "Wait with a context whose time is up", db.feed().Wait(ctx, long), context.DeadlineExceeded)
}

func TestWait_OnADeadConnection(t *testing.T) {
	t.Parallel()
	db := newDB(t)
	f := db.feed()
	defer soon(func() {
		db.exec(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND application_name = $1`, postgres.FeedName)
	})()
	if err := f.Wait(t.Context(), long); err == nil {
		t.Error("Wait: no error")
	}
	if _, err := f.Latest(t.Context()); err == nil {
		t.Error("Latest: no error")
	}
}

// A commit is announced once, with its number. A failed commit is not.
func TestOnlyCommitsAreAnnounced(t *testing.T) {
	t.Parallel()
	db := newDB(t)
	wantSame(t, "the announcements", db.announced("palmares_edition", func() {
		db.publish(ct.Contents(ct.Tool("a")))
		db.failing("COMMIT INSERT ON editions", func() {
			if _, err := db.tryPublish(ct.Contents(ct.Tool("b"))); err == nil {
				t.Error("the commit did not fail")
			}
		})
		db.publish(ct.Contents(ct.Tool("a"))) // no change
		db.publish(ct.Contents(ct.Tool("c")))
	}), []string{"1", "2"})
}

func TestFeed_HasItsOwnConnection(t *testing.T) {
	t.Parallel()
	db := newDB(t)
	f := db.feed()
	db.publish(ct.Contents(ct.Tool("a")))
	wantEqual(t, "connections of its name", db.count(`pg_stat_activity WHERE datname = current_database() AND application_name = $1`, postgres.FeedName), 1)
	db.Close() // the pool
	d, err := f.Since(t.Context(), catalog.Edition{})
	db.must(err)
	wantSame(t, "the tools", toolSlugs(d), []string{"a"})
	f.Close()
	if _, err := f.Latest(t.Context()); err == nil {
		t.Error("a closed feed answers")
	}
	f.Close() // does no harm
}

func TestOpen_NeedsNoDatabase(t *testing.T) {
	t.Parallel()
	db, err := postgres.Open(t.Context(), "postgres://nobody@127.0.0.1:1/nowhere?sslmode=disable", postgres.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	_, err = db.Catalog.Feed(t.Context())
	_, noURL := postgres.Open(t.Context(), "postgres://a b", postgres.Options{})
	if err == nil || noURL == nil || errors.Is(err, postgres.ErrNoSchema) {
		t.Errorf("a feed without a database: %v; a URL that is none: %v", err, noURL)
	}
}
