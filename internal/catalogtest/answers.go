package catalogtest

import (
	"fmt"
	"iter"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/search"
)

// Answers yields everything that a snapshot serves, as pairs of a name and an answer: every list in
// every order, for every category and several filters, every item and the documents about the whole
// catalog, as values and as JSON.
func Answers(s *catalog.Snapshot) iter.Seq2[string, string] {
	return func(yield func(name, answer string) bool) {
		more := true
		say := func(name, answer string) { more = more && yield(name, answer) }
		e := s.Edition()
		say("edition", fmt.Sprint(e.Number, e.ID, e.PublishedAt.UTC()))
		say("service", fmt.Sprint(s.Service()))
		say("categories", fmt.Sprint(s.Categories(), text(s.CategoriesJSON())))
		say("stats", fmt.Sprint(s.Stats(), text(s.StatsJSON())))
		say("embeddings", text(s.EmbeddingsListJSON()))
		say("facts", text(s.FactStatsJSON()))
		ends := catalog.Paging{Page: 1, Limit: 1 << 30}
		say("endings", page(s.Endings(ends), toolSlug, s.EndingsJSON(ends)))
		say("reviews", strconv.FormatBool(s.HasReviews()))
		for entry := range s.RecentChanges() {
			say(fmt.Sprint("change ", entry.Seq), fmt.Sprintf("%+v", *entry))
		}
		sayLists(s, "", say)
		sayLists(s, "inconnue", say)
		for _, category := range s.Categories() {
			sayLists(s, category.Slug, say)
		}
		c := s.Contents()
		for _, t := range c.Tools {
			say("tool "+t.Slug, tool(s, t.Slug))
			say("history of "+t.Slug, history(s, t.Slug))
			say("renamed to "+t.Slug, renamed(s.RenamedTool, t.Formerly))
		}
		for _, x := range c.Comparisons {
			say("comparison "+x.Slug, comparison(s, x.Slug))
			say("comparison renamed to "+x.Slug, renamed(s.RenamedComparison, x.Formerly))
		}
		for _, r := range c.Retired {
			retired, found := s.Retired(r.Slug)
			facts, factsFound := s.FactsJSON(r.Slug)
			say("retired "+r.Slug, fmt.Sprint(found, *retired, factsFound, text(facts), findings(s, r.Slug)))
			say("history of "+r.Slug, history(s, r.Slug))
			say("retired renamed to "+r.Slug, renamed(s.RenamedTool, r.Formerly))
		}
		for _, f := range c.Files {
			file, found := s.OperatorFile(f.Name)
			say("file "+f.Name, fmt.Sprint(found, *file))
		}
		say("incidents", fmt.Sprint(len(s.Incidents()), s.Incidents()))
	}
}

func tool(s *catalog.Snapshot, slug string) string {
	t, found := s.Tool(slug)
	item, itemFound := s.ToolJSON(slug)
	price, priceFound := s.PriceJSON(slug)
	facts, factsFound := s.FactsJSON(slug)
	chunks, err := s.EmbeddingsJSON(slug)
	markdown, noMarkdown := s.Review(slug)
	english, noEnglish := s.EnglishReview(slug)
	rank, ranked := s.Rank(slug)
	return fmt.Sprint(found, itemFound, priceFound, err, *t, text(item), factsFound, text(facts), text(price), text(chunks), rank, ranked, markdown, noMarkdown, english, noEnglish,
		slugs(s.Alternatives(slug), toolSlug), slugs(s.ComparisonsOf(slug), comparisonSlug), findings(s, slug))
}

// history returns what was true of a tool, as text.
func history(s *catalog.Snapshot, slug string) string {
	list, known := s.Intervals(slug)
	doc, _ := s.HistoryJSON(slug, "")
	entry, retired := s.RetiredDetailJSON(slug)
	return fmt.Sprint(known, list, text(doc), retired, text(entry))
}

// renamed returns, as text, the present slugs that former ones lead to.
func renamed(now func(slug string) (string, bool), formerly []string) string {
	var out strings.Builder
	for _, slug := range formerly {
		to, ok := now(slug)
		fmt.Fprint(&out, slug, " → ", to, ok, "; ")
	}
	return out.String()
}

func findings(s *catalog.Snapshot, slug string) string {
	d, known := s.FindingsJSON(catalog.FindingsQuery{Inputs: []string{slug, "inconnu"}, Slugs: true, ScoreMin: catalog.AtLeast(7.5)})
	return fmt.Sprint(known, text(d))
}

func comparison(s *catalog.Snapshot, slug string) string {
	m, found := s.Comparison(slug)
	doc, docFound := s.ComparisonJSON(slug)
	return fmt.Sprint(found, docFound, *m.Comparison, *m.A, *m.B, m.Winning().Slug, text(doc))
}

func sayLists(s *catalog.Snapshot, category string, say func(name, answer string)) {
	all, second := catalog.Paging{Page: 1, Limit: 1 << 30}, catalog.Paging{Page: 2, Limit: 7}
	tools := func(q catalog.ToolQuery) {
		if category != "" {
			q.Categories = []string{category}
		}
		say(fmt.Sprintf("tools %+v", q), page(s.Tools(q), toolSlug, s.ToolsJSON(q)))
	}
	for _, order := range catalog.ToolOrders() {
		for _, least := range []catalog.Bound{{}, catalog.AtLeast(7.5)} {
			for _, most := range []catalog.Bound{{}, catalog.AtMost(3.2)} {
				tools(catalog.ToolQuery{Paging: all, Order: order, ScoreMin: least, ObsolescenceMax: most})
			}
		}
	}
	tools(catalog.ToolQuery{Paging: second})
	maxPrice, _ := catalog.ParseAmount("20")
	tools(catalog.ToolQuery{Paging: all, PriceMax: maxPrice, UpdatedSince: "2026-02-01"})
	queries := []string{"outil"}
	if category == "" {
		queries = searches(s)
	}
	for _, q := range queries {
		tools(catalog.ToolQuery{Paging: all, Search: q})
		tools(catalog.ToolQuery{Paging: second, Search: q, Order: catalog.PriceAsc, PriceMax: maxPrice})
		comparisons := catalog.ComparisonQuery{Paging: all, Category: category, Search: q}
		say(fmt.Sprintf("comparisons %+v", comparisons), page(s.Comparisons(comparisons), comparisonSlug, s.ComparisonsJSON(comparisons)))
		cemetery := catalog.CemeteryQuery{Paging: all, Category: category, Search: q}
		say(fmt.Sprintf("cemetery %+v", cemetery), page(s.Cemetery(cemetery), retiredSlug, s.CemeteryJSON(cemetery)))
		say("near "+q, fmt.Sprint(slugs(s.NearTools(q, 5), toolSlug)))
	}
	for _, day := range []catalog.Date{"2026-01-20", s.Edition().Date()} {
		say(fmt.Sprintf("day %s in %s", day, category), text(s.DayJSON(catalog.DayQuery{Day: day, Category: category, Paging: all}).Document()))
	}
	say("prices of "+category, text(s.PricesJSON(catalog.PriceQuery{Paging: all, Category: category}).Document()))
	comparisons := catalog.ComparisonQuery{Paging: all, Category: category}
	say("comparisons of "+category, page(s.Comparisons(comparisons), comparisonSlug, s.ComparisonsJSON(comparisons)))
	for _, reason := range append(catalog.Reasons(), "") {
		q := catalog.CemeteryQuery{Paging: all, Category: category, Reason: reason}
		say(fmt.Sprintf("cemetery of %s, %s", category, reason), page(s.Cemetery(q), retiredSlug, s.CemeteryJSON(q)))
	}
}

// searches returns queries that find something in most catalogs, and some that find nothing:
// letters and words of all kinds, and the names of some items with and without a typo.
func searches(s *catalog.Snapshot) []string {
	queries := []string{"a", "o", "un outil", "essai", "code", "image voix", "example", "a ou b", "xyzzy", "dessin", "text to speech", "speech xyzzy", "mots gratuits", "essai xyzzy code", "dessim"}
	name := func(name string) {
		folded := search.Fold(name)
		queries = append(queries, folded, folded[:len(folded)/2+1], folded[1:], strings.ReplaceAll(folded, "o", "q"))
	}
	c := s.Contents()
	for i, t := range c.Tools {
		if i%20 == 0 {
			name(t.Name)
			queries = append(queries, t.Domain, search.Fold(t.Tagline))
		}
	}
	for i, x := range c.Comparisons {
		if i%20 == 0 {
			queries = append(queries, search.Fold(x.Title))
		}
	}
	for i, r := range c.Retired {
		if i%20 == 0 {
			name(r.Name)
		}
	}
	return queries
}

func page[T any](values catalog.Page[T], slug func(T) string, json catalog.JSONPage) string {
	return fmt.Sprint(slugs(values.Items, slug), values.Total, values.Number, values.Limit, text(json.Document()))
}

func slugs[T any](items []T, slug func(T) string) []string {
	out := make([]string, len(items))
	for i, x := range items {
		out[i] = slug(x)
	}
	return out
}

func toolSlug(t *catalog.Tool) string                     { return t.Slug }
func comparisonSlug(m catalog.ComparisonWithTools) string { return m.Slug }
func retiredSlug(r *catalog.Retired) string               { return r.Slug }
func text(d catalog.Document) string                      { return string(d.Body) + d.Tag() }

// WantSame fails the test at the first answer in which a snapshot differs from want.
func WantSame(tb testing.TB, want *catalog.Snapshot, snapshots ...*catalog.Snapshot) {
	tb.Helper()
	for _, s := range snapshots {
		WantAnswers(tb, "the snapshot", Answers(want), s)
	}
}

// WantAnswers fails the test at the first answer of s that differs from those in want.
func WantAnswers(tb testing.TB, what string, want iter.Seq2[string, string], s *catalog.Snapshot) {
	tb.Helper()
	next, stop := iter.Pull2(want)
	defer stop()
	for name, got := range Answers(s) {
		wantName, wantAnswer, ok := next()
		switch {
		case !ok:
			tb.Fatalf("%s answers more than it should, from %s on", what, name)
		case name != wantName:
			tb.Fatalf("%s answers about %s, want %s", what, name, wantName)
		case got != wantAnswer:
			tb.Fatalf("%s: %s is\n%.2000s\nwant\n%.2000s", what, name, got, wantAnswer)
		}
	}
	if name, _, ok := next(); ok {
		tb.Fatalf("%s lacks %s", what, name)
	}
}

// Recorded returns the answers of a snapshot as they are at the call. Comparing them later shows
// whether the snapshot was modified.
func Recorded(s *catalog.Snapshot) iter.Seq2[string, string] {
	type answer struct{ name, text string }
	var answers []answer
	for name, text := range Answers(s) {
		answers = append(answers, answer{name, text})
	}
	return func(yield func(string, string) bool) {
		for _, a := range answers {
			if !yield(a.name, a.text) {
				return
			}
		}
	}
}

// Editorial returns a copy of the contents with only what the editors wrote: without drafts, and
// without everything that a publication decides.
func Editorial(c *catalog.Contents) *catalog.Contents {
	out := Clone(c)
	for _, t := range out.Tools {
		t.UpdatedAt, t.Embedded, t.History, t.Review.Sections = "", false, nil, nil
		t.Review.Markdown = catalog.Markdown{Hash: t.Review.Markdown.Hash}
		t.English.Review = catalog.TranslatedReview{Markdown: catalog.Markdown{Hash: t.English.Review.Markdown.Hash}, Opening: t.English.Review.Opening}
		t.English.Tagline.Of = ""
	}
	for i := range out.Categories {
		out.Categories[i].English.Of = ""
	}
	out.Comparisons = slices.DeleteFunc(out.Comparisons, func(x *catalog.Comparison) bool { return x.Draft })
	for _, x := range out.Comparisons {
		x.UpdatedAt, x.English.Title.Of, x.English.Note.Of = "", "", ""
	}
	for _, r := range out.Retired {
		r.English.Note.Of = ""
	}
	for _, f := range out.Files {
		f.Text = ""
	}
	return out
}

// Dump returns the contents as text, item by item, so that two states can be compared by value.
func Dump(c *catalog.Contents) string {
	var b strings.Builder
	fmt.Fprintln(&b, c.Service, c.Categories)
	for _, t := range c.Tools {
		fmt.Fprintf(&b, "%+v\n", *t)
	}
	for _, x := range c.Comparisons {
		fmt.Fprintf(&b, "%+v\n", *x)
	}
	for _, r := range c.Retired {
		fmt.Fprintf(&b, "%+v\n", *r)
	}
	for _, f := range c.Files {
		fmt.Fprintf(&b, "%+v\n", *f)
	}
	for _, i := range c.Incidents {
		fmt.Fprintf(&b, "%+v\n", i)
	}
	return b.String()
}
