package web

import (
	"bytes"
	stdgzip "compress/gzip"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/klauspost/compress/zstd"
)

func TestAccepted_Best(t *testing.T) {
	t.Parallel()
	tests := []struct {
		header string
		want   Encoding
	}{
		{"", Identity},
		{"gzip", Gzip},
		{"GZip", Gzip},
		{"x-gzip", Gzip},
		{"zstd", Zstd},
		{"gzip, deflate, br, zstd", Zstd},
		{"zstd, gzip", Zstd},
		{"gzip, deflate, br", Gzip},
		{"br", Identity},
		{"gzip;q=1.0, zstd;q=0.9", Gzip},
		{"gzip;q=0.5, zstd;q=0.5", Zstd},
		{"gzip;q=0.001", Gzip},
		{"gzip;q=0", Identity},
		{"gzip;q=0.000", Identity},
		{"gzip;q=0, zstd", Zstd},
		{"identity", Identity},
		{"identity, gzip", Gzip},
		{"identity, gzip;q=0.5", Identity},
		{"identity;q=0.5, gzip;q=0.5", Gzip},
		{"identity;q=0", Identity},
		{"identity;q=0, gzip;q=0.1", Gzip},
		{"*", Zstd},
		{"*;q=0", Identity},
		{"*;q=0, gzip", Gzip},
		{"gzip, *;q=0.5", Gzip},
		{"gzip;q=0.2, *;q=0.5", Zstd},
		{"zstd;q=0, *", Gzip},
		{"zstd;q=0, gzip;q=0.5, *;q=0.8", Identity},
		{"zstd;q=0, gzip;q=0, *", Identity},
		{" gzip ; q=0.8 ,\tzstd ;\tq=0.7 ", Gzip},
		{"gzip;Q=0.8", Gzip},
		{",,gzip,,", Gzip},

		{"gzip;q=", Identity},
		{"gzip;q", Identity},
		{"gzip;", Identity},
		{"gzip;q=2", Identity},
		{"gzip;q=1.5", Identity},
		{"gzip;q=-1", Identity},
		{"gzip;q=.5", Identity},
		{"gzip;q=0.1234", Identity},
		{"gzip;q=0.5x", Identity},
		{"gzip;q=NaN", Identity},
		{"gzip;level=9", Identity},
		{"gzip;q=1;q=0", Identity},
		{"gzip q=1", Identity},
		{"gzipped", Identity},
		{"gzip;q=bad, zstd;q=0.1", Zstd},
		{strings.Repeat("br;q=0.5,", 10_000) + "gzip", Gzip},
		{strings.Repeat(",", 100_000), Identity},
		{"\x00gzip", Identity},
	}
	for _, tt := range tests {
		if got := ParseAccepted([]string{tt.header}).Best(); got != tt.want {
			t.Errorf("%.60q: got %v, want %v", tt.header, got, tt.want)
		}
	}
}

func FuzzParseAccepted(f *testing.F) {
	f.Add("gzip;q=0.5, *")
	f.Add(`"a", W/"b"`)
	f.Fuzz(func(t *testing.T, s string) {
		if e := ParseAccepted([]string{s}).Best(); e > Zstd {
			t.Errorf("no such encoding: %d", e)
		}
		if strings.Trim(s, " \t") != "*" && MatchETag([]string{s}, "\x00") {
			t.Error("matches what no tag can be")
		}
	})
}

// sampleList is about 24 KB of JSON, like a page of 50 tools.
func sampleList() []byte {
	var b bytes.Buffer
	for i := range 50 {
		fmt.Fprintf(&b, `{"slug":"tool-%d","name":"Tool %d","domain":"tool%d.example","category":"code","score":%d.%d,`+
			`"tagline":"%s"},`, i, i*7, i, i%10, i%7, strings.Repeat("essai ", 60+i%5))
	}
	return b.Bytes()
}

func decompress(t *testing.T, e Encoding, body []byte) []byte {
	t.Helper()
	var r io.Reader = bytes.NewReader(body)
	switch e {
	case Gzip:
		g, err := stdgzip.NewReader(r)
		if err != nil {
			t.Fatal(err)
		}
		r = g
	case Zstd:
		z, err := zstd.NewReader(r, zstd.WithDecoderConcurrency(1))
		if err != nil {
			t.Fatal(err)
		}
		defer z.Close()
		r = z
	case Identity:
	}
	plain, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return plain
}

func TestCompress(t *testing.T) {
	t.Parallel()
	list := sampleList()
	bodies := [][]byte{list, {}, []byte("x"), bytes.Repeat(list, 100), list[:466]}
	for _, e := range Encodings() {
		var running sync.WaitGroup
		for range 4 {
			running.Go(func() {
				for i, body := range slices.Concat(bodies, bodies) {
					packed := Compress(e, Level(i%2), body)
					if !bytes.Equal(decompress(t, e, packed), body) {
						t.Errorf("%v: %d bytes do not survive", e, len(body))
					}
					if e != Identity && len(body) > 1000 && len(packed) > len(body)/3 {
						t.Errorf("%v: %d bytes become %d", e, len(body), len(packed))
					}
				}
			})
		}
		running.Wait()
	}
}

// What Compress returned must not change when its compressor is used again.
func TestCompressOwnsItsBytes(t *testing.T) {
	t.Parallel()
	for _, e := range []Encoding{Gzip, Zstd} {
		first := Compress(e, Fast, []byte("the first body"))
		for range 20 {
			Compress(e, Fast, sampleList())
		}
		if got := decompress(t, e, first); string(got) != "the first body" {
			t.Errorf("%v: it became %q", e, got)
		}
	}
}

func TestETag(t *testing.T) {
	t.Parallel()
	bodies := map[string][]byte{} // by tag
	for _, e := range Encodings() {
		for _, l := range []Level{Usual, Fast} {
			tag := e.ETag("ab", l)
			body := Compress(e, l, sampleList())
			if other, ok := bodies[tag]; ok && !bytes.Equal(other, body) {
				t.Errorf("%v at level %v: other bytes have the tag %s too", e, l, tag)
			}
			bodies[tag] = body
			if !MatchETag([]string{tag}, tag) {
				t.Errorf("%v: its own tag does not match", e)
			}
		}
	}
	for _, tag := range []string{`"ab"`, `"ab-gzip"`, `"ab-gzip-fast"`, `"ab-zstd"`} { // as caches hold them
		if bodies[tag] == nil {
			t.Errorf("nothing has the tag %s", tag)
		}
	}
}

func TestMatchETag(t *testing.T) {
	t.Parallel()
	tests := []struct {
		lines []string
		want  bool
	}{
		{nil, false},
		{[]string{""}, false},
		{[]string{`"abc"`}, true},
		{[]string{`W/"abc"`}, true},
		{[]string{`W/"abc-gzip"`}, false},
		{[]string{`"abc-zstd"`}, false},
		{[]string{`"abc-br"`}, false},
		{[]string{`"abc-gzip-gzip"`}, false},
		{[]string{`"abcd"`}, false},
		{[]string{`"ab"`}, false},
		{[]string{`"ABC"`}, false},
		{[]string{`*`}, false}, // it names none
		{[]string{`"*"`}, false},
		{[]string{`*, "x"`}, false},
		{[]string{`"x", *`}, false},
		{[]string{`"x"`, `*`}, false},
		{[]string{`"x", "y" ,W/"abc"`}, true},
		{[]string{`"x"`, `"abc"`}, true},
		{[]string{`,, "x",,"abc",`}, true},
		{[]string{`"x,y","abc"`}, true},
		{[]string{`"x,abc"`}, false},
		{[]string{`"", "abc"`}, true},
		{[]string{"\"x\"\t,\t\"abc\""}, true},
		{[]string{"\"\xe9\", \"abc\""}, true},

		{[]string{`abc`}, false},
		{[]string{`'abc'`}, false},
		{[]string{`w/"abc"`}, false},
		{[]string{`W/abc`}, false},
		{[]string{`W/`}, false},
		{[]string{`W/W/"abc"`}, false},
		{[]string{`"abc`}, false},
		{[]string{`abc"`}, false},
		{[]string{`"`}, false},
		{[]string{`"x" "abc"`}, false},
		{[]string{`"abc"garbage`}, false},
		{[]string{`"x y", "abc"`}, false},
		{[]string{"\"x\x00\", \"abc\""}, false},
		{[]string{`garbage`, `"abc"`}, true},
		{[]string{strings.Repeat(`"`, 100_000)}, false},
		{[]string{strings.Repeat(`"x",`, 100_000) + `"abc"`}, true},
	}
	for _, tt := range tests {
		if got := MatchETag(tt.lines, `"abc"`); got != tt.want {
			t.Errorf("%.60q: got %v", tt.lines, got)
		}
	}
	for _, tt := range []struct {
		lines []string
		want  bool
	}{
		{[]string{`*`}, true},
		{[]string{" *\t"}, true},
		{nil, false},
		{[]string{``}, false},
		{[]string{`"*"`}, false},
		{[]string{`W/*`}, false},
		{[]string{`*, "x"`}, false},
		{[]string{`"x", *`}, false},
		{[]string{`"x"`, `*`}, false},
		{[]string{`*`, `*`}, false},
	} {
		if got := MatchAnyETag(tt.lines); got != tt.want {
			t.Errorf("%q matches anything: got %v", tt.lines, got)
		}
	}
	if MatchETag([]string{`""`, `"-gzip"`}, "") {
		t.Error("a tag matches where there is none")
	}
}
