package main

import (
	"fmt"
	"strings"
	"testing"

	"github.com/palmares-hq/palmares/internal/catalog"
)

// What a file says never becomes Markdown, HTML, a name to notify, a reference, or a character that nobody sees.
func TestStaleMarkdown_ShowsTextAsItIs(t *testing.T) {
	t.Parallel()
	hostile := "a|b`c`<b>&amp;*d*_e_[f](g)\n@who #1 GH-2 www.h.example \x1b[31m\u202ei\u200b\u00a0"
	got := markdownText(hostile)
	inner := strings.TrimSuffix(strings.TrimPrefix(got, "<code>"), "</code>")
	if strings.ContainsAny(inner, "|`<>*_[]()\n@.\x1b\u202e\u200b\u00a0") {
		t.Errorf("%q", got)
	}
	for i, part := range strings.SplitAfter(inner, "&")[1:] {
		if !strings.HasPrefix(part, "#") {
			t.Errorf("the & number %d of %q begins no character reference", i, inner)
		}
	}
	link := markdownLink("https://a.example/(b)/[c]/<d>?e=|`&copy;\n")
	if _, address, _ := strings.Cut(link, "](<"); strings.ContainsAny(strings.TrimSuffix(address, ">)"), "<>|`\n ") {
		t.Errorf("%q", link)
	}
	for _, address := range []string{"https://github.com/a/b/issues/1", "https://GITHUB.com/a/b", "https://gist.github.com/a"} {
		if link := markdownLink(address); strings.Contains(link, "](") {
			t.Errorf("%q is a link", link)
		}
	}
}

// A table is never longer than an issue may be.
func TestStaleMarkdown_FitsAnIssue(t *testing.T) {
	t.Parallel()
	var many []catalog.ItemFact
	for i := range 2000 {
		many = append(many, catalog.ItemFact{Slug: fmt.Sprintf("outil-%d", i), Tier: 1, FieldFact: catalog.FieldFact{
			Field: catalog.PriceFact, Value: "20 €/mois", Fact: catalog.Fact{Source: "https://a.example/" + strings.Repeat("/", 100), Checked: "2020-01-01"},
		}})
	}
	table := staleMarkdown(many, "2026-01-01")
	rows := strings.Count(table, "| <code>outil")
	if len(table) > 65_536 || !strings.HasSuffix(table, fmt.Sprintf("\n%d more are left out.\n", len(many)-rows)) || rows < 40 {
		t.Errorf("%d bytes, %d rows, ends in %q", len(table), rows, table[len(table)-40:])
	}
}
