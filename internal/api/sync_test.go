package api_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/palmares-hq/palmares/docs/guides"
	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/catalogtest"
	"github.com/palmares-hq/palmares/internal/site/guide"
	"github.com/palmares-hq/palmares/internal/testkit"
)

// docProgram writes a program of an English guide into a directory. Its command is the first of what it needs.
func docProgram(t *testing.T, name, file string, needs ...string) (dir string, command []string) {
	t.Helper()
	for _, name := range needs {
		if _, err := exec.LookPath(name); err != nil {
			if os.Getenv("CI") == "true" {
				t.Fatal(err)
			}
			t.Skip(err)
		}
	}
	page, err := guides.Files.ReadFile("en/" + name + ".md")
	testkit.Must(t, err)
	samples, err := guide.Samples(string(page))
	testkit.Must(t, err)
	at := slices.IndexFunc(samples, func(s guide.Sample) bool { return s.File == file })
	if at < 0 {
		t.Fatalf("the guide has no %s", file)
	}
	dir = t.TempDir()
	testkit.Must(t, os.WriteFile(filepath.Join(dir, file), []byte(samples[at].Text), 0o600))
	return dir, []string{needs[0], file}
}

// The programs of the guides keep vectors in step, and ask for no more than the list and
// each tool on it: at most 301 requests, which a Developer key may make at once.
func TestDocs_EmbeddingsPrograms(t *testing.T) {
	t.Parallel()
	first := catalogtest.Fixture(t)
	edited := amend(t, func(n *catalog.Contents) {
		o := catalogtest.Find(n, "oeuvre")
		sections := slices.Clone(o.Review.Sections)
		sections[0].Text += " Encore."
		o.Review = catalog.NewReview(o.Name, sections)
		catalogtest.Find(n, "ame").Verifiability = catalog.Hundredths(1)
		catalogtest.Retire(n, "guillemets")
	})
	large := catalogtest.First(catalogtest.Generated(10_000), catalogtest.FixtureEdition())
	embed := func(s *catalog.Snapshot, slugs ...string) (lines []string) {
		for _, tool := range catalog.EmbeddingsSet(s.Contents().Tools) {
			if len(slugs) == 0 || slices.Contains(slugs, tool.Slug) {
				n := len(tool.Review.Sections)
				lines = append(lines, fmt.Sprintf("embed   %s: %d chunks", tool.Slug, n))
			}
		}
		slices.Sort(lines)
		return lines
	}
	all := len(embed(first))
	changes := append(embed(edited, "oeuvre"), "forget  guillemets", "update  ame: metadata only")
	for file, needs := range map[string][]string{"sync.sh": {"bash", "curl", "jq"}, "sync.py": {"python3"}} {
		t.Run(file, func(t *testing.T) {
			t.Parallel()
			c := newClient(t)
			key := c.sign(account.Developer)
			var requests atomic.Int64
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				requests.Add(1)
				c.handler.ServeHTTP(w, r)
			}))
			t.Cleanup(server.Close)
			dir, command := docProgram(t, "synchronisation", file, needs...)
			run := func(s *catalog.Snapshot, says []string, asks, costs int) {
				t.Helper()
				c.edition.Store(s)
				requests.Store(0)
				cmd := exec.CommandContext(t.Context(), command[0], command[1:]...)
				cmd.Dir, cmd.Env = dir, append(os.Environ(), "BASE="+server.URL, "KEY="+key.key.Reveal())
				testkit.Equal(t, "cost", c.cost(&key, func() {
					out, err := cmd.CombinedOutput()
					lines := strings.FieldsFunc(string(out), func(r rune) bool { return r == '\n' })
					slices.Sort(lines)
					if err != nil || !slices.Equal(lines, says) {
						t.Errorf("said %q, want %q: %v", lines, says, err)
					}
				}), costs)
				testkit.Equal(t, "requests", int(requests.Load()), asks)
			}
			run(first, embed(first), all+1, all+1)
			run(first, nil, all+1, 0)
			run(edited, changes, all, 3)
			run(edited, nil, all, 0)
			files, err := filepath.Glob(filepath.Join(dir, "chunks", "*.json"))
			if err != nil || len(files) != all-1 {
				t.Errorf("%d files of chunks, want %d: %v", len(files), all-1, err)
			}
			if dir, command = docProgram(t, "synchronisation", file, needs...); file == "sync.py" { // the other takes long
				run(large, embed(large), catalog.EmbeddingsSize+1, catalog.EmbeddingsSize+1)
			}
		})
	}
}
