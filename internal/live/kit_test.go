package live

import (
	"context"
	"flag"
	"fmt"
	"log/slog"
	"os"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"go.uber.org/goleak"

	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/catalogtest"
	"github.com/palmares-hq/palmares/internal/postgres"
	"github.com/palmares-hq/palmares/internal/testkit"
)

// The long form of the suite does everything as often as the figures in its
// assertions were meant for:
//
//	go test -race -run Editions -v ./internal/live -long
//
// PALMARES_LONG=1 does the same.
var (
	long   = flag.Bool("long", os.Getenv("PALMARES_LONG") == "1", "run the long form of the tests")
	tools  = flag.Int("tools", 10_000, "how many tools the large catalog of the tests has")
	update = flag.Bool("update", false, "rewrite the golden files")
)

func TestMain(m *testing.M) {
	if path := os.Getenv(copyWriterVariable); path != "" {
		writeCopiesForever(path)
	}
	flag.Parse()
	set := map[string]bool{}
	flag.Visit(func(f *flag.Flag) { set[f.Name] = true })
	if !set["test.parallel"] {
		flag.Set("test.parallel", "8")
	}
	goleak.VerifyTestMain(m)
}

// large is the catalog of 10,000 tools that tests share; nobody changes it.
var large = sync.OnceValue(func() *catalog.Contents { return catalogtest.Generated(*tools) })

// reviewed makes a catalog of n tools that all have a review.
func reviewed(n int) *catalog.Contents {
	c := catalogtest.Generated(n)
	for i, t := range c.Tools {
		catalogtest.Reviewed("Un texte sans balises.")(t)
		catalogtest.Written(catalogtest.Markdown(i))(t)
	}
	return c
}

// snapshot shows the contents as the edition of that number.
func snapshot(c *catalog.Contents, number int64, id string) *catalog.Snapshot {
	e := catalog.Edition{Number: number, ID: id, PublishedAt: time.Date(2026, 3, 4, 5, 6, 7, 8000, time.UTC)}
	return catalogtest.First(c, e)
}

// wantWhole wants snapshots to hold the same. catalogtest.WantSame also compares every answer that
// they give, which takes too long for a large catalog.
func wantWhole(tb testing.TB, want *catalog.Snapshot, snapshots ...*catalog.Snapshot) {
	tb.Helper()
	for i, s := range snapshots {
		if !reflect.DeepEqual(s.Whole(), want.Whole()) {
			tb.Fatalf("snapshot %d of edition %d does not hold what it should", i, s.Edition().Number)
		}
	}
}

// publish commits what edit makes of the published state.
func publish(tb testing.TB, db *postgres.DB, edit func(*catalog.Contents)) catalog.Edition {
	tb.Helper()
	ctx, cancel := context.WithTimeout(tb.Context(), 10*time.Minute)
	defer cancel()
	e, err := db.Catalog.Publish(ctx, time.Now, func(_ context.Context, current *catalog.Contents, _ catalog.Edition, _ catalog.Past) (catalog.Changes, error) {
		next := *current
		next.Categories, next.Tools = slices.Clone(current.Categories), slices.Clone(current.Tools)
		next.Comparisons, next.Retired = slices.Clone(current.Comparisons), slices.Clone(current.Retired)
		edit(&next)
		return catalog.Diff(current, &next, catalog.DateOf(time.Now())), nil
	})
	if err != nil {
		tb.Fatal(err)
	}
	return e
}

// put is the edit that publishes c as it is.
func put(c *catalog.Contents) func(*catalog.Contents) {
	return func(next *catalog.Contents) { *next = *c }
}

// tagline is the edit that gives one tool a new tagline.
func tagline(i int, text string) func(*catalog.Contents) {
	return func(next *catalog.Contents) {
		t := *next.Tools[i]
		t.Tagline = text
		next.Tools[i] = &t
	}
}

// read is what a new node would read of the database.
func read(tb testing.TB, db *postgres.DB) *catalog.Snapshot {
	tb.Helper()
	ctx, cancel := context.WithTimeout(tb.Context(), 10*time.Minute)
	defer cancel()
	feed, err := db.Catalog.Feed(ctx)
	if err != nil {
		tb.Fatal(err)
	}
	defer feed.Close()
	d, err := feed.Since(ctx, catalog.Edition{})
	if err != nil {
		tb.Fatal(err)
	}
	return catalog.Empty().Apply(d)
}

// A runningNode is a node that runs until the test ends, or until stop.
type runningNode struct {
	*Catalog
	stop func() // ends it and waits for the end

	mu    sync.Mutex
	swaps []seen
}

// seen is a swap and when it was over.
type seen struct {
	Swap
	at time.Time
}

func run(tb testing.TB, o Options) *runningNode {
	tb.Helper()
	n := &runningNode{}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	o.Swapped = func(s Swap) {
		n.mu.Lock()
		defer n.mu.Unlock()
		n.swaps = append(n.swaps, seen{s, time.Now()})
	}
	n.Catalog = New(o)
	ctx, cancel := context.WithCancel(context.Background())
	var wg sync.WaitGroup
	wg.Go(func() { n.Run(ctx) })
	n.stop = func() { cancel(); wg.Wait() }
	tb.Cleanup(n.stop)
	return n
}

func (n *runningNode) seen() []seen {
	n.mu.Lock()
	defer n.mu.Unlock()
	return append([]seen(nil), n.swaps...)
}

// last is the latest swap.
func (n *runningNode) last(tb testing.TB) Swap {
	tb.Helper()
	s := n.seen()
	if len(s) == 0 {
		tb.Fatal("the node has not swapped anything in")
	}
	return s[len(s)-1].Swap
}

func (n *runningNode) wantEdition(tb testing.TB, e catalog.Edition) {
	tb.Helper()
	testkit.Eventually(tb, func() error {
		if got := n.Current().Edition(); got.Number != e.Number || got.ID != e.ID {
			return fmt.Errorf("the node serves edition %d %s, want %d %s", got.Number, got.ID, e.Number, e.ID)
		}
		// The edition is served a little before the swap is told of.
		if s := n.seen(); len(s) > 0 && s[len(s)-1].Edition.ID != e.ID {
			return fmt.Errorf("the last swap was to %d %s", s[len(s)-1].Edition.Number, s[len(s)-1].Edition.ID)
		}
		return nil
	})
}

// feedOf opens feeds of the database.
func feedOf(db *postgres.DB) func(context.Context) (Feed, error) {
	return func(ctx context.Context) (Feed, error) {
		feed, err := db.Catalog.Feed(ctx)
		if err != nil {
			return nil, err
		}
		return feed, nil
	}
}

// says wants an error whose text holds every part.
func says(err error, parts ...string) error {
	if err == nil {
		return fmt.Errorf("no error, want one that says %q", parts)
	}
	for _, p := range parts {
		if !strings.Contains(err.Error(), p) {
			return fmt.Errorf("%q does not say %q", err, p) //nolint:errorlint // quoted
		}
	}
	return nil
}

// nowhere is a database that is not there: nothing listens on the port of discard.
func nowhere(tb testing.TB) func(context.Context) (Feed, error) {
	tb.Helper()
	db, err := postgres.Open(tb.Context(), "postgres://postgres@127.0.0.1:9/postgres?sslmode=disable", postgres.Options{})
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(db.Close)
	return feedOf(db)
}

func open(tb testing.TB, url string) *postgres.DB {
	tb.Helper()
	db, err := postgres.Open(tb.Context(), url, postgres.Options{})
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(db.Close)
	return db
}

// execute runs statements on a connection of their own.
func execute(url string, statements ...string) error {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Minute)
	defer cancel()
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		return fmt.Errorf("connecting: %w", err)
	}
	defer conn.Close(ctx)
	for _, s := range statements {
		if _, err := conn.Exec(ctx, s); err != nil {
			return fmt.Errorf("%s: %w", s, err)
		}
	}
	return nil
}
