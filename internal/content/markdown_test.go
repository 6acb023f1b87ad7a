package content_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/catalogtest"
	"github.com/palmares-hq/palmares/internal/content"
)

// The Markdown of a review is the body of its file as it is, but for the line ends of other systems.
func TestLoadKeepsTheMarkdown(t *testing.T) {
	t.Parallel()
	dir := baseDir(t)
	raw, err := os.ReadFile(filepath.Join(dir, "tools", "cobalt.md"))
	if err != nil {
		t.Fatal(err)
	}
	front := string(raw[:strings.LastIndex(string(raw), "---\n")+4])
	for name, c := range map[string]struct{ body, want string }{
		"plain":           {"Un avis.\n", "Un avis.\n"},
		"marked up":       {"\n*Un* [avis](https://cobalt.example).\n\n## Prix\n\n- `20` €\n\n", "\n*Un* [avis](https://cobalt.example).\n\n## Prix\n\n- `20` €\n\n"},
		"with other ends": {"Un avis.\r\n\r\n## Prix\r\n\r\nBas.\r\n", "Un avis.\n\n## Prix\n\nBas.\n"},
		"without an end":  {"Un avis", "Un avis"},
		"blank":           {" \n\n", ""},
		"a rule alone":    {"\n***\n", ""},
	} {
		write(t, dir, "tools/cobalt.md", front+c.body)
		r := load(t, dir, content.Options{})
		if got := messages(r); got != "" {
			t.Errorf("%s: %s", name, got)
			continue
		}
		review := r.Contents.Tools[1].Review
		if m := review.Markdown; m.Text != c.want || (m.Hash == "") != (c.want == "") || review.Exists() != (c.want != "") {
			t.Errorf("%s: %+v", name, review)
		}
		// As palmares preview serves it, without a database.
		if got, err := catalogtest.First(r.Contents, catalogtest.Edition(1)).Review("cobalt"); got != c.want ||
			errors.Is(err, catalog.ErrNoReview) != (c.want == "") {
			t.Errorf("%s: a node serves %q, %v", name, got, err)
		}
		// The files share a buffer.
		if lumen := r.Contents.Tools[2].Review.Markdown.Text; lumen == "" || strings.Contains(lumen, "Un avis") {
			t.Errorf("%s: the review of another tool is %q", name, lumen)
		}
	}
}

// A review that was published without its Markdown is read again, however old its file is.
func TestLoadReadsAgainWhatLacksItsMarkdown(t *testing.T) {
	t.Parallel()
	dir := baseDir(t)
	known := load(t, dir, content.Options{}).Contents
	without := *known.Tools[1]
	without.Review.Markdown = catalog.Markdown{}
	want := known.Tools[1].Review.Markdown
	known.Tools[1] = &without
	again := load(t, dir, content.Options{Known: known})
	if again.Decoded != 3 { // it and the two files at the top
		t.Errorf("decoded %d files, want 3", again.Decoded)
	}
	if got := again.Contents.Tools[1].Review.Markdown; got.Hash != want.Hash || got.Text != want.Text {
		t.Errorf("its Markdown is %+v, want %+v", got, want)
	}
	if again.Contents.Tools[2] != known.Tools[2] || again.Contents.Tools[0] != known.Tools[0] {
		t.Error("others are read again, too")
	}
}
