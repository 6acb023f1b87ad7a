package publish

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/text"
)

// Markdown writes the plan as Markdown tables, for the summary of a check or a comment. It writes at most so
// many rows of each table; 0 means all. Editors' texts are in code spans, where nothing becomes a link, a
// mention, HTML or the end of a cell. It writes no corrections: comparing files corrects nothing.
func Markdown(w io.Writer, c catalog.Changes, most int) error {
	p := printer{bufio.NewWriter(w), Style{Most: most}}
	if c.Empty() {
		fmt.Fprintln(p, nothingChanges)
		return flush(p)
	}
	if sum := total(c); sum != "" {
		fmt.Fprintf(p, "**Total:** %s\n", sum)
	}
	for _, name := range changedFiles(c) {
		fmt.Fprintf(p, "\n`%s` changes.\n", name)
	}
	priceTable(p, c)
	for _, list := range changedItems(c, most) {
		itemTable(p, list)
	}
	return flush(p)
}

func priceTable(p printer, c catalog.Changes) {
	rows, left := changedPrices(c, p.Most)
	if len(rows) == 0 {
		return
	}
	fmt.Fprint(p, "\n| Prices | | |\n|---|---|---|\n")
	for _, r := range rows {
		warning := ""
		if r.jumps {
			warning = "**" + jumpWarning + "**"
		}
		fmt.Fprintf(p, "| %s | %s | %s |\n", codeCell(r.slug), codeCell(r.before+" → "+r.after), warning)
	}
	moreRows(p, left)
}

func itemTable(p printer, list rowList) {
	if len(list.rows) == 0 {
		return
	}
	fmt.Fprintf(p, "\n| | %s | | |\n|---|---|---|---|\n", list.title)
	for _, r := range list.rows {
		var lines []string
		if r.note.text != "" {
			lines = append(lines, codeCell(r.note.text))
		}
		for _, f := range r.fields {
			var text strings.Builder
			for _, w := range f.words {
				text.WriteString(w.text)
			}
			lines = append(lines, f.name+": "+codeCell(text.String()))
		}
		fmt.Fprintf(p, "| %s | %s | %s | %s |\n",
			codeCell(r.mark.text), codeCell(r.slug), codeCell(r.title), strings.Join(lines, "<br>"))
	}
	moreRows(p, list.left)
}

func moreRows(p printer, left int) {
	if left > 0 {
		fmt.Fprintf(p, "\n… and %d more\n", left)
	}
}

// codeCell returns a text on one line as a code span for a table cell; "" for an empty text. It escapes pipes,
// which would end the cell even in a code span, and drops control characters and direction marks, which could
// display a different text.
func codeCell(s string) string {
	s = strings.TrimSpace(text.Line(s))
	if s == "" {
		return ""
	}
	marks := strings.Repeat("`", longestRun(s)+1)
	if strings.HasPrefix(s, "`") || strings.HasSuffix(s, "`") {
		s = " " + s + " " // Markdown strips these spaces
	}
	return marks + strings.ReplaceAll(s, "|", `\|`) + marks
}

// CodeBlock returns a text as a fenced code block that no line of the text can end.
func CodeBlock(text string) string {
	fence := strings.Repeat("`", max(longestRun(text)+1, 3))
	return fence + "text\n" + strings.TrimRight(text, "\n") + "\n" + fence + "\n"
}

// longestRun is the length of the longest run of backticks.
func longestRun(s string) int {
	longest, n := 0, 0
	for _, r := range s {
		if r != '`' {
			n = 0
			continue
		}
		n++
		longest = max(longest, n)
	}
	return longest
}
