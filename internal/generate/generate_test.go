package generate_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/generate"
)

func options(tools int, seed uint64) generate.Options {
	return generate.Options{Tools: tools, Comparisons: generate.Default, Retired: generate.Default, Seed: seed}
}

// write makes a catalog in a directory of its own.
func write(t testing.TB, o generate.Options) (string, generate.Summary) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "catalog")
	sum, err := generate.Write(t.Context(), dir, o)
	if err != nil {
		t.Fatal(err)
	}
	return dir, sum
}

// hashes gives the digest of every file by its path.
func hashes(t testing.TB, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		sum := sha256.Sum256(data)
		name, err := filepath.Rel(dir, path)
		all[name] = hex.EncodeToString(sum[:])
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// differing lists the files that are not the same in both, or in one only.
func differing(a, b map[string]string) []string {
	var names []string
	for name := range a {
		if a[name] != b[name] {
			names = append(names, name)
		}
	}
	for name := range b {
		if _, ok := a[name]; !ok {
			names = append(names, name)
		}
	}
	return names
}

func TestWriteIsReproducible(t *testing.T) { //nolint:paralleltest // it sets the number of processors
	processors := runtime.GOMAXPROCS(1)
	alone, _ := write(t, options(400, 7))
	runtime.GOMAXPROCS(8)
	many, _ := write(t, options(400, 7))
	runtime.GOMAXPROCS(processors)

	want := hashes(t, alone)
	if diff := differing(want, hashes(t, many)); len(diff) > 0 {
		t.Errorf("%d files differ between 1 and 8 processors: %v", len(diff), diff[:min(5, len(diff))])
	}
	other, _ := write(t, options(400, 8))
	if diff := differing(want, hashes(t, other)); len(diff) < len(want) {
		t.Errorf("only %d files differ between two seeds", len(diff))
	}
}

func TestWriteCounts(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		options              generate.Options
		comparisons, retired int
	}{
		"defaults":       {options(200, 1), 100, 40},
		"given":          {generate.Options{Tools: 30, Comparisons: 7, Retired: 9, Seed: 1}, 7, 9},
		"tools alone":    {generate.Options{Tools: 30, Seed: 1}, 0, 0},
		"one tool":       {options(1, 1), 0, 0},
		"more than luck": {generate.Options{Tools: 40, Comparisons: 400, Seed: 3}, 400, 0},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir, sum := write(t, test.options)
			want := map[string]int{"tools": test.options.Tools, "comparatifs": test.comparisons, "cimetiere": test.retired}
			for sub, n := range want {
				if got := len(slugs(t, dir, sub)); got != n {
					t.Errorf("%s holds %d files, want %d", sub, got, n)
				}
			}
			if sum.Tools != test.options.Tools || sum.Comparisons != test.comparisons || sum.Retired != test.retired {
				t.Errorf("wrong summary: %+v", sum)
			}
			if files := len(hashes(t, dir)); sum.Files != files {
				t.Errorf("summary says %d files, found %d", sum.Files, files)
			}
		})
	}
}

// slugs lists the files of a directory without .md, and without those in English.
func slugs(t testing.TB, dir, sub string) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(filepath.Join(dir, sub))
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if !strings.HasSuffix(e.Name(), catalog.EnglishPage) {
			names = append(names, strings.TrimSuffix(e.Name(), ".md"))
		}
	}
	return names
}

func TestSlugsAreValidAndApart(t *testing.T) {
	t.Parallel()
	dir, _ := write(t, options(800, 11))
	living := map[string]bool{}
	for _, slug := range slugs(t, dir, "tools") {
		living[slug] = true
		if !catalog.ValidSlug(slug) {
			t.Errorf("tool %q: not a slug", slug)
		}
	}
	for _, slug := range slugs(t, dir, "cimetiere") {
		if !catalog.ValidSlug(slug) {
			t.Errorf("retired tool %q: not a slug", slug)
		}
		if living[slug] {
			t.Errorf("%q is both living and retired", slug)
		}
	}
	for _, slug := range slugs(t, dir, "comparatifs") {
		a, b, _ := strings.Cut(slug, "-vs-")
		if !catalog.ValidSlug(slug) || !living[a] || !living[b] || a == b {
			t.Errorf("comparison %q is not of two living tools", slug)
		}
	}
}

func TestWriteRefuses(t *testing.T) {
	t.Parallel()
	t.Run("a directory in use", func(t *testing.T) {
		t.Parallel()
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "notes.txt"), nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := generate.Write(t.Context(), dir, options(5, 1)); !errors.Is(err, generate.ErrNotEmpty) {
			t.Errorf("got %v, want ErrNotEmpty", err)
		}
		if got := len(hashes(t, dir)); got != 1 {
			t.Errorf("%d files after a refusal", got)
		}
	})
	t.Run("a file", func(t *testing.T) {
		t.Parallel()
		path := filepath.Join(t.TempDir(), "file")
		if err := os.WriteFile(path, []byte("x"), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := generate.Write(t.Context(), path, options(5, 1)); err == nil {
			t.Error("a file was taken for a directory")
		}
	})
	for name, o := range map[string]generate.Options{
		"no tools":     {},
		"no such pair": {Tools: 4, Comparisons: 7},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := filepath.Join(t.TempDir(), "catalog")
			if _, err := generate.Write(t.Context(), dir, o); err == nil {
				t.Error("no error")
			}
			if _, err := os.Stat(dir); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("something was written: %v", err)
			}
		})
	}
}

func TestWriteFillsAnEmptyDirectory(t *testing.T) {
	t.Parallel()
	if _, err := generate.Write(t.Context(), t.TempDir(), options(3, 1)); err != nil {
		t.Error(err)
	}
}

func TestWriteCutShortLeavesNoCatalog(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	o := options(500, 1)
	o.Progress = func(done, _ int) {
		if done > 100 {
			cancel()
		}
	}
	dir := t.TempDir()
	if _, err := generate.Write(ctx, dir, o); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want context.Canceled", err)
	}
	if _, err := os.Stat(filepath.Join(dir, "catalog.yaml")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("catalog.yaml: %v", err)
	}
}

func TestProgressGrowsToTheTotal(t *testing.T) {
	t.Parallel()
	last, of := 0, 0
	o := options(300, 1)
	o.Progress = func(done, total int) {
		if done <= last {
			t.Errorf("progress went from %d to %d", last, done)
		}
		last, of = done, total
	}
	_, sum := write(t, o)
	if last != sum.Files || of != sum.Files {
		t.Errorf("progress ended at %d of %d, want %d", last, of, sum.Files)
	}
}

// The catalogs are left for TempDir to remove at the end: ext4 is slow to give out
// inodes freed a moment ago, and that would be all one measures.
func BenchmarkWrite1000(b *testing.B) {
	for b.Loop() {
		dir := filepath.Join(b.TempDir(), "catalog")
		sum, err := generate.Write(b.Context(), dir, options(1000, 1))
		if err != nil {
			b.Fatal(err)
		}
		b.SetBytes(sum.Bytes)
	}
}
