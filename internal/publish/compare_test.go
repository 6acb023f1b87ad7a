package publish_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"
	"golang.org/x/net/html"

	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/publish"
)

// Comparing two directories tells what a dry run tells over a database with the first, on whatever day.
func TestCompare_IsADryRun(t *testing.T) {
	t.Parallel()
	d := newDesk(t, 6)
	d.comparison("duel", "outil-0", "outil-1", "published")
	d.comparison("a-venir", "outil-2", "outil-3", "draft")
	d.retired("feu")
	old := copyDir(t, d.dir)
	d.publish(publish.Options{})
	d.now = d.now.AddDate(0, 0, 40)

	d.tool("outil-0", "31 €/mois")
	d.tool("neuf", "5 €/mois")
	d.remove("tools/outil-5.md")
	d.comparison("duel", "outil-0", "outil-1", "draft")
	d.comparison("a-venir", "outil-2", "outil-3", "published")
	want, wantErr := d.run(publish.Options{DryRun: true})
	got, err := publish.Compare(t.Context(), old, d.dir, publish.Options{Now: func() time.Time { return d.now }})
	var refused, wantRefused *publish.GuardError
	if !errors.As(err, &refused) || !errors.As(wantErr, &wantRefused) || refused.Error() != wantRefused.Error() {
		t.Errorf("compared: %v; a dry run: %v", err, wantErr)
	}
	if got, want := printed(t, got.Changes), printed(t, want.Changes); got != want || !strings.Contains(got, "outil-0  10 €/mois → 31 €/mois") {
		t.Errorf("compared:\n%s\na dry run:\n%s", got, want)
	}
}

func printed(t *testing.T, c catalog.Changes) string {
	t.Helper()
	var b bytes.Buffer
	if err := publish.Print(&b, c, publish.Style{}); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// Both directories are looked at, and the faults of each are told apart.
func TestCompare_TellsWhoseFaultsTheyAre(t *testing.T) {
	t.Parallel()
	now := publish.Options{Now: func() time.Time { return time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC) }}
	sound, broken := copyDir(t, "../testdata/catalog"), copyDir(t, "../testdata/catalog")
	if err := os.WriteFile(filepath.Join(broken, "tools", "notes.txt"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		old, next            string
		oldFaults, newFaults int
	}{{broken, sound, 1, 0}, {sound, broken, 0, 1}, {broken, broken, 1, 1}} {
		_, err := publish.Compare(t.Context(), c.old, c.next, now)
		var unsound *publish.InvalidError
		if !errors.As(err, &unsound) || len(unsound.Old) != c.oldFaults || len(unsound.New) != c.newFaults {
			t.Errorf("%+v: %v", c, err)
		}
	}
	if _, err := publish.Compare(t.Context(), filepath.Join(sound, "nowhere"), sound, now); err == nil {
		t.Error("a directory that is not there was compared")
	}
}

// hostileTexts would be something else than text in Markdown.
var hostileTexts = []string{
	"a|b", `a\|b`, `a\`, "`", "``a", "a```", "` a `", "<script>alert(1)</script>", "<!-- ", "@octocat", "#1", "https://x.example",
	"[a](https://x.example)", "![a](https://x.example)", "**a**", "~~a~~", "&lt;", "a | `b|c` | d", "- a", "| a |\n|---|\n| b |", "a\r\n\r\n# b",
	"\u202ea", "\x1b[31ma", "a\u2028b", "</td></table>",
}

// Whatever editors write is text in a cell of its table, for a reader of GitHub's Markdown.
func TestMarkdown_QuotesWhatEditorsWrite(t *testing.T) {
	t.Parallel()
	reader := goldmark.New(goldmark.WithExtensions(extension.GFM))
	for _, hostile := range hostileTexts {
		before, after := planBefore(), planBefore()
		after.Tools[0].Name, after.Tools[0].Tagline = hostile, hostile
		added := planTool("zz", hostile, "5 €/mois", 500)
		after.Tools = append(after.Tools, added)
		after.Comparisons[0].Note = hostile
		var source, page bytes.Buffer
		if err := publish.Markdown(&source, catalog.Diff(before, sorted(after), "2026-03-01"), 0); err != nil {
			t.Fatal(err)
		}
		if err := reader.Convert(source.Bytes(), &page); err != nil {
			t.Fatal(err)
		}
		if strings.ContainsAny(source.String(), "\u202e\x1b\u2028\r") {
			t.Errorf("%q stays in the Markdown", hostile)
		}
		codes := make(map[string]bool)
		eachElement(t, page.Bytes(), func(n *html.Node) {
			switch n.Data {
			case "code":
				if n.FirstChild != nil && n.FirstChild.NextSibling == nil {
					codes[shown(n.FirstChild.Data)] = true
				}
			case "tr":
				if cells := count(n); cells != 4 {
					t.Errorf("%q: a row has %d cells:\n%s", hostile, cells, source.String())
				}
			case "html", "head", "body", "p", "strong", "table", "thead", "tbody", "th", "td", "br":
			default:
				t.Errorf("%q made an element %s:\n%s", hostile, n.Data, source.String())
			}
		})
		want := shown(hostile)
		for _, text := range []string{want, "Un outil → " + want, "Plus juste. → " + want} {
			if !codes[shown(text)] {
				t.Errorf("%q is not shown as %q:\n%s", hostile, text, source.String())
			}
		}
	}
}

// shown is a text in one line, without what cannot be seen.
func shown(s string) string {
	s = strings.NewReplacer("\u202e", " ", "\x1b", " ", "\u2028", " ").Replace(s)
	return strings.Join(strings.Fields(s), " ")
}

func eachElement(t *testing.T, page []byte, visit func(*html.Node)) {
	t.Helper()
	root, err := html.Parse(bytes.NewReader(page))
	if err != nil {
		t.Fatal(err)
	}
	for n := range root.Descendants() {
		if n.Type == html.ElementNode {
			visit(n)
		}
	}
}

func count(row *html.Node) (cells int) {
	for n := range row.ChildNodes() {
		if n.Type == html.ElementNode {
			cells++
		}
	}
	return cells
}

// A block of code ends where it should.
func TestCodeBlock_CannotBeLeft(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"a", "```\n# b\n```", "````", "~~~\n<b>"} {
		var page bytes.Buffer
		if err := goldmark.New(goldmark.WithExtensions(extension.GFM)).Convert([]byte(publish.CodeBlock(text)), &page); err != nil {
			t.Fatal(err)
		}
		eachElement(t, page.Bytes(), func(n *html.Node) {
			if n.Data == "code" && strings.TrimSuffix(n.FirstChild.Data, "\n") != text {
				t.Errorf("%q is shown as %q", text, n.FirstChild.Data)
			}
			if slices.Contains([]string{"h1", "b", "p"}, n.Data) {
				t.Errorf("%q made an element %s", text, n.Data)
			}
		})
	}
}
