//go:build !race

package negotiate

import "testing"

func TestAllocations(t *testing.T) { //nolint:paralleltest // AllocsPerRun counts the whole process
	tags, accept := []string{`"other", W/"abc"`}, []string{"gzip, deflate;q=0.5, br, zstd"}
	got := testing.AllocsPerRun(1000, func() {
		if ParseAccepted(accept).Best() != Zstd || !MatchETag(tags, `"abc"`) {
			t.Error("wrong answer")
		}
	})
	if got != 0 {
		t.Errorf("%v allocations", got)
	}
}

func BenchmarkCompress(b *testing.B) {
	body := sampleList()
	for _, e := range []Encoding{Gzip, Zstd} {
		b.Run(e.String(), func(b *testing.B) {
			b.ReportAllocs()
			b.SetBytes(int64(len(body)))
			for b.Loop() {
				Compress(e, Usual, body)
			}
		})
	}
}
