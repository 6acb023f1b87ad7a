package catalog_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/catalogtest"
	"github.com/palmares-hq/palmares/internal/testkit"
)

// reviews makes n texts that have phrases in common.
func reviews(n int) (texts []string) {
	for i := range n {
		texts = append(texts, catalogtest.Markdown(i))
	}
	return texts
}

func train(tb testing.TB, number int, samples []string) catalog.Dictionary {
	tb.Helper()
	d, err := catalog.TrainDictionary(number, len(samples), samples)
	if err != nil {
		tb.Fatal(err)
	}
	return d
}

func compress(tb testing.TB, d catalog.Dictionary, texts ...string) (frames [][]byte) {
	tb.Helper()
	c, err := catalog.NewCompressor(d)
	if err != nil {
		tb.Fatal(err)
	}
	for _, text := range texts {
		frame, err := c.Compress(text)
		if err != nil {
			tb.Fatal(err)
		}
		frames = append(frames, frame)
	}
	return frames
}

func TestADictionaryMakesReviewsSmaller(t *testing.T) {
	t.Parallel()
	texts := reviews(700)
	d := train(t, 1, texts[:600])
	if again := train(t, 1, texts[:600]); !bytes.Equal(d.Content, again.Content) {
		t.Error("the same samples made two dictionaries")
	}
	if len(d.Content) > catalog.MaxDictionary {
		t.Errorf("the dictionary has %d bytes", len(d.Content))
	}
	size := func(frames [][]byte) (n int) { return len(bytes.Join(frames, nil)) }
	plain, short := size(compress(t, catalog.Dictionary{}, texts[600:]...)), size(compress(t, d, texts[600:]...))
	if short > plain/2 {
		t.Errorf("%d bytes with the dictionary, %d without", short, plain)
	}
}

// A catalog has reviews of every dictionary that it ever had, and some of none.
func TestReviewsOfEveryDictionaryAreRead(t *testing.T) {
	t.Parallel()
	texts := reviews(1000)
	first, second := train(t, 1, texts[:500]), train(t, 2, texts[500:])
	dictionaries := []catalog.Dictionary{first, second}
	text := texts[0]
	for _, d := range append(dictionaries, catalog.Dictionary{}) {
		frame := compress(t, d, text)[0]
		if got, err := catalog.NewDecompressor(dictionaries).Decompress(frame); got != text || err != nil {
			t.Errorf("of dictionary %d: %q, %v", d.Number, got, err)
		}
	}

	misnamed, torn, huge := second, second, second
	misnamed.Number = 3
	torn.Content = second.Content[:40]
	x, err := zstd.InspectDictionary(second.Content)
	if err != nil {
		t.Fatal(err)
	}
	// Offsets count from the end: with more before it, the dictionary would still do.
	huge.Content = slices.Insert(slices.Clone(second.Content), len(second.Content)-x.ContentSize(), make([]byte, catalog.MaxDictionary)...)
	old, recent := compress(t, first, text)[0], compress(t, second, text)[0]
	for name, d := range map[string]catalog.Dictionary{"misnamed": misnamed, "torn": torn, "huge": huge, "no": {}} {
		x := catalog.NewDecompressor([]catalog.Dictionary{first, d})
		if got, err := x.Decompress(recent); err == nil {
			t.Errorf("with a %s dictionary a review is read as %q", name, got)
		}
		if got, err := x.Decompress(old); got != text || err != nil {
			t.Errorf("with a %s dictionary another review is read as %q, %v", name, got, err)
		}
	}

	// Another dictionary of the same number: nothing is better than a wrong text.
	other := catalog.NewDecompressor([]catalog.Dictionary{train(t, 1, texts[500:])})
	for _, frame := range compress(t, first, texts...) {
		if got, err := other.Decompress(frame); err == nil {
			t.Fatalf("another dictionary reads %q", got)
		}
	}
}

func TestWhenADictionaryIsDue(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		reviews, trainedFor int
		want                bool
	}{
		{0, 0, false},
		{499, 0, false},
		{500, 0, true},
		{100_000, 0, true},
		{500, 500, false},
		{1999, 500, false},
		{2000, 500, true},
		{100, 500, false},
		{100_000, 32_000, false},
	} {
		if got := catalog.DictionaryDue(c.reviews, c.trainedFor); got != c.want {
			t.Errorf("for %d reviews after one for %d: %v", c.reviews, c.trainedFor, got)
		}
	}
}

// Whatever the samples are, there is either a dictionary that works or an error.
func TestOddSamples(t *testing.T) {
	t.Parallel()
	many := func(text func(i int) string) (texts []string) {
		for i := range testkit.Size(150, 600) {
			texts = append(texts, text(i))
		}
		return texts
	}
	noise := rand.NewChaCha8([32]byte{1})
	for name, samples := range map[string][]string{
		"none":           nil,
		"one":            reviews(1),
		"two":            reviews(2),
		"empty":          many(func(int) string { return "" }),
		"short":          many(func(i int) string { return fmt.Sprint(i % 10) }),
		"alike":          many(func(int) string { return reviews(1)[0] }),
		"one letter":     many(func(int) string { return strings.Repeat("a", 1000) }),
		"of few letters": many(func(i int) string { return strings.Repeat("ABCDABCDABCDABCD", 1+i%7) }),
		"numbers":        many(func(i int) string { return fmt.Sprint("Avis ", i, ".") }),
		"noise":          many(func(int) string { b := make([]byte, 300); noise.Read(b); return string(b) }),
		"large":          many(func(int) string { return strings.Join(reviews(testkit.Size(60, 200)), "") })[:40],
	} {
		if testkit.Raced && len(samples) > 2 {
			continue
		}
		d, err := catalog.TrainDictionary(1, len(samples), samples)
		if err != nil {
			t.Logf("%s: %v", name, err)
			continue
		}
		text := reviews(5)[4]
		frame := compress(t, d, text)[0] // which reads it again
		t.Logf("%s: a dictionary of %d bytes, a review of %d", name, len(d.Content), len(frame))
	}
}

func TestDecompressingIsBounded(t *testing.T) {
	t.Parallel()
	x := catalog.NewDecompressor(nil)
	largest := strings.Repeat("é", catalog.MaxMarkdown/2)
	frame := compress(t, catalog.Dictionary{}, largest)[0]
	if got, err := x.Decompress(frame); got != largest || err != nil {
		t.Errorf("the largest text is read as %d bytes, %v", len(got), err)
	}
	encoder, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	frame = encoder.EncodeAll([]byte(largest+"!"), nil)
	if got, err := x.Decompress(frame); err == nil {
		t.Errorf("a text of %d bytes is read", len(got))
	}
	noise := make([]byte, catalog.MaxMarkdown)
	rand.NewChaCha8([32]byte{1}).Read(noise)
	if frame := compress(t, catalog.Dictionary{}, string(noise))[0]; len(frame) > catalog.MaxCompressed {
		t.Errorf("noise takes %d bytes", len(frame))
	}
}

// FuzzDecompress feeds hostile bytes: no panic, and no text above the bound.
//
//	go test -run '^$' -fuzz FuzzDecompress ./internal/catalog
func FuzzDecompress(f *testing.F) {
	texts := reviews(600)
	d := train(f, 1, texts)
	x := catalog.NewDecompressor([]catalog.Dictionary{d})
	f.Add([]byte{})
	f.Add(compress(f, d, texts[0])[0])
	f.Add(compress(f, catalog.Dictionary{}, texts[0])[0])
	f.Fuzz(func(t *testing.T, frame []byte) {
		if text, err := x.Decompress(frame); err == nil && len(text) > catalog.MaxMarkdown {
			t.Errorf("%d bytes became %d", len(frame), len(text))
		}
	})
}
