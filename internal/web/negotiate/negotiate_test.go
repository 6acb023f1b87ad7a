package negotiate

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
	for want, headers := range map[Encoding][]string{
		Zstd: {
			"zstd", "gzip, deflate, br, zstd", "zstd, gzip", "gzip;q=0.5, zstd;q=0.5", "gzip;q=0, zstd", "*",
			"gzip;q=0.2, *;q=0.5", "gzip;q=bad, zstd;q=0.1",
		},
		Gzip: {
			"gzip", "GZip", "x-gzip", "gzip, deflate, br", "gzip;q=1.0, zstd;q=0.9", "gzip;q=0.001", "identity, gzip",
			"identity;q=0.5, gzip;q=0.5", "identity;q=0, gzip;q=0.1", "*;q=0, gzip", "gzip, *;q=0.5", "zstd;q=0, *",
			" gzip ; q=0.8 ,\tzstd ;\tq=0.7 ", "gzip;Q=0.8", ",,gzip,,", strings.Repeat("br;q=0.5,", 10_000) + "gzip",
		},
		Identity: {
			"", "br", "gzip;q=0", "gzip;q=0.000", "identity", "identity, gzip;q=0.5", "identity;q=0", "*;q=0",
			"zstd;q=0, gzip;q=0.5, *;q=0.8", "zstd;q=0, gzip;q=0, *",
			// Malformed elements are ignored.
			"gzip;q=", "gzip;q", "gzip;", "gzip;q=2", "gzip;q=1.5", "gzip;q=-1", "gzip;q=.5", "gzip;q=0.1234", "gzip;q=0.5x",
			"gzip;q=NaN", "gzip;level=9", "gzip;q=1;q=0", "gzip q=1", "gzipped", strings.Repeat(",", 100_000), "\x00gzip",
		},
	} {
		for _, header := range headers {
			if got := ParseAccepted([]string{header}).Best(); got != want {
				t.Errorf("%.60q: got %v, want %v", header, got, want)
			}
		}
	}
}

func TestAccepted_Allows(t *testing.T) {
	t.Parallel()
	for header, want := range map[string][3]bool{ // identity, gzip, zstd
		"": {true, false, false}, "gzip": {true, true, false}, "*": {true, true, true}, "*;q=0, zstd": {false, false, true},
		"identity;q=0, gzip;q=0.1": {false, true, false}, "gzip;q=0": {true, false, false},
	} {
		a := ParseAccepted([]string{header})
		if got := [...]bool{a.Allows(Identity), a.Allows(Gzip), a.Allows(Zstd)}; got != want {
			t.Errorf("%q: got %v", header, got)
		}
	}
	if !(Accepted{}).Allows(Identity) || (Accepted{}).Allows(Gzip) {
		t.Error("a client that says nothing takes identity alone")
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

func decompress(e Encoding, body []byte) ([]byte, error) {
	switch e {
	case Gzip:
		r, err := stdgzip.NewReader(bytes.NewReader(body))
		if err != nil {
			return nil, fmt.Errorf("gzip: %w", err)
		}
		return io.ReadAll(r) //nolint:wrapcheck // for a test
	case Zstd:
		r, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1))
		if err != nil {
			return nil, fmt.Errorf("zstd: %w", err)
		}
		defer r.Close()
		return r.DecodeAll(body, nil) //nolint:wrapcheck // for a test
	default:
		return body, nil
	}
}

// What Compress returns is whole, small, and does not change when its compressor is used again.
func TestCompress(t *testing.T) {
	t.Parallel()
	list := sampleList()
	bodies := [][]byte{list, {}, []byte("x"), bytes.Repeat(list, 100), list[:466]}
	bodies = slices.Concat(bodies, bodies)
	for _, e := range []Encoding{Identity, Gzip, Zstd} {
		var running sync.WaitGroup
		for range 4 {
			running.Go(func() {
				packed := make([][]byte, len(bodies))
				for i, body := range bodies {
					packed[i] = Compress(e, Level(i%2), body)
				}
				for i, body := range bodies {
					if got, err := decompress(e, packed[i]); err != nil || !bytes.Equal(got, body) {
						t.Errorf("%v: %d bytes do not survive: %v", e, len(body), err)
					}
					if e != Identity && len(body) > 1000 && len(packed[i]) > len(body)/3 {
						t.Errorf("%v: %d bytes become %d", e, len(body), len(packed[i]))
					}
				}
			})
		}
		running.Wait()
	}
}

func TestETag(t *testing.T) {
	t.Parallel()
	bodies := map[string][]byte{} // by tag
	for _, e := range []Encoding{Identity, Gzip, Zstd} {
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
	for want, headers := range map[bool][]string{
		true: {
			`"abc"`, `W/"abc"`, `"x", "y" ,W/"abc"`, `,, "x",,"abc",`, `"x,y","abc"`, `"", "abc"`, "\"x\"\t,\t\"abc\"",
			"\"\xe9\", \"abc\"", strings.Repeat(`"x",`, 100_000) + `"abc"`,
		},
		false: {
			``, `W/"abc-gzip"`, `"abc-zstd"`, `"abc-br"`, `"abc-gzip-gzip"`, `"abcd"`, `"ab"`, `"ABC"`, `"x,abc"`,
			`*`, `"*"`, `*, "x"`, `"x", *`, // "*" names no tag
			`abc`, `'abc'`, `w/"abc"`, `W/abc`, `W/`, `W/W/"abc"`, `"abc`, `abc"`, `"`, `"x" "abc"`, `"abc"garbage`,
			`"x y", "abc"`, "\"x\x00\", \"abc\"", strings.Repeat(`"`, 100_000),
		},
	} {
		for _, header := range headers {
			if got := MatchETag([]string{header}, `"abc"`); got != want {
				t.Errorf("%.60q: got %v", header, got)
			}
			if got := MatchAnyETag([]string{header}); got != (header == `*`) {
				t.Errorf("%.60q matches anything: got %v", header, got)
			}
		}
	}
	for _, tt := range []struct {
		lines           []string
		match, matchAny bool
	}{
		{nil, false, false},
		{[]string{`"x"`, `"abc"`}, true, false},
		{[]string{`garbage`, `"abc"`}, true, false},
		{[]string{`"x"`, `*`}, false, false},
		{[]string{`*`, `*`}, false, false},
		{[]string{" *\t"}, false, true},
		{[]string{`W/*`}, false, false},
	} {
		if MatchETag(tt.lines, `"abc"`) != tt.match || MatchAnyETag(tt.lines) != tt.matchAny {
			t.Errorf("%q: not %v, %v", tt.lines, tt.match, tt.matchAny)
		}
	}
	if MatchETag([]string{`""`, `"-gzip"`}, "") {
		t.Error("a tag matches where there is none")
	}
}
