package content_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/yuin/goldmark/ast"
	extast "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/text"

	"github.com/palmares-hq/palmares/internal/content"
	"github.com/palmares-hq/palmares/internal/testkit"
)

// The parser takes time in proportion to the text if blocks are not nested deep, if no block in
// which it looks for links and emphasis is both long and full of brackets, and if tables are not
// much larger than their text.
func TestParserHasBounds(t *testing.T) {
	t.Parallel()
	const n = 1 << 13
	times := func(s string) string { return strings.Repeat(s, n/len(s)) }
	for name, source := range map[string]string{
		"quotes":         times(">"),
		"lists":          times("- ") + "a\n",
		"numbers":        times("1. "),
		"both":           times("> - "),
		"emphasis":       times("*a _b "),
		"links":          times("[a](b"),
		"references":     times("[a]: b\n"),
		"a heading":      "## " + times("[a]("),
		"underlined":     times("[a](") + "\n---\n",
		"a list of them": "- " + times("[a](") + "\n- " + times("<a ") + "\n",
		"raw HTML":       times("a <b "),
		"a wide table":   times(strings.Repeat("|a", 100) + "\n" + strings.Repeat("|-", 100) + "\n" + strings.Repeat("a\n", 1000) + "\n"),
	} {
		checkBounds(t, name, []byte(source))
	}
}

func checkBounds(t *testing.T, name string, source []byte) {
	t.Helper()
	depth, deepest, cells := 0, 0, 0
	testkit.Must(t, ast.Walk(content.NewParser().Parse(text.NewReader(source)), func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		switch {
		case n.Type() == ast.TypeInline:
			return ast.WalkSkipChildren, nil
		case !entering:
			depth--
			return ast.WalkContinue, nil
		}
		depth++
		deepest = max(deepest, depth)
		if _, ok := n.(*extast.TableCell); ok {
			cells++
		}
		block := n.Lines().Value(source)
		if work := len(block) * strings.Count(string(block), "["); work > 2<<20 && !n.IsRaw() {
			t.Errorf("%s: %T of %d bytes is %d of work", name, n, len(block), work)
		}
		return ast.WalkContinue, nil
	}))
	if deepest > 30 || cells > len(source) {
		t.Errorf("%s: %d blocks deep, %d cells of %d bytes", name, deepest, cells, len(source))
	}
}

// Nobody who writes a review meets a bound.
func TestParserTakesWhatPeopleWrite(t *testing.T) {
	t.Parallel()
	var list, table, long strings.Builder
	for i := range 10 {
		fmt.Fprintf(&list, "%s- a\n", strings.Repeat("  ", i))
	}
	table.WriteString("| Outil | Prix | Site |\n|---|--:|---|\n")
	for i := range 80 {
		fmt.Fprintf(&table, "| **Outil %d** | %d € | [site](https://outil-%d.example/tarifs) |\n", i, i, i)
		fmt.Fprintf(&long, "Le [n° %d](https://outil-%d.example/tarifs) suit, *sans plus*, et coûte `%d` € par mois. ", i, i, i)
	}
	for source, want := range map[string]ast.NodeKind{
		list.String(): ast.KindList, table.String(): extast.KindTable, long.String(): ast.KindParagraph,
		strings.Repeat("> ", 10) + "a": ast.KindBlockquote, "| a |\n|---|\n| b |\n|||\n": extast.KindTable,
	} {
		root := content.NewParser().Parse(text.NewReader([]byte(source)))
		if first := root.FirstChild(); first.Kind() != want || first.NextSibling() != nil {
			t.Errorf("%.80q: %s, want %s", source, first.Kind(), want)
		}
		items := 0
		testkit.Must(t, ast.Walk(root, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
			if entering && (n.Kind() == ast.KindListItem || n.Kind() == ast.KindBlockquote) {
				items++
			}
			return ast.WalkContinue, nil
		}))
		if (want == ast.KindList || want == ast.KindBlockquote) && items != 10 {
			t.Errorf("%.80q: %d levels, want 10", source, items)
		}
	}
}
