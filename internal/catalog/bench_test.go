package catalog_test

import (
	"runtime"
	"slices"
	"sync"
	"testing"
	"time"

	. "github.com/palmares-hq/palmares/internal/catalog"
	build "github.com/palmares-hq/palmares/internal/catalogtest"
)

// large is the catalog that every part must carry. As on a node, texts come with the embeddings set
// alone.
var large = sync.OnceValue(func() *Contents {
	c := build.First(build.Generated(100_000), build.Edition(1)).Contents()
	for _, t := range c.Tools {
		if !t.Embedded {
			t.Review.Sections = nil
		}
	}
	return c
})

var largeSnapshot = sync.OnceValue(func() *Snapshot { return Empty().Apply(build.Whole(large(), build.Edition(1))) })

func BenchmarkBuild100k(b *testing.B) {
	d := build.Whole(large(), build.Edition(1))
	b.ReportAllocs()
	for b.Loop() {
		Empty().Apply(d)
	}
}

func BenchmarkApply100(b *testing.B) {
	s := largeSnapshot()
	d := Delta{From: 1, Edition: build.Edition(2), Service: s.Service(), Categories: large().Categories}
	for i := range 100 {
		x := *large().Tools[i*997]
		x.Name, x.Score = x.Name+" 2", Hundredths(i*9)
		d.Tools = append(d.Tools, &x)
	}
	b.ReportAllocs()
	for b.Loop() {
		s.Apply(d)
	}
}

func BenchmarkDiff100k(b *testing.B) {
	current := large()
	next := *current
	next.Tools = append([]*Tool{build.Tool("nouveau")}, current.Tools...)
	next.Sort()
	b.ReportAllocs()
	for b.Loop() {
		if Diff(current, &next, "2026-05-01").Empty() {
			b.Fatal("nothing changed")
		}
	}
}

func BenchmarkRead100k(b *testing.B) {
	s, slug := largeSnapshot(), large().Tools[50_001].Slug
	page := Paging{7, 50}
	for name, read := range map[string]func(){
		"page":         func() { s.ToolsJSON(ToolQuery{Paging: page}).Document() },
		"filtered":     func() { s.Tools(ToolQuery{Paging: page, ObsolescenceMax: AtMost(5)}) },
		"rank":         func() { s.Rank(slug) },
		"alternatives": func() { s.Alternatives(slug) },
		"comparisons":  func() { s.ComparisonsOf(slug) },
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				read()
			}
		})
	}
}

// withHistories returns the large catalog with ten intervals of every tool: a life, six prices and three scores.
func withHistories() Delta {
	d := largeSnapshot().Whole()
	for i, t := range d.Tools {
		on := func(n int) Date { return DateOf(time.Date(2024, 1, 1+i%60+n*70, 0, 0, 0, 0, time.UTC)) }
		rows := []HistoryRow{{Field: LifeHistory, Day: on(0)}}
		for n := range 6 {
			rows = append(rows, HistoryRow{Field: PriceHistory, Day: on(n), Pricing: Paid, Price: Price{Cents: int64(900 + 100*n + i%7*10), Period: "mois"}.String()})
		}
		for n := range 3 {
			rows = append(rows, HistoryRow{Field: ScoreHistory, Day: on(2 * n), Score: Hundredths(600 + 10*n)})
		}
		d.Histories = append(d.Histories, ToolHistory{t.Slug, NewHistory(rows)})
	}
	return d
}

// What histories take of a node's memory, for each tool.
func BenchmarkHistoryBytes100k(b *testing.B) {
	heap := func() uint64 {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	for b.Loop() {
		without := largeSnapshot()
		before := heap()
		d := withHistories()
		s := without.Apply(Delta{
			From: 1, Edition: build.Edition(2), Service: d.Service, Categories: d.Categories, Histories: d.Histories,
		})
		d = Delta{} //nolint:wastedassign // so that the collector takes it
		kept := heap()
		s.DayJSON(DayQuery{Day: "2025-01-01", Paging: Paging{1, 50}})
		b.ReportMetric(float64(kept-before)/100_000, "B/tool")
		b.ReportMetric(float64(heap()-kept)/100_000, "B/tool-once-asked")
		runtime.KeepAlive(s)
	}
}

// The tools of a day, from the first page to the last, with the slowest of a hundred questions.
func BenchmarkDay100k(b *testing.B) {
	s := Empty().Apply(withHistories())
	first := time.Now()
	s.DayJSON(DayQuery{Day: "2025-01-01", Paging: Paging{1, 50}})
	b.ReportMetric(float64(time.Since(first).Microseconds())/1000, "ms-first")
	var took []time.Duration
	n := 0
	for b.Loop() {
		n++
		start := time.Now()
		s.DayJSON(DayQuery{Day: DateOf(time.Date(2024, 1, 1+n%700, 0, 0, 0, 0, time.UTC)), Paging: Paging{1 + n%400, 200}}).Document()
		took = append(took, time.Since(start))
	}
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)*99/100].Microseconds())/1000, "ms-p99")
}
