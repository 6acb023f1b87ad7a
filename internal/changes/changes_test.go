package changes_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"go.uber.org/goleak"

	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/catalogtest"
	"github.com/palmares-hq/palmares/internal/changes"
	"github.com/palmares-hq/palmares/internal/limit"
	"github.com/palmares-hq/palmares/internal/live"
	"github.com/palmares-hq/palmares/internal/pgtest"
	"github.com/palmares-hq/palmares/internal/postgres"
	"github.com/palmares-hq/palmares/internal/testkit"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// A log is that of a database. It counts what it is asked, and can be made to wait before it answers.
type log struct {
	changes.Log
	ends, reads atomic.Int64
	answer      chan struct{} // nil answers at once
	read        chan struct{} // as above, of ReadChanges
}

func (l *log) EndsAfter(ctx context.Context, seq int64) ([]catalog.Cursor, error) {
	l.ends.Add(1)
	if l.answer != nil {
		<-l.answer
	}
	return l.Log.EndsAfter(ctx, seq)
}

func (l *log) ReadChanges(ctx context.Context, q changes.Query) (changes.Batch, error) {
	l.reads.Add(1)
	if l.read != nil {
		<-l.read
	}
	return l.Log.ReadChanges(ctx, q)
}

// A node serves an edition until it is told to follow.
type node struct {
	t        *testing.T
	db       *postgres.DB
	catalog  *live.Catalog
	log      log
	reader   *changes.Reader
	outcomes sync.Map // how often each
	world    *catalogtest.World
	at       time.Time
}

func newNode(t *testing.T) *node {
	t.Helper()
	n := &node{
		t: t, db: pgtest.Open(t), catalog: live.New(live.Options{Logger: slog.New(slog.DiscardHandler)}),
		world: catalogtest.NewWorld(5, 20), at: time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC),
	}
	n.log.Log = n.db.Catalog
	n.reader = changes.NewReader(n.catalog, &n.log)
	n.reader.Answered = func(outcome string) {
		count, _ := n.outcomes.LoadOrStore(outcome, new(atomic.Int64))
		count.(*atomic.Int64).Add(1)
	}
	return n
}

// publish publishes the world as it is, and gives the end of the log.
func (n *node) publish() catalog.Cursor {
	n.t.Helper()
	n.at = n.at.Add(5 * 24 * time.Hour)
	_, err := n.db.Catalog.Publish(n.t.Context(), func() time.Time { return n.at },
		func(_ context.Context, current *catalog.Contents, _ catalog.Edition, _ catalog.Past) (catalog.Changes, error) {
			return catalog.Diff(current, n.world.Contents(), catalog.DateOf(n.at)), nil
		})
	testkit.Must(n.t, err)
	ends, err := n.db.Catalog.EndsAfter(n.t.Context(), 0)
	testkit.Must(n.t, err)
	return ends[len(ends)-1]
}

// follow makes the node serve the newest edition.
func (n *node) follow() {
	n.t.Helper()
	feed, err := n.db.Catalog.Feed(n.t.Context())
	testkit.Must(n.t, err)
	defer feed.Close()
	delta, err := feed.Since(n.t.Context(), n.catalog.Current().Edition())
	testkit.Must(n.t, err)
	n.catalog.Swap(delta)
}

func (n *node) read(q changes.Query) (changes.Page, error) {
	if q.Limit == 0 {
		q.Limit = changes.DefaultLimit
	}
	return n.reader.Read(n.t.Context(), changes.Asker{}, n.catalog.Current(), q)
}

func (n *node) outcome(name string) int64 {
	count, found := n.outcomes.Load(name)
	if !found {
		return 0
	}
	return count.(*atomic.Int64).Load()
}

// gates are the turns of a limit.Queue.
type gates struct{ *limit.Queue }

func (g gates) Enter(ctx context.Context, who changes.Asker) (func(), error) {
	return g.Queue.Enter(ctx, limit.Caller(who))
}

// A network that asks for much of what only the database has waits for its own turns, and is refused in the end. Others
// have their turn meanwhile, and whoever leaves finds nothing away.
func TestReader_TakesTurns(t *testing.T) {
	t.Parallel()
	n := newNode(t)
	n.publish()
	n.follow()
	n.log.read = make(chan struct{})
	gate := limit.NewQueue(limit.QueueOptions{Slots: 2, PerClient: 1, Wait: 100 * time.Millisecond})
	n.reader.Queue = gates{gate}
	old := changes.Query{Since: catalog.Cursor{Seq: 1, Edition: "0123456789abcdef"}, Limit: 10}
	read := func(ctx context.Context, who changes.Asker) <-chan error {
		got := make(chan error, 1)
		go func() {
			_, err := n.reader.Read(ctx, who, n.catalog.Current(), old)
			got <- err
		}()
		return got
	}
	from := func(addr string) changes.Asker { return changes.Asker{Addr: netip.MustParseAddr(addr)} }
	first := read(t.Context(), from("2001:db8:1:1::1"))
	testkit.EventuallyTrue(t, "it is asked", func() bool { return n.log.reads.Load() == 1 })
	err := testkit.Await(t, "another one of the /48", read(t.Context(), from("2001:db8:1:2::1")))
	if !errors.Is(err, changes.ErrBusy) || !errors.Is(err, limit.ErrShare) || errors.Is(err, changes.ErrUnavailable) {
		t.Errorf("another one of the /48: %v", err)
	}
	other := read(t.Context(), changes.Asker{Account: "ada", Addr: netip.MustParseAddr("2001:db8:1:1::1")})
	testkit.EventuallyTrue(t, "an account is asked for", func() bool { return n.log.reads.Load() == 2 })
	if err := testkit.Await(t, "a third", read(t.Context(), from("192.0.2.1"))); !errors.Is(err, changes.ErrBusy) || !errors.Is(err, limit.ErrFull) {
		t.Errorf("a third: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	err = testkit.Await(t, "one who leaves", read(ctx, from("192.0.2.2")))
	if !errors.Is(err, context.Canceled) || errors.Is(err, changes.ErrUnavailable) {
		t.Errorf("one who leaves: %v", err)
	}
	close(n.log.read)
	for _, got := range []<-chan error{first, other} {
		err := testkit.Await(t, "an answer", got)
		if !errors.Is(err, changes.ErrGone) && !errors.Is(err, changes.ErrUnavailable) { // the database may be slow
			t.Error(err)
		}
	}
	running, waiting, _ := gate.Stats()
	testkit.Equal(t, "turns that are left", [2]int{running, waiting}, [2]int{})
	testkit.Equal(t, "busy", n.outcome("busy"), int64(2))
}

// A cursor that is newer than the node is waited for, if the database has its edition: until the node has it, or 5 s.
// One that the database does not have is gone at once, and nobody is told so while the database is away.
func TestReader_BehindTheCursor(t *testing.T) {
	t.Parallel()
	n := newNode(t)
	n.publish()
	n.follow()
	n.world.Change(8)
	next := n.publish()

	for name, since := range map[string]catalog.Cursor{
		"of an edition that was never made":   {Seq: next.Seq + 1, Edition: next.Edition},
		"a number past the end":               {Seq: next.Seq + 1},
		"of another history, newer":           {Seq: next.Seq, Edition: "0123456789abcdef"},
		"of another history, within the node": {Seq: 1, Edition: "0123456789abcdef"},
	} {
		began := time.Now()
		if _, err := n.read(changes.Query{Since: since}); !errors.Is(err, changes.ErrGone) || time.Since(began) > 4*time.Second {
			t.Errorf("%s: %v after %v", name, err, time.Since(began))
		}
	}
	testkit.Equal(t, "gone", n.outcome("gone"), int64(4))

	began := time.Now()
	if _, err := n.read(changes.Query{Since: next}); !errors.Is(err, changes.ErrUnavailable) {
		t.Errorf("a node that does not follow: %v", err)
	}
	if took := time.Since(began); took < 5*time.Second {
		t.Errorf("it was waited for %v, want 5 s", took)
	}

	type answer struct {
		page changes.Page
		err  error
	}
	answers := make(chan answer, 2)
	for _, since := range []catalog.Cursor{next, {Seq: next.Seq}} { // a webhook's is a number alone
		go func() {
			page, err := n.read(changes.Query{Since: since})
			answers <- answer{page, err}
		}()
	}
	asked := n.log.ends.Load()
	testkit.EventuallyTrue(t, "both have asked", func() bool { return n.log.ends.Load() > asked })
	n.follow()
	for range cap(answers) {
		a := testkit.Await(t, "the answer of a node that follows", answers)
		testkit.Must(t, a.err)
		testkit.Equal(t, "the answer", string(a.page.Body), fmt.Sprintf(`{"data":[],"next":"%s","more":false}`, next))
	}
	testkit.Equal(t, "waited", n.outcome("waited"), int64(2))
	testkit.Equal(t, "pages that the database was asked for", n.log.reads.Load(), int64(1)) // that of another history

	n.db.Close()
	for name, since := range map[string]catalog.Cursor{"newer": {Seq: next.Seq + 1}, "other": {Seq: next.Seq, Edition: "0123456789abcdef"}} {
		if _, err := n.read(changes.Query{Since: since}); !errors.Is(err, changes.ErrUnavailable) {
			t.Errorf("%s, without the database: %v", name, err)
		}
	}
}

// waits counts how often somebody begins to wait for something or the end of a request.
type waits struct {
	context.Context
	count atomic.Int64
}

func (w *waits) Done() <-chan struct{} { w.count.Add(1); return w.Context.Done() }

// However many ask at a time for an edition that the node does not have, the database is asked once; those who come
// while it answers are answered by one more question, because theirs is younger.
func TestReader_SharesAQuestion(t *testing.T) {
	t.Parallel()
	const clients = 60
	n := newNode(t)
	n.publish()
	n.follow()
	n.world.Change(8)
	next := n.publish()
	n.log.answer = make(chan struct{})
	var all sync.WaitGroup
	waiting := &waits{Context: t.Context()}
	ask := func() {
		if _, err := n.reader.Read(waiting, changes.Asker{}, n.catalog.Current(), changes.Query{Since: next, Limit: 1}); err != nil {
			t.Error(err)
		}
	}
	all.Go(ask)
	testkit.EventuallyTrue(t, "the first asks", func() bool { return n.log.ends.Load() == 1 })
	for range clients {
		all.Go(ask)
	}
	testkit.EventuallyTrue(t, "all wait", func() bool { return waiting.count.Load() == 1+clients })
	close(n.log.answer)
	testkit.EventuallyTrue(t, "the second question", func() bool { return n.log.ends.Load() == 2 })
	n.follow()
	all.Wait()
	testkit.Equal(t, "questions for "+fmt.Sprint(1+clients), n.log.ends.Load(), int64(2))
	testkit.Equal(t, "pages read from the database", n.log.reads.Load(), int64(0))
}

// followsRenames reads the log of a tool that is renamed in an edition which the node does not have yet. The database does, and
// the node does not know the new slug: a page that went on to there would leave out what happened under it, for good.
func (n *node) followsRenames() {
	n.t.Helper()
	for {
		known := n.catalog.Current().Cursor()
		n.world.Change(150)
		n.publish()
		batch, err := n.db.Catalog.ReadChanges(n.t.Context(), changes.Query{Since: known, Limit: changes.MaxLimit})
		testkit.Must(n.t, err)
		i := slices.IndexFunc(batch.Entries, func(e *catalog.LogEntry) bool {
			return e.Type == catalog.ToolRenamed && !slices.Contains(n.catalog.Current().SlugsOf(e.RenamedFrom), e.RenamedTo)
		})
		if i < 0 {
			n.follow()
			continue
		}
		q := changes.Query{Filter: changes.Filter{Slugs: []string{batch.Entries[i].RenamedFrom}}, Limit: changes.MaxLimit}
		seen, more := []int64(nil), true
		for reads := 0; more && reads < 20; reads++ {
			page, err := n.read(q)
			testkit.Must(n.t, err)
			for _, e := range entries(n.t, page) {
				seen = append(seen, e.Data.Seq)
			}
			if q.Since, more = page.Next, page.More; n.catalog.Current().Cursor() == known && q.Since == known {
				n.follow()
				more = true
			}
		}
		if !slices.Contains(seen, batch.Entries[i].Seq) {
			n.t.Errorf("of %s there is %v, without %d", batch.Entries[i].RenamedFrom, seen, batch.Entries[i].Seq)
		}
		return
	}
}

// What a node does not hold comes from the database, and is the same page. Once the log was pruned, a cursor
// before its beginning is gone, the very beginning too; the one right before it is not.
func TestReader_BeyondTheNode(t *testing.T) {
	t.Parallel()
	n := newNode(t)
	for n.publish().Seq < 2500 { // a node keeps 1,000
		n.world.Change(150)
	}
	n.follow()
	held := int64(n.catalog.Current().LogLength())
	end := n.catalog.Current().Cursor()
	if held >= end.Seq {
		t.Fatalf("the node holds all %d entries", end.Seq)
	}
	filters := map[string]changes.Filter{
		"all": {}, "types": {Types: []catalog.EventType{catalog.PriceChanged, catalog.ToolUpdated}}, "category": {Categories: []string{"code"}},
		"slugs": {Slugs: slugsOf(n.world, 5)},
	}
	for name, filter := range filters {
		// The whole log, page by page from the database, then from memory.
		var seqs []int64
		cursor, more := (catalog.Cursor{}), true
		for more {
			page, err := n.read(changes.Query{Since: cursor, Filter: filter, Limit: 700})
			testkit.Must(t, err)
			found := entries(t, page)
			for _, e := range found {
				seqs = append(seqs, e.Data.Seq)
			}
			if page.Count != len(found) || page.More && page.Count != 700 {
				t.Errorf("%s: a page of %d entries counts %d, more: %t", name, len(found), page.Count, page.More)
			}
			cursor, more = page.Next, page.More
		}
		testkit.Equal(t, name+": the end", cursor, end)
		if !slices.IsSorted(seqs) || len(slices.Compact(seqs)) != len(seqs) || len(seqs) == 0 {
			t.Errorf("%s: the entries are not in their order, each once: %v", name, seqs)
		}
		if name == "all" {
			testkit.Equal(t, "entries", int64(len(seqs)), end.Seq)
		}
		// The same page from memory and from the database.
		since := n.entryAt(end.Seq - held/2)
		q := changes.Query{Since: since, Filter: filter, Limit: 50}
		memory, isHeld := changes.FromSnapshot(n.catalog.Current(), q)
		q.Filter.Slugs = nil
		for _, slug := range filter.Slugs {
			q.Filter.Slugs = append(q.Filter.Slugs, n.catalog.Current().SlugsOf(slug)...)
		}
		batch, err := n.db.Catalog.ReadChanges(t.Context(), q)
		testkit.Must(t, err)
		testkit.Equal(t, name+": held", isHeld, true)
		testkit.Equal(t, name+": the page", string(changes.NewPage(batch, q).Body), string(memory.Body))
	}
	if n.log.reads.Load() == 0 {
		t.Error("the database was never asked")
	}
	n.followsRenames()
	end = n.catalog.Current().Cursor()

	pruned, err := n.db.Webhooks.PruneEvents(t.Context(), n.at.Add(time.Hour), int(end.Seq-held)/2)
	testkit.Must(t, err)
	start := int64(pruned) + 1
	for name, c := range map[string]struct {
		since catalog.Cursor
		gone  bool
	}{
		"the beginning":           {catalog.Cursor{}, true},
		"a number that is pruned": {catalog.Cursor{Seq: start - 2}, true},
		"a cursor that is pruned": {n.entryAt(start - 2), true},
		"the last pruned":         {n.entryAt(start - 1), false},
		"its number":              {catalog.Cursor{Seq: start - 1}, false},
		"the first kept":          {n.entryAt(start), false},
	} {
		page, err := n.read(changes.Query{Since: c.since, Limit: 1})
		switch {
		case c.gone:
			if !errors.Is(err, changes.ErrGone) {
				t.Errorf("%s: %v", name, err)
			}
		case err != nil:
			t.Errorf("%s: %v", name, err)
		default:
			testkit.Equal(t, name, entries(t, page)[0].Data.Seq, c.since.Seq+1)
		}
	}
}

// entryAt is the cursor after an entry, also where it was pruned.
func (n *node) entryAt(seq int64) catalog.Cursor {
	n.t.Helper()
	ends, err := n.db.Catalog.EndsAfter(n.t.Context(), seq-1)
	testkit.Must(n.t, err)
	return catalog.Cursor{Seq: seq, Edition: ends[0].Edition}
}

func slugsOf(w *catalogtest.World, most int) (slugs []string) {
	for _, t := range w.Contents().Tools[:most] {
		slugs = append(slugs, t.Slug)
	}
	return slugs
}

type entry struct {
	Type string
	Data struct{ Seq int64 }
}

func entries(t *testing.T, p changes.Page) []entry {
	t.Helper()
	var body struct {
		Data []entry
		Next string
		More bool
	}
	testkit.Must(t, json.Unmarshal(p.Body, &body))
	testkit.Equal(t, "next and more", body.Next+fmt.Sprint(body.More), p.Next.String()+fmt.Sprint(p.More))
	return body.Data
}

// A page is full at its limit, at 4 MB, or once a filter has looked at 10,000 entries; then its cursor is the last
// entry that was looked at, and a page that is not full ends with the log. The newest entries are never a full page,
// and a filter looks for them among 10,000. The snapshot and the database give the same pages.
func TestPage(t *testing.T) {
	t.Parallel()
	const edition = "9f2c41d0-7a3b-4e61-8000-000000000000"
	databases := make(map[*catalog.Snapshot]changes.Log)
	snapshot := func(count, size int, kind func(int) catalog.EventType) *catalog.Snapshot {
		log := make([]*catalog.LogEntry, count)
		for i := range log {
			log[i] = &catalog.LogEntry{
				Seq: int64(i + 1), EditionID: edition, At: time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC),
				Event: catalog.Event{
					Type: kind(i), Slug: fmt.Sprint("outil-", i%7), Categories: []string{"code"},
					Object: []byte(`{"text":"` + strings.Repeat("é", size/2) + `"}`),
				},
			}
		}
		d := catalogtest.Whole(catalogtest.Contents(), catalogtest.Edition(1))
		d.Log, d.LogEnd = log, catalog.NewCursor(int64(count), edition)
		s := catalog.Empty().Apply(d)
		databases[s] = stored(t, edition, log)
		return s
	}
	updated := func(int) catalog.EventType { return catalog.ToolUpdated }
	small, large := snapshot(12_500, 10, func(i int) catalog.EventType {
		if i == 2499 { // one more than 10,000 before the end
			return catalog.ToolCreated
		}
		return catalog.ToolUpdated
	}), snapshot(9, 1<<20, updated)
	one := snapshot(3, 5<<20, updated)
	mixed := snapshot(30, 10, func(i int) catalog.EventType {
		if i%10 == 0 {
			return catalog.CatalogUpdated
		}
		return catalog.ToolUpdated
	})
	absent, created := changes.Filter{Slugs: []string{"personne"}}, changes.Filter{Types: []catalog.EventType{catalog.ToolCreated}}
	for _, tt := range []struct {
		name        string
		of          *catalog.Snapshot
		q           changes.Query
		count       int
		first, next int64 // 0: no first
		more        bool
	}{
		{"the limit", small, changes.Query{Limit: 200}, 200, 1, 200, true},
		{"after a cursor", small, changes.Query{Since: catalog.Cursor{Seq: 12_300}, Limit: 300}, 200, 12_301, 12_500, false},
		{"exactly the rest", small, changes.Query{Since: catalog.Cursor{Seq: 12_300}, Limit: 200}, 200, 12_301, 12_500, true},
		{"nothing new", small, changes.Query{Since: catalog.Cursor{Seq: 12_500}, Limit: 200}, 0, 0, 12_500, false},
		{"4 MB", large, changes.Query{Limit: 200}, 3, 1, 3, true},
		{"4 MB, the rest", large, changes.Query{Since: catalog.Cursor{Seq: 6}, Limit: 200}, 3, 7, 9, false},
		{"an entry over 4 MB is a page", one, changes.Query{Limit: 200}, 1, 1, 1, true},
		{"and so is the next", one, changes.Query{Since: catalog.Cursor{Seq: 1}, Limit: 200}, 1, 2, 2, true},
		{"the last is the end", one, changes.Query{Since: catalog.Cursor{Seq: 2}, Limit: 200}, 1, 3, 3, false},
		{"the newest over 4 MB", one, changes.Query{Newest: true, Limit: 200}, 1, 3, 3, false},
		{"a filter that finds nothing", small, changes.Query{Filter: absent, Limit: 200}, 0, 0, 10_000, true},
		{"and the rest of it", small, changes.Query{Since: catalog.Cursor{Seq: 10_000}, Filter: absent, Limit: 200}, 0, 0, 12_500, false},
		{"a filter, exactly 10,000 left", small, changes.Query{Since: catalog.Cursor{Seq: 2500}, Filter: absent, Limit: 200}, 0, 0, 12_500, true},
		{"the newest", small, changes.Query{Newest: true, Limit: 5}, 5, 12_496, 12_500, false},
		{"the newest, 4 MB", large, changes.Query{Newest: true, Limit: 200}, 3, 7, 9, false},
		{"no newest among 10,000", small, changes.Query{Newest: true, Filter: created, Limit: 5}, 0, 0, 12_500, false},
		{"the newest that a filter finds", mixed, changes.Query{Newest: true, Filter: absent, Limit: 2}, 2, 11, 30, false},
		{"the catalog passes slugs", mixed, changes.Query{Filter: absent, Limit: 200}, 3, 1, 30, false},
		{"and categories", mixed, changes.Query{Filter: changes.Filter{Categories: []string{"texte"}}, Limit: 200}, 3, 1, 30, false},
		{"but not types", mixed, changes.Query{Filter: changes.Filter{Types: []catalog.EventType{catalog.ToolUpdated}}, Limit: 200}, 27, 2, 30, false},
		{"all filters at once", mixed, changes.Query{Filter: changes.Filter{
			Types: []catalog.EventType{catalog.ToolUpdated}, Slugs: []string{"outil-3"}, Categories: []string{"code", "texte"},
		}, Limit: 200}, 3, 4, 30, false},
	} {
		page, held := changes.FromSnapshot(tt.of, tt.q)
		if !held {
			t.Errorf("%s: the snapshot does not answer", tt.name)
			continue
		}
		batch, err := databases[tt.of].ReadChanges(t.Context(), tt.q)
		testkit.Must(t, err)
		for from, page := range map[string]changes.Page{"the snapshot": page, "the database": changes.NewPage(batch, tt.q)} {
			found := entries(t, page)
			first := int64(0)
			if len(found) > 0 {
				first = found[0].Data.Seq
			}
			testkit.Equal(t, tt.name+", from "+from, fmt.Sprint(page.Count, len(found), first, page.Next, page.More),
				fmt.Sprint(tt.count, tt.count, tt.first, catalog.NewCursor(tt.next, edition), tt.more))
		}
	}
}

// stored makes a database whose log has these entries, of one edition.
func stored(t *testing.T, edition string, log []*catalog.LogEntry) changes.Log {
	t.Helper()
	ctx, url := t.Context(), pgtest.Migrated(t)
	conn, err := pgx.Connect(ctx, url)
	testkit.Must(t, err)
	defer conn.Close(context.WithoutCancel(ctx))
	_, err = conn.Exec(ctx, `
		WITH e AS (INSERT INTO editions (number, id, published_at, last_seq) VALUES (1, $1::text::uuid, $2, $3) RETURNING number)
		INSERT INTO current_edition (number) SELECT number FROM e`, edition, log[0].At, len(log))
	testkit.Must(t, err)
	_, err = conn.CopyFrom(ctx, pgx.Identifier{"events"}, []string{"seq", "edition", "type", "slug", "categories", "object"},
		pgx.CopyFromSlice(len(log), func(i int) ([]any, error) {
			e := log[i]
			return []any{e.Seq, 1, string(e.Type), e.Slug, e.Categories, e.Object}, nil
		}))
	testkit.Must(t, err)
	db, err := postgres.Open(ctx, url, postgres.Options{})
	testkit.Must(t, err)
	t.Cleanup(db.Close)
	return db.Catalog
}

// asked keeps what a database is asked for.
type asked struct {
	changes.Log
	filter changes.Filter
}

func (a *asked) ReadChanges(_ context.Context, q changes.Query) (changes.Batch, error) {
	a.filter = q.Filter
	return changes.Batch{}, nil
}

// An item that was renamed is found by each of its slugs, in memory and in the database, and nothing else is.
func TestFilter_FollowsRenames(t *testing.T) {
	t.Parallel()
	formerly := []string{"a", "b"}
	d := catalogtest.Whole(catalogtest.Contents(
		catalogtest.Tool("c", func(t *catalog.Tool) { t.Formerly = formerly }), catalogtest.Tool("autre"),
		catalogtest.Comparison("duel", "c", "autre", func(x *catalog.Comparison) { x.Formerly = []string{"combat"} }),
	), catalogtest.Edition(1))
	for i, slug := range []string{"a", "autre", "b", "c", "combat", "duel"} {
		d.Log = append(d.Log, &catalog.LogEntry{Seq: int64(i + 11), Event: catalog.Event{Type: catalog.ToolUpdated, Slug: slug, Object: []byte(`{}`)}})
	}
	s := catalog.Empty().Apply(d)
	database := &asked{}
	reader := changes.NewReader(live.New(live.Options{Logger: slog.New(slog.DiscardHandler)}), database)
	for slug, want := range map[string][]string{
		"a": {"a", "b", "c"}, "b": {"a", "b", "c"}, "c": {"a", "b", "c"}, "duel": {"combat", "duel"}, "combat": {"combat", "duel"},
		"autre": {"autre"}, "personne": nil,
	} {
		q := changes.Query{Since: catalog.Cursor{Seq: 10}, Limit: 100, Filter: changes.Filter{Slugs: []string{slug}}}
		page, held := changes.FromSnapshot(s, q)
		var found []string
		for _, e := range page.Entries {
			found = append(found, e.Slug)
		}
		testkit.Equal(t, slug+", in memory", fmt.Sprint(held, found), fmt.Sprint(true, want))
		q.Since = catalog.Cursor{} // of which the snapshot has nothing
		_, err := reader.Read(t.Context(), changes.Asker{}, s, q)
		testkit.Must(t, err)
		slugs := slices.Sorted(slices.Values(database.filter.Slugs))
		if want == nil {
			want = []string{slug}
		}
		testkit.Equal(t, slug+", in the database", slugs, want)
	}
}
