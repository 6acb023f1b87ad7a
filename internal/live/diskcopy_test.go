package live

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"runtime/metrics"
	"strings"
	"testing"

	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/catalogtest"
	"github.com/palmares-hq/palmares/internal/testkit"
)

func TestCopyRoundTrip(t *testing.T) {
	t.Parallel()
	for name, s := range map[string]*catalog.Snapshot{
		"small":   snapshot(catalogtest.Generated(60), 7, "seven"),
		"large":   snapshot(large(), 8, "eight"),
		"nothing": snapshot(&catalog.Contents{}, 9, "nine"),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "copy")
			if err := WriteCopy(path, s); err != nil {
				t.Fatal(err)
			}
			got, err := ReadCopy(path)
			if err != nil {
				t.Fatal(err)
			}
			wantWhole(t, s, got)
			wantFiles(t, path)
		})
	}
}

// wantFiles wants nothing in the directory of the copy but the copy.
func wantFiles(tb testing.TB, path string) {
	tb.Helper()
	files, err := os.ReadDir(filepath.Dir(path))
	if err != nil {
		tb.Fatal(err)
	}
	if len(files) != 1 || files[0].Name() != filepath.Base(path) {
		tb.Errorf("beside the copy there is more, or it is not there: %v", files)
	}
}

// A node that starts from a copy of its database's edition fetches nothing of that
// edition again. So a field that the copy lacks because an older version wrote it
// stays empty until the item changes: whoever adds one must make the copy one of
// another format, by a new magic line.
func TestCopyFormatIsPinned(t *testing.T) {
	t.Parallel()
	var shape strings.Builder
	shape.WriteString(magic)
	describe(&shape, reflect.TypeFor[catalog.Delta](), "")
	const golden = "testdata/copy-format.golden"
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	line, before, _ := strings.Cut(string(want), "\n")
	_, now, _ := strings.Cut(shape.String(), "\n")
	switch {
	case now != before && line+"\n" == magic: // -update does not help
		t.Errorf("a copy does not hold the same as before:\n%s\nRaise the number in magic, in internal/live/diskcopy.go, "+
			"or nodes serve older copies without it. Then run the test with -update.", changedLines(before, now))
	case shape.String() == string(want):
	case *update:
		if err := os.WriteFile(golden, []byte(shape.String()), 0o600); err != nil {
			t.Fatal(err)
		}
	default:
		t.Errorf("%s is not that of %q: run the test with -update", golden, strings.TrimSpace(magic))
	}
}

// changedLines are the lines that only one of the texts has.
func changedLines(before, now string) string {
	var list []string
	for _, side := range []struct{ sign, of, other string }{{"- ", before, now}, {"+ ", now, before}} {
		count := map[string]int{}
		for line := range strings.Lines(side.other) {
			count[line]++
		}
		for line := range strings.Lines(side.of) {
			if count[line]--; count[line] < 0 {
				list = append(list, side.sign+strings.TrimRight(line, "\n"))
			}
		}
	}
	return strings.Join(list, "\n")
}

func describe(w io.Writer, t reflect.Type, indent string) {
	for _, f := range reflect.VisibleFields(t) {
		fmt.Fprintf(w, "%s%s %v\n", indent, f.Name, f.Type)
		of := f.Type
		for of.Kind() == reflect.Pointer || of.Kind() == reflect.Slice {
			of = of.Elem()
		}
		if of.Kind() == reflect.Struct && strings.HasSuffix(of.PkgPath(), "internal/catalog") {
			describe(w, of, indent+"  ")
		}
	}
}

func TestNoCopyIsNotCorrupt(t *testing.T) {
	t.Parallel()
	_, err := ReadCopy(filepath.Join(t.TempDir(), "copy"))
	if !errors.Is(err, fs.ErrNotExist) || errors.Is(err, ErrCorrupt) {
		t.Errorf("%v, want that it does not exist", err)
	}
}

// Whatever single byte flips and wherever the copy is cut, it is refused.
func TestEveryDamageIsSeen(t *testing.T) {
	t.Parallel()
	whole := encoded(t, snapshot(catalogtest.Generated(3), 1, "one"))
	refuse := func(what string, at int, b []byte) {
		t.Helper()
		if _, err := decode(bytes.NewReader(b), int64(len(b))); err == nil {
			t.Errorf("%s at byte %d of %d is not noticed", what, at, len(whole))
		}
	}
	for i := range whole {
		b := bytes.Clone(whole)
		b[i] ^= 1 << (i % 8)
		refuse("a flip", i, b)
		refuse("a cut", i, whole[:i])
	}
	refuse("a byte more", len(whole), append(bytes.Clone(whole), 0))
	if _, err := decode(bytes.NewReader(whole), int64(len(whole))); err != nil {
		t.Errorf("the copy as it was: %v", err)
	}
	// A file that shrinks while it is read.
	if _, err := decode(bytes.NewReader(whole[:len(whole)/2]), int64(len(whole))); err == nil {
		t.Error("a file that ends before its size is not noticed")
	}
}

func encoded(tb testing.TB, s *catalog.Snapshot) []byte {
	tb.Helper()
	var b bytes.Buffer
	if err := encode(&b, s.Whole(), nil); err != nil {
		tb.Fatal(err)
	}
	return b.Bytes()
}

// A copy leaves little to the garbage collector, whose work readers would feel with each edition: less
// than twice its size. With an encoder for each part it was six times that.
func TestCopy_LeavesLittleGarbage(t *testing.T) { //nolint:paralleltest // others would be counted
	if testkit.Raced {
		t.Skip("it counts what is allocated")
	}
	s := snapshot(catalogtest.Generated(20_000), 1, "one")
	whole := s.Whole()
	size := uint64(len(encoded(t, s)))
	before := allocated()
	if err := encode(io.Discard, whole, nil); err != nil {
		t.Fatal(err)
	}
	if got := allocated() - before; got > 2*size {
		t.Errorf("writing a copy of %d bytes took %d bytes of memory", size, got)
	}
}

// FuzzDecode feeds decode with hostile bytes, as a file and as the payload of a
// file whose frame is right: no panic, and no more memory than the input explains.
//
//	go test -run '^$' -fuzz FuzzDecode -fuzzminimizetime 1x ./internal/live
func FuzzDecode(f *testing.F) {
	whole := encoded(f, snapshot(catalogtest.Generated(3), 1, "one"))
	f.Add([]byte{})
	f.Add([]byte(magic))
	f.Add(whole)
	f.Add(whole[len(magic) : len(whole)-sha256.Size])
	f.Add(withSum([]byte(magic)))
	f.Add([]byte{0xf8, 0x7f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff}) // a gob message of 2⁶³ bytes
	f.Fuzz(func(t *testing.T, b []byte) {
		before := allocated()
		for _, file := range [][]byte{b, withSum(append([]byte(magic), b...))} {
			d, err := decode(bytes.NewReader(file), int64(len(file)))
			if err != nil {
				continue
			}
			var again bytes.Buffer
			if err := encode(&again, d, nil); err != nil {
				t.Errorf("what was decoded cannot be encoded: %v", err)
			}
		}
		// Slices that announce much and hold little are made by steps of 10 MB.
		if got, most := allocated()-before, uint64(128<<20+4096*len(b)); got > most {
			t.Errorf("decoding %d bytes took %d bytes of memory", len(b), got)
		}
	})
}

func allocated() uint64 {
	sample := []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}
