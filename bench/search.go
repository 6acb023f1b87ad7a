package main

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"time"
	"unsafe"

	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/generate"
	"github.com/palmares-hq/palmares/internal/search"
)

func searchCommand(flags *flag.FlagSet) func(context.Context) {
	tools := flags.Int("tools", 100_000, "how many tools")
	return func(ctx context.Context) { measureSearch(ctx, *tools) }
}

// measureSearch measures the search index on invented tools: how long it takes to build and to apply a delta, how
// much memory it uses, how long ordinary and hostile queries take, and how many names are found in spite of a typo.
// Times are CPU time of the measuring thread, so other load on the machine does not count.
func measureSearch(ctx context.Context, tools int) {
	runtime.LockOSThread()
	contents := must(generate.Contents(ctx, generate.Options{Tools: tools, Seed: 7}))
	b := &searched{tools: contents.Tools, random: rand.New(rand.NewPCG(7, 7))} //nolint:gosec // the same each time
	for _, c := range contents.Categories {
		b.groups = append(b.groups, c.SearchGroup())
	}
	slices.SortStableFunc(b.tools, func(x, y *catalog.Tool) int { return int(y.Score.Hundredths) - int(x.Score.Hundredths) })
	fmt.Printf("%d tools, Go %s, %d processors\n", tools, runtime.Version()[2:], runtime.NumCPU())
	b.table = newTable("what", "measured", "at most")
	for _, measure := range []func(){b.build, b.delta, b.queries, b.hostile, b.slips} {
		check(ctx.Err())
		measure()
	}
}

// searched is an index that is measured.
type searched struct {
	*table

	tools     []*catalog.Tool // the best first
	groups    []search.Group
	random    *rand.Rand
	documents []search.Document
	index     *search.Index
	order     []uint32
}

func (b *searched) note(name, measured, bound string, over bool) {
	if over {
		measured += " (over)"
	}
	b.add(name, measured, bound)
}

func (b *searched) took(name string, d, most time.Duration) {
	b.note(name, d.Round(10*time.Microsecond).String(), most.String(), d > most)
}

// threadTime returns the CPU time that this thread has used.
func threadTime() time.Duration {
	const thread = 3 // CLOCK_THREAD_CPUTIME_ID
	var now syscall.Timespec
	if _, _, err := syscall.Syscall(syscall.SYS_CLOCK_GETTIME, thread, uintptr(unsafe.Pointer(&now)), 0); err != 0 { //nolint:gosec // the call fills it in
		panic(err)
	}
	return time.Duration(now.Nano())
}

func heap() int64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.GC()
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc) //nolint:gosec // no machine has more
}

func (b *searched) build() {
	added := make([]search.Change, len(b.tools))
	b.documents = make([]search.Document, len(b.tools))
	for i, t := range b.tools {
		b.documents[i] = t.SearchDocument()
		added[i].New = &b.documents[i]
	}
	before, start := heap(), threadTime()
	b.index, b.order = search.New().Apply(added, b.groups, func() {})
	took := threadTime() - start
	const most = 25_000_000
	size := heap() - before
	b.took("building the index", took, 6*time.Second)
	b.note("memory", fmt.Sprintf("%.1f MB", float64(size)/1e6), "25 MB", size > most)
}

// delta measures changing the name and the tagline of 100 tools.
func (b *searched) delta() {
	const tools, rounds = 100, 9
	var took []time.Duration
	for range rounds {
		var changed []search.Change
		for range tools {
			i, other := b.random.IntN(len(b.documents)), b.random.IntN(len(b.documents))
			d := b.documents[i]
			d.Names, d.Texts = []string{d.Names[0] + " bis"}, b.documents[other].Texts
			changed = append(changed, search.Change{ID: b.order[i], Old: &b.documents[i], New: &d})
		}
		slices.SortFunc(changed, func(x, y search.Change) int { return int(x.ID) - int(y.ID) })
		changed = slices.CompactFunc(changed, func(x, y search.Change) bool { return x.ID == y.ID })
		start := threadTime()
		b.index.Apply(changed, b.groups, func() {})
		took = append(took, threadTime()-start)
	}
	b.took("a delta of 100 tools, new names and taglines", percentile(took, 50), 20*time.Millisecond)
}

// find runs a query and returns its first results, limit at most.
func (b *searched) find(typed string, limit int) (places []int, took time.Duration) {
	start := threadTime()
	found := b.index.Search(search.Fold(typed), b.order)
	places, _ = found.Page(b.order, nil, 0, limit)
	found.Release()
	return places, threadTime() - start
}

func (b *searched) times(queries []string) []time.Duration {
	times := make([]time.Duration, len(queries))
	for i, q := range queries {
		_, times[i] = b.find(q, 50)
	}
	return times
}

// queries measures ordinary queries: names, words and pairs of words of taglines, and beginnings of names.
func (b *searched) queries() {
	var queries []string
	for range 500 {
		t := b.tools[b.random.IntN(len(b.tools))]
		words, name := strings.Fields(t.Tagline), []rune(t.Name)
		word := func() string { return words[b.random.IntN(len(words))] }
		queries = append(queries, t.Name, word(), word()+" "+word(), string(name[:min(3, len(name))]))
	}
	times := b.times(queries)
	b.took("a query, p50", percentile(times, 50), time.Millisecond)
	b.took("a query, p95", percentile(times, 95), 5*time.Millisecond)
}

// hostile measures queries designed to be expensive: common words and letters, many of them, and words similar
// to many names.
func (b *searched) hostile() {
	parts := []string{
		"a", "e", "s", "de", "pour", "un", "les", "al", "kal", "alb", "mor", "studio", "pro", "ia", "œ", "é", "l'", "1", "4x4", "zzzzzz", "albane",
		"morlune", "x.fr", "a.b.c.d.example", "ﷺ", "\u65e5\u672c", "-", "--", "e-e-e-e", "aaaaaaaaaaaaaaaaaaaa", "studi", "atelie", "exprss",
		"montage", "texte en image", "text to speech", "gratuit", "dessin", "données", "xylophone", "génerateur",
	}
	var queries []string
	for range 2000 {
		q := ""
		for most := 1 + b.random.IntN(100); ; {
			next := q + parts[b.random.IntN(len(parts))]
			if b.random.IntN(4) > 0 {
				next += " "
			}
			if len([]rune(next)) > most {
				break
			}
			q = next
		}
		queries = append(queries, q+"a")
	}
	times := b.times(queries)
	progress("the dearest hostile query: %q", queries[slices.Index(times, slices.Max(times))])
	b.took("a hostile query, p99", percentile(times, 99), 20*time.Millisecond)
	b.took("the worst of 2,000 hostile ones", percentile(times, 100), 20*time.Millisecond)
}

// slips makes a typo in each of many names, and counts how often the tool is among the first five results.
func (b *searched) slips() {
	const names, least = 2000, 97.0
	found := 0
	for range names {
		i := b.random.IntN(len(b.tools))
		places, _ := b.find(b.slip(b.tools[i].Name), 5)
		if slices.Contains(places, i) {
			found++
		}
	}
	share := 100 * float64(found) / names
	b.note("names with a slip among the first five", fmt.Sprintf("%.1f %%", share), "at least 97 %", share < least)
}

// slip returns a name with one letter left out, inserted, replaced, or swapped with the next.
func (b *searched) slip(name string) string {
	r := []rune(name)
	at, letter := b.random.IntN(len(r)), rune('a'+b.random.IntN(26)) //nolint:gosec // a letter
	switch b.random.IntN(4) {
	case 0:
		return string(slices.Delete(r, at, at+1))
	case 1:
		return string(slices.Insert(r, at, letter))
	case 2:
		r[at] = letter
	default:
		other := min(at+1, len(r)-1)
		r[at], r[other] = r[other], r[at]
	}
	return string(r)
}
