package catalog_test

import (
	"sync"
	"testing"

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
