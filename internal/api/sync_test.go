package api_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/palmares-hq/palmares/internal/api"
	"github.com/palmares-hq/palmares/internal/catalog"
)

// A syncer is one of the programs of docs/embeddings.md, beside a server whose
// requests are counted.
type syncer struct {
	command  []string
	dir      string
	url      string
	requests atomic.Int64 // all of them
	changed  atomic.Int64 // those that were not answered 304
}

func newSyncer(t *testing.T, program string, s *shelf) *syncer {
	t.Helper()
	language, tool, file := "bash", "bash", "sync.sh"
	needs := []string{"bash", "curl", "jq"}
	if program == "python" {
		language, tool, file, needs = "python", "python3", "sync.py", []string{"python3"}
	}
	for _, name := range needs {
		if _, err := exec.LookPath(name); err != nil {
			if os.Getenv("CI") == "true" {
				t.Fatal(err)
			}
			t.Skip(err)
		}
	}
	page, err := os.ReadFile("../../docs/embeddings.md")
	if err != nil {
		t.Fatal(err)
	}
	m := regexp.MustCompile("(?s)\n```" + language + "\n(.*?)\n```\n").FindSubmatch(page)
	if m == nil {
		t.Fatalf("docs/embeddings.md has no program in %s", language)
	}
	x := &syncer{command: []string{tool, file}, dir: t.TempDir()}
	if err := os.WriteFile(filepath.Join(x.dir, file), append(m[1], '\n'), 0o600); err != nil {
		t.Fatal(err)
	}
	h := handler(t, api.Options{Catalog: s, Callers: anyKey, Meter: localMeter(t)})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		answer := httptest.NewRecorder()
		h.ServeHTTP(answer, r)
		x.requests.Add(1)
		if answer.Code != http.StatusNotModified {
			x.changed.Add(1)
		}
		for name, values := range answer.Header() {
			w.Header()[name] = values
		}
		w.WriteHeader(answer.Code)
		_, _ = w.Write(answer.Body.Bytes())
	}))
	t.Cleanup(server.Close)
	x.url = server.URL
	return x
}

// run runs the program once. It gives what was said, sorted, and how many requests
// it took: all of them, and those not answered 304.
func (x *syncer) run(t *testing.T) (said []string, requests, changed int) {
	t.Helper()
	x.requests.Store(0)
	x.changed.Store(0)
	cmd := exec.CommandContext(t.Context(), x.command[0], x.command[1:]...)
	cmd.Dir = x.dir
	cmd.Env = append(os.Environ(), "BASE="+x.url, "KEY=good")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	for line := range strings.Lines(string(out)) {
		said = append(said, strings.TrimSpace(line))
	}
	slices.Sort(said)
	return said, int(x.requests.Load()), int(x.changed.Load())
}

// The programs of docs/embeddings.md keep vectors in step, and ask for no more than
// the list and each tool on it.
func TestSync_FollowsTheSet(t *testing.T) {
	t.Parallel()
	first := fixture(t)
	set := catalog.EmbeddingsSet(first.Contents().Tools)
	var all []string
	for _, tool := range set {
		all = append(all, fmt.Sprintf("embed   %s: %d chunks", tool.Slug, len(tool.Review.Sections)))
	}
	slices.Sort(all)
	edited := amend(first, func(n *catalog.Contents) {
		o := tool(n, "oeuvre")
		sections := slices.Clone(o.Review.Sections)
		sections[0].Text += " Encore."
		o.Review = catalog.NewReview(o.Name, sections)
		tool(n, "ame").Verifiability = catalog.Hundredths(1)
		retire(n, "guillemets")
	})
	for _, program := range []string{"bash", "python"} {
		t.Run(program, func(t *testing.T) {
			t.Parallel()
			sh := shelve(first)
			x := newSyncer(t, program, sh)
			for _, step := range []struct {
				name              string
				snapshot          *catalog.Snapshot
				said              []string
				requests, changed int
			}{
				{"the first run", first, all, len(set) + 1, len(set) + 1},
				{"nothing changed", first, nil, len(set) + 1, 0},
				{
					"a text, a measure, a retirement", edited,
					[]string{
						fmt.Sprintf("embed   oeuvre: %d chunks", len(tool(first.Contents(), "oeuvre").Review.Sections)),
						"forget  guillemets", "update  ame: metadata only",
					},
					len(set), 3,
				},
				{"nothing changed again", edited, nil, len(set), 0},
			} {
				sh.Store(step.snapshot)
				said, requests, changed := x.run(t)
				if !slices.Equal(said, step.said) || requests != step.requests || changed != step.changed {
					t.Errorf("%s: %d requests, %d of them not 304, want %d and %d; said\n%q, want\n%q",
						step.name, requests, changed, step.requests, step.changed, said, step.said)
				}
			}
			files, err := filepath.Glob(filepath.Join(x.dir, "chunks", "*.json"))
			if err != nil || len(files) != len(set)-1 {
				t.Errorf("%d files of chunks, want %d: %v", len(files), len(set)-1, err)
			}
		})
	}
}

// On a catalog of any size a run is 301 requests at most: a Developer key does it at
// once.
func TestSync_FitsInAQuota(t *testing.T) {
	t.Parallel()
	x := newSyncer(t, "python", shelve(catalog.Empty().Apply(catalog.Diff(&catalog.Contents{}, many(100_000), firstDay).Delta(firstEdition))))
	said, requests, _ := x.run(t)
	if len(said) != catalog.EmbeddingsSize || requests != catalog.EmbeddingsSize+1 {
		t.Errorf("%d tools in %d requests", len(said), requests)
	}
}
