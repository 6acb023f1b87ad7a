package catalog

import (
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
)

// large is the catalog that every part must carry: 100,000 tools and 50,000
// comparisons. Texts come with the embeddings set alone, as on a node.
var large = sync.OnceValue(func() *Contents {
	const tools, comparisons = 100_000, 50_000
	random := rand.New(rand.NewPCG(1, 1))
	c := &Contents{Service: testService()}
	for i := range 40 {
		c.Categories = append(c.Categories, Category{fmt.Sprint("categorie-", i), fmt.Sprint("Catégorie ", i)})
	}
	for i := range tools {
		x := tool(fmt.Sprintf("outil-%06d", i), named(fmt.Sprintf("Échafaude %x", random.Uint32())), in(c.Categories[random.IntN(40)].Slug))
		x.Tagline = "De la phrase à l'application en ligne, garde-fous compris"
		x.Score, x.Obsolescence = Hundredths(1+random.IntN(1000)), Hundredths(random.IntN(1001))
		x.Review.Hash = "sha256-" + fmt.Sprintf("%064x", i)
		if i < EmbeddingsSize {
			reviewed("Un texte.", "Un autre texte.", "Un dernier.")(x)
			x.Embedded = true
		}
		c.Tools = append(c.Tools, x)
	}
	for i := range comparisons {
		a, b := c.Tools[random.IntN(tools)].Slug, c.Tools[random.IntN(tools)].Slug
		c.Comparisons = append(c.Comparisons, comparison(fmt.Sprintf("match-%06d", i), a, b))
	}
	return c
})

var largeSnapshot = sync.OnceValue(func() *Snapshot { return Empty().Apply(whole(large(), testEdition(1))) })

func BenchmarkBuild100k(b *testing.B) {
	d := whole(large(), testEdition(1))
	b.ReportAllocs()
	for b.Loop() {
		Empty().Apply(d)
	}
}

func BenchmarkApply100(b *testing.B) {
	s := largeSnapshot()
	d := Delta{From: 1, Edition: testEdition(2), Service: s.service, Categories: s.categories}
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
	next.Tools = append([]*Tool{tool("nouveau")}, current.Tools...)
	next.Sort()
	b.ReportAllocs()
	for b.Loop() {
		if Diff(current, &next, "2026-05-01").Empty() {
			b.Fatal("nothing changed")
		}
	}
}

func BenchmarkListPage(b *testing.B) {
	s := largeSnapshot()
	b.ReportAllocs()
	for b.Loop() {
		s.Tools(ToolQuery{Paging: Paging{7, 50}}).Document()
	}
}

func BenchmarkFilteredList(b *testing.B) {
	s, top := largeSnapshot(), AtMost(5)
	b.ReportAllocs()
	for b.Loop() {
		s.Tools(ToolQuery{Paging: Paging{7, 50}, ObsolescenceMax: top})
	}
}
