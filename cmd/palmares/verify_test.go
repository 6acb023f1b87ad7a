package main

import (
	"slices"
	"strings"
	"testing"

	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/testkit"
	"github.com/palmares-hq/palmares/internal/verify"
)

func TestVerifyAgent(t *testing.T) {
	t.Parallel()
	for want, c := range map[string][2]string{
		"Palmares-verify/1.2.3 (+https://palmares.example)":            {"1.2.3", "https://palmares.example"},
		"Palmares-verify/devel (+https://palmares.example)":            {"(devel)", "https://palmares.example"},
		"Palmares-verify (+https://palmares.example/%C3%A9t%C3%A9%29)": {"", "https://palmares.example/été)"},
	} {
		if got := verifyAgent(c[0], c[1]); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

// The table for an issue has what somebody must look at, and nothing that a forge would take for more than text.
func TestVerifyMarkdown(t *testing.T) {
	t.Parallel()
	of := func(slug string, v verify.Verdict, detail string) verify.Result {
		fact := catalog.FieldFact{Field: catalog.PriceFact, Value: "20 €/mois | @ada", Fact: catalog.Fact{Source: "https://" + slug + ".example/"}}
		return verify.Result{ItemFact: catalog.ItemFact{Slug: slug, FieldFact: fact}, Verdict: v, Detail: detail}
	}
	quiet := []verify.Result{of("a", verify.Found, ""), of("b", verify.NotChecked, "it took too long")}
	testkit.Equal(t, "nothing to look at", verifyMarkdown(quiet), "Every page that could be read still says it.\n")
	got := verifyMarkdown(append(quiet, of("c", verify.Absent, ""), of("d", verify.Moved, "e.example")))
	if rows := strings.Count(got, "\n"); rows != 4 || strings.Contains(got, "@") || !strings.Contains(got, "<code>moved to e&#46;example</code>") {
		t.Errorf("%d rows:\n%s", rows, got)
	}
	if got := verifyMarkdown(slices.Repeat([]verify.Result{of("c", verify.Gone, "")}, 1000)); len(got) > 65_000 || !strings.Contains(got, " more are left out.\n") {
		t.Errorf("%d characters: %s", len(got), got[len(got)-100:])
	}
}
