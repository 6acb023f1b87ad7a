package content_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/content"
	"github.com/palmares-hq/palmares/internal/testkit"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func baseDir(t *testing.T) string {
	t.Helper()
	dir, _ := layFixture(t, archive{})
	return dir
}

func write(t *testing.T, dir, name, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func load(t *testing.T, dir string, o content.Options) content.Result {
	t.Helper()
	result, err := content.Load(t.Context(), dir, o)
	if err != nil {
		t.Fatal(err)
	}
	return result
}

func TestLoadBase(t *testing.T) {
	t.Parallel()
	result := load(t, filepath.Join("testdata", "base"), content.Options{})
	if got := messages(result); got != "" {
		t.Fatalf("unexpected faults:\n%s", got)
	}
	if result.Files != 7 || result.Decoded != 7 {
		t.Errorf("files %d, decoded %d, want 7 and 7", result.Files, result.Decoded)
	}
	c := result.Contents
	if c.Service.Credit() != "Source : Palmarès (https://palmares.example)" {
		t.Errorf("credit is %q", c.Service.Credit())
	}
	if c.Service.Site.Review != "https://palmares.example/avis/{slug}" {
		t.Errorf("review pattern is %q", c.Service.Site.Review)
	}
	if fmt.Sprint(c.Categories) != "[{code Code { } {[] []}} {image Image { } {[] []}} {agents Agents autonomes { } {[] []}}]" {
		t.Errorf("categories are %v", c.Categories)
	}
	var slugs []string
	for _, tool := range c.Tools {
		slugs = append(slugs, tool.Slug)
	}
	if strings.Join(slugs, " ") != "brume cobalt lumen" {
		t.Errorf("tools are %v, want them in slug order", slugs)
	}
	if c.Tools[0].Review.Exists() || !c.Tools[1].Review.Exists() {
		t.Error("brume has no review, cobalt has one")
	}
}

func TestLoadReusesWhatIsKnown(t *testing.T) {
	t.Parallel()
	dir := baseDir(t)
	first := load(t, dir, content.Options{}).Contents
	published := *first.Tools[2]
	published.Review.Sections = nil // as a database gives it
	published.UpdatedAt = "2025-01-01"
	known := &catalog.Contents{
		Tools:       []*catalog.Tool{first.Tools[0], first.Tools[1], &published},
		Comparisons: first.Comparisons,
		Retired:     first.Retired,
	}
	raw, err := os.ReadFile(filepath.Join(dir, "tools", "cobalt.md"))
	if err != nil {
		t.Fatal(err)
	}
	write(t, dir, "tools/cobalt.md", strings.Replace(string(raw), "score: 8.4", "score: 8.5", 1))

	second := load(t, dir, content.Options{Known: known})
	if second.Decoded != 3 { // cobalt and the two files at the top
		t.Errorf("decoded %d files, want 3", second.Decoded)
	}
	if second.Contents.Tools[2] != &published || second.Contents.Tools[0] != first.Tools[0] ||
		second.Contents.Comparisons[0] != first.Comparisons[0] || second.Contents.Retired[0] != first.Retired[0] {
		t.Error("an unchanged file did not give the known pointer")
	}
	if got := second.Contents.Tools[1].Score.String(); got != "8.5" {
		t.Errorf("score of the changed tool is %s, want 8.5", got)
	}
}

// English that comes, changes or goes has its item decoded again, with the sections that it is held to.
func TestLoadReadsEnglishAgain(t *testing.T) {
	t.Parallel()
	dir := baseDir(t)
	known := load(t, dir, content.Options{}).Contents
	for _, text := range []string{"A.\n\n## B\n\nC.\n", "A!\n\n## B\n\nC.\n", ""} {
		if write(t, dir, "tools/lumen.en.md", text); text == "" {
			testkit.Must(t, os.Remove(filepath.Join(dir, "tools/lumen.en.md")))
		}
		files := 2 // at the top
		for _, want := range []int{1 + len(text)/max(len(text), 1), 0} {
			r := load(t, dir, content.Options{Known: known})
			if got := r.Contents.Tools[2].English.Review.Markdown.Text; got != text || r.Decoded != files+want || r.HasErrors() {
				t.Errorf("%q: %q, decoded %d, want %d\n%s", text, got, r.Decoded, files+want, messages(r))
			}
			known = r.Contents
		}
	}
}

// A known item is not decoded, yet it is held against the other files, with the place.
func TestLoadCrossChecksWhatIsKnown(t *testing.T) {
	t.Parallel()
	dir := baseDir(t)
	known := load(t, dir, content.Options{}).Contents
	write(t, dir, "categories.yaml", "- slug: code\n  label: Code\n")
	if err := os.Remove(filepath.Join(dir, "tools", "cobalt.md")); err != nil {
		t.Fatal(err)
	}
	const want = `comparatifs/lumen-vs-cobalt.md:4:9: unknown tool "cobalt": there is no such file. Write the slug of a file in tools/
tools/brume.md:4:11: unknown category "image": it is not in the list. Add it to categories.yaml, or write one of its slugs
`
	if got := messages(load(t, dir, content.Options{Known: known})); got != want {
		t.Errorf("got:\n%swant:\n%s", got, want)
	}
}

func TestLoadRefusesLinksOut(t *testing.T) {
	t.Parallel()
	dir := baseDir(t)
	outside := filepath.Join(t.TempDir(), "essai.md")
	write(t, filepath.Dir(outside), "essai.md", "secret\n")
	for name, target := range map[string]string{
		"tools/dehors.md": outside,
		"tools/boucle.md": "boucle.md",
		"tools/copie.md":  "lumen.md", // inside: fine
		"tools/plus.md":   "../autres/plus.md",
	} {
		if err := os.Symlink(target, filepath.Join(dir, name)); err != nil {
			t.Skipf("no symbolic links here: %v", err)
		}
	}
	if err := os.Mkdir(filepath.Join(dir, "autres"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.CopyFS(filepath.Join(dir, "autres"), os.DirFS(filepath.Join(dir, "cimetiere"))); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(filepath.Join(dir, "tools", "cobalt.md"), filepath.Join(dir, "autres", "plus.md")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("../autres/plus.md", filepath.Join(dir, "tools", "cobalt.md")); err != nil {
		t.Fatal(err)
	}
	result := load(t, dir, content.Options{})
	var refused []string
	for _, f := range result.Faults {
		if f.Warning {
			continue // links make twins
		}
		if !strings.Contains(f.Message, "symbolic link") {
			t.Errorf("unexpected fault: %s", f)
		}
		refused = append(refused, f.File)
	}
	if got := strings.Join(refused, " "); got != "tools/boucle.md tools/dehors.md" {
		t.Errorf("refused %s, want the loop and the link out", got)
	}
	if len(result.Contents.Tools) != 5 {
		t.Errorf("%d tools, want 5", len(result.Contents.Tools))
	}
}

func TestLoadRefusesHugeFiles(t *testing.T) {
	t.Parallel()
	dir := baseDir(t)
	write(t, dir, "tools/enorme.md", "---\nname: x\n---\n"+strings.Repeat("mot ", 1<<18))
	const want = "tools/enorme.md:1:1: the file is larger than 1 MiB: shorten it\n"
	if got := messages(load(t, dir, content.Options{})); got != want {
		t.Errorf("got %s", got)
	}
}

func TestLoadCannotRead(t *testing.T) {
	t.Parallel()
	if _, err := content.Load(t.Context(), filepath.Join(t.TempDir(), "absent"), content.Options{}); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("got %v, want a missing directory", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := content.Load(ctx, filepath.Join("testdata", "base"), content.Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want a canceled context", err)
	}
}

func TestLoadEmptyDirectory(t *testing.T) {
	t.Parallel()
	const want = `catalog.yaml:1:1: the file is missing: create it; docs/content-format.md has an example
categories.yaml:1:1: the file is missing: create it; docs/content-format.md has an example
`
	result := load(t, t.TempDir(), content.Options{})
	if got := messages(result); got != want {
		t.Errorf("got:\n%s", got)
	}
	if err := result.Err(); err == nil || err.Error() != "content is not valid: 2 errors in 2 files" {
		t.Errorf("Err is %v", err)
	}
}

func TestLoadManyFiles(t *testing.T) {
	t.Parallel()
	dir := baseDir(t)
	raw, err := os.ReadFile(filepath.Join(dir, "tools", "lumen.md"))
	if err != nil {
		t.Fatal(err)
	}
	const more = 700
	for i := range more {
		write(t, dir, fmt.Sprintf("tools/outil-%d.md", i), strings.ReplaceAll(string(raw), "Lumen", fmt.Sprintf("Outil %d", i)))
	}
	last, calls := 0, 0 // written by one goroutine at a time: the race detector watches
	result := load(t, dir, content.Options{Progress: func(done, total int) {
		if done <= last || done > total {
			t.Errorf("progress went from %d to %d of %d", last, done, total)
		}
		last, calls = done, calls+1
	}})
	if got := messages(result); got != "" {
		t.Fatalf("unexpected faults:\n%s", got)
	}
	if last != more+5 || calls < 2 {
		t.Errorf("progress ended at %d after %d calls, want %d", last, calls, more+5)
	}
	for _, tool := range result.Contents.Tools {
		if n, found := strings.CutPrefix(tool.Slug, "outil-"); found && tool.Name != "Outil "+n {
			t.Fatalf("%s is named %q: a buffer was shared", tool.Slug, tool.Name)
		}
	}
}

func TestDigest(t *testing.T) {
	t.Parallel()
	a, b := content.Digest([]byte("a")), content.Digest([]byte("b"))
	if len(a) != 32 || a == b || a != content.Digest([]byte("a")) {
		t.Errorf("digests %s and %s", a, b)
	}
}
