package export_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/catalogtest"
	"github.com/palmares-hq/palmares/internal/export"
	"github.com/palmares-hq/palmares/internal/testkit"
)

type served struct {
	atomic.Pointer[catalog.Snapshot]
}

func (s *served) Current() *catalog.Snapshot { return s.Load() }

// A file is made once in an edition however many ask, the one before is served meanwhile, and nothing is made that
// nobody asked for. A cache that was closed gives what it has.
func TestCache(t *testing.T) {
	t.Parallel()
	first := catalogtest.Fixture(t)
	second := catalogtest.Amend(first, func(c *catalog.Contents) { catalogtest.Find(c, "zebre").Name = "Zèbre neuf" })
	var now served
	now.Store(first)
	k := export.NewCache(&now, func(f export.File, err error) { t.Errorf("%s: %v", f.Name(), err) })
	tools := export.File{Table: "tools", Format: export.CSV}
	ask := func(f export.File) *export.Artifact {
		made, err := k.Get(context.Background(), f)
		testkit.Must(t, err)
		return made
	}
	if k.Peek(tools) != nil {
		t.Error("a file was made before it was asked for")
	}
	var all sync.WaitGroup
	for range 50 {
		for _, f := range export.Files()[:6] {
			all.Go(func() { testkit.Equal(t, "edition", ask(f).Edition.Number, first.Edition().Number) })
		}
	}
	all.Wait()
	testkit.Equal(t, "made", k.Stats().Made, int64(6))
	now.Store(second)
	testkit.Equal(t, "the edition that is served meanwhile", ask(tools).Edition.ID, first.Edition().ID)
	testkit.EventuallyTrue(t, "the next edition", func() bool { return ask(tools).Edition.ID == second.Edition().ID })
	testkit.Equal(t, "made", k.Stats().Made, int64(7))
	// A backup is restored, and something else is published: what was made before leads nowhere.
	other := catalogtest.First(second.Contents(), catalogtest.Edition(second.Edition().Number+1))
	now.Store(other)
	testkit.Equal(t, "the edition after a restore", ask(tools).Edition.ID, other.Edition().ID)
	now.Store(second)
	testkit.Equal(t, "and back", ask(tools).Edition.ID, second.Edition().ID)
	testkit.Must(t, k.Close())
	testkit.Equal(t, "once closed", ask(tools).Edition.ID, second.Edition().ID)
	if _, err := k.Get(context.Background(), export.File{Table: "categories", Format: export.CSV}); err == nil {
		t.Error("a closed cache makes files")
	}
	gone, cancel := context.WithCancel(context.Background())
	cancel()
	fresh := export.NewCache(&now, func(export.File, error) {})
	if _, err := fresh.Get(gone, tools); err != nil && !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	testkit.Must(t, fresh.Close())
}

// numbered is an edition of that many tools, of a catalog without a log: each follows from any other.
func numbered(edition int64, tools int) *catalog.Snapshot {
	return catalog.Empty().Apply(catalogtest.Whole(catalogtest.Generated(tools), catalogtest.Edition(edition)))
}

// All files together take 64 MB: what was asked for longest ago goes first, and is made again when it is asked for.
func TestCache_ForgetsTheOldest(t *testing.T) {
	t.Parallel()
	var now served
	now.Store(numbered(1, 2000))
	k := export.NewCache(&now, func(f export.File, err error) { t.Errorf("%s: %v", f.Name(), err) })
	defer k.Close()
	jsonl, csv, french := export.File{Table: "tools", Format: export.JSONL}, export.File{Table: "tools", Format: export.CSV}, export.File{Table: "tools", Format: export.French}
	small, all := export.File{Table: "categories", Format: export.CSV}, 0
	for _, f := range []export.File{jsonl, csv, french, small} {
		made, err := export.Make(f, now.Load(), nil, nil)
		testkit.Must(t, err)
		all += len(made.Gzip)
	}
	testkit.Equal(t, "bytes that are kept", k.Within(all-1), 64<<20)
	for i, step := range []struct {
		ask  export.File
		kept []export.File
		made int64
	}{
		{jsonl, []export.File{jsonl}, 1},
		{small, []export.File{jsonl, small}, 2},
		{csv, []export.File{jsonl, small, csv}, 3},
		{jsonl, []export.File{jsonl, small, csv}, 3},
		{french, []export.File{jsonl, csv, french}, 4}, // the small one was asked for longest ago, and is enough
		{small, []export.File{jsonl, french, small}, 5},
		{jsonl, []export.File{jsonl, french, small}, 5},
		{csv, []export.File{jsonl, small, csv}, 6}, // made again
	} {
		_, err := k.Get(t.Context(), step.ask)
		testkit.Must(t, err)
		bytes := 0
		for _, f := range []export.File{jsonl, csv, french, small} {
			made := k.Peek(f)
			if (made != nil) != slices.Contains(step.kept, f) {
				t.Errorf("step %d: %s is kept: %t", i, f.Name(), made != nil)
			}
			if made != nil {
				bytes += len(made.Gzip)
			}
		}
		stats := k.Stats()
		testkit.Equal(t, fmt.Sprintf("step %d: made, files, bytes", i), fmt.Sprint(stats.Made, stats.Files, stats.Bytes), fmt.Sprint(step.made, len(step.kept), bytes))
	}
}

// A slow catalog lets a test stop somebody who looks at it, with what they saw.
type slow struct {
	served
	stop atomic.Bool   // the next to look
	seen chan struct{} // somebody has looked
	open chan struct{} // they may go on
}

func newSlow(s *catalog.Snapshot) *slow {
	c := &slow{seen: make(chan struct{}), open: make(chan struct{})}
	c.Store(s)
	return c
}

func (c *slow) Current() *catalog.Snapshot {
	s := c.Load()
	if c.stop.CompareAndSwap(true, false) {
		c.seen <- struct{}{}
		<-c.open
	}
	return s
}

// A request that saw the edition before, and was slow, does not drop the file of the one that is served.
func TestCache_LateRequest(t *testing.T) {
	t.Parallel()
	first := catalogtest.Fixture(t)
	second := catalogtest.Amend(first, func(c *catalog.Contents) { catalogtest.Find(c, "zebre").Name = "Zèbre neuf" })
	now := newSlow(first)
	k := export.NewCache(now, func(f export.File, err error) { t.Errorf("%s: %v", f.Name(), err) })
	defer k.Close()
	tools := export.File{Table: "tools", Format: export.CSV}
	get := func() *export.Artifact {
		made, err := k.Get(t.Context(), tools)
		testkit.Must(t, err)
		return made
	}
	get()
	now.stop.Store(true)
	var late sync.WaitGroup
	late.Go(func() { get() })
	<-now.seen
	now.Store(second)
	if !k.Locked() { // others get in between
		testkit.EventuallyTrue(t, "the second edition", func() bool { return get().Edition.ID == second.Edition().ID })
	}
	close(now.open)
	late.Wait()
	testkit.EventuallyTrue(t, "the second edition at last", func() bool { return get().Edition.ID == second.Edition().ID })
	testkit.Equal(t, "files made, one an edition", k.Stats().Made, int64(2))
}

// A file that was asked for before all others, and made after, stays: somebody waits for it.
func TestCache_KeepsWhatItHasMade(t *testing.T) {
	t.Parallel()
	now := newSlow(numbered(1, 500))
	k := export.NewCache(now, func(f export.File, err error) { t.Errorf("%s: %v", f.Name(), err) })
	defer k.Close()
	last, other := export.File{Table: "tools", Format: export.JSONL}, export.File{Table: "tools", Format: export.CSV}
	get := func(f export.File) *export.Artifact {
		made, err := k.Get(t.Context(), f)
		testkit.Must(t, err)
		return made
	}
	both := 0
	for _, f := range []export.File{last, other} {
		made, err := export.Make(f, now.Load(), nil, nil)
		testkit.Must(t, err)
		both += len(made.Gzip)
	}
	k.Within(both - 1) // either alone
	get(other)
	var waits sync.WaitGroup
	now.stop.Store(true)
	waits.Go(func() { get(last) })
	<-now.seen // the request
	now.stop.Store(true)
	now.open <- struct{}{}
	<-now.seen // whoever makes the file
	get(other)
	close(now.open)
	waits.Wait()
	testkit.Equal(t, "the file is kept", k.Peek(last) != nil, true)
	testkit.Equal(t, "the other is kept", k.Peek(other) != nil, false)
}

// A file that cannot be made is reported once in an edition; whoever asks gets the one before, if there is any. It is
// tried again with the next edition.
func TestCache_TriesAgain(t *testing.T) {
	t.Parallel()
	const most = 40 << 10
	var now served
	now.Store(numbered(1, 4000)) // more than is kept
	var failed testkit.Log
	k := export.NewCache(&now, func(f export.File, err error) { fmt.Fprintln(&failed, f.Name(), err) })
	defer k.Close()
	k.Within(most)
	tools := export.File{Table: "tools", Format: export.CSV}
	for range 3 {
		if made, err := k.Get(t.Context(), tools); err == nil {
			t.Errorf("a file of %d bytes was made", len(made.Gzip))
		}
	}
	for i, step := range []struct {
		next   *catalog.Snapshot
		served int64
	}{{numbered(2, 20), 2}, {numbered(3, 4001), 2}, {numbered(4, 21), 4}} {
		now.Store(step.next)
		testkit.EventuallyTrue(t, fmt.Sprintf("edition %d of the file", step.served), func() bool {
			made, err := k.Get(t.Context(), tools)
			stats := k.Stats()
			return err == nil && made.Edition.Number == step.served && stats.Made+stats.Failed == int64(i)+2
		})
	}
	for range 3 {
		_, err := k.Get(t.Context(), tools)
		testkit.Must(t, err)
	}
	const report = "tools.csv compressed, it is larger than the 40960 bytes for all files\n"
	testkit.Equal(t, "reports", failed.String(), report+report)
	testkit.Equal(t, "made and failed", [2]int64{k.Stats().Made, k.Stats().Failed}, [2]int64{2, 2})
}

// BenchmarkTools100k measures what it costs to make the largest file.
func BenchmarkTools100k(b *testing.B) {
	s := catalogtest.First(catalogtest.Generated(100_000), catalogtest.Edition(1))
	for _, f := range []export.File{{Table: "tools", Format: export.JSONL}, {Table: "tools", Format: export.French}} {
		b.Run(f.Name(), func(b *testing.B) {
			before := worked(b)
			for b.Loop() {
				made, err := export.Make(f, s, nil, nil)
				testkit.Must(b, err)
				b.ReportMetric(float64(len(made.Gzip)), "gzip-bytes")
				b.ReportMetric(float64(made.Size), "bytes")
			}
			b.ReportMetric((worked(b)-before).Seconds()/float64(b.N), "cpu-s/op")
		})
	}
}

// worked is how long this process has used processors.
func worked(b *testing.B) time.Duration {
	b.Helper()
	var u syscall.Rusage
	testkit.Must(b, syscall.Getrusage(syscall.RUSAGE_SELF, &u))
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
