package content_test

import (
	"flag"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/palmares-hq/palmares/internal/content"
)

var update = flag.Bool("update", false, "rewrite the wanted messages of the fixtures")

// wantFile is the part of a fixture that holds the exact messages.
const wantFile = "want"

// layFixture writes the files of a fixture over those of testdata/base. A name that
// ends in .quoted holds a Go string literal, for bytes that no editor would keep;
// the file named remove lists files of the base to leave out.
func layFixture(t *testing.T, a archive) (dir, want string) {
	t.Helper()
	dir = t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(filepath.Join("testdata", "base"))); err != nil {
		t.Fatal(err)
	}
	for _, f := range a.files {
		switch f.name {
		case wantFile:
			want = f.data
		case "remove":
			for name := range strings.FieldsSeq(f.data) {
				if err := os.Remove(filepath.Join(dir, name)); err != nil {
					t.Fatal(err)
				}
			}
		default:
			name, data := unquoteFile(t, f)
			path := filepath.Join(dir, filepath.FromSlash(name))
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, data, 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	return dir, want
}

func unquoteFile(t *testing.T, f archiveFile) (name string, data []byte) {
	t.Helper()
	name, isQuoted := strings.CutSuffix(f.name, ".quoted")
	if !isQuoted {
		return f.name, []byte(f.data)
	}
	s, err := strconv.Unquote(strings.TrimSpace(f.data))
	if err != nil {
		t.Fatalf("%s: %v", f.name, err)
	}
	return name, []byte(s)
}

func fixtures(t *testing.T, folder string) []string {
	t.Helper()
	paths, err := fs.Glob(os.DirFS("testdata"), folder+"/*.txtar")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no fixture in %s: %v", folder, err)
	}
	for i, p := range paths {
		paths[i] = filepath.Join("testdata", filepath.FromSlash(p))
	}
	return paths
}

func messages(r content.Result) string {
	var b strings.Builder
	for _, f := range r.Faults {
		b.WriteString(f.String())
		b.WriteByte('\n')
	}
	return b.String()
}

func TestInvalid(t *testing.T) {
	t.Parallel()
	for _, path := range fixtures(t, "invalid") {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txtar"), func(t *testing.T) {
			t.Parallel()
			a := readArchive(t, path)
			if !strings.HasPrefix(a.comment, "# ") {
				t.Error("the fixture does not begin with a comment that says why it is invalid")
			}
			dir, want := layFixture(t, a)
			result, err := content.Load(t.Context(), dir, content.Options{})
			if err != nil {
				t.Fatal(err)
			}
			got := messages(result)
			if got == "" {
				t.Fatal("no fault found")
			}
			if *update {
				setWant(t, path, a, got)
				return
			}
			if got != want {
				t.Errorf("got:\n%swant:\n%s", got, want)
			}
		})
	}
}

func setWant(t *testing.T, path string, a archive, got string) {
	t.Helper()
	for i := range a.files {
		if a.files[i].name == wantFile {
			a.files[i].data = got
		}
	}
	if err := os.WriteFile(path, []byte(a.String()), 0o600); err != nil {
		t.Fatal(err)
	}
}
