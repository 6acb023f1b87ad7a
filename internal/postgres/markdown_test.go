package postgres_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/palmares-hq/palmares/internal/catalog"
	ct "github.com/palmares-hq/palmares/internal/catalogtest"
	"github.com/palmares-hq/palmares/internal/testkit"
)

// wantReviews wants the snapshot to have that Markdown, by slug.
func wantReviews(t *testing.T, s *catalog.Snapshot, want map[string]string) {
	t.Helper()
	for slug, text := range want {
		if got, err := s.Review(slug); got != text || err != nil {
			t.Errorf("the review of %s is %q, %v, want %q", slug, got, err, text)
		}
	}
}

func TestAnEditOfMarkdownMovesNothingElse(t *testing.T) {
	t.Parallel()
	db := newDB(t)
	with := func(text, source string) *catalog.Contents {
		c := ct.Contents(ct.Tool("a", ct.Embeddable(900), ct.Written(text)), ct.Tool("b", ct.Reviewed("B"), ct.Written("*B*")), ct.Tool("c"))
		c.Tools[0].Source = source
		return c
	}
	e1 := db.publish(with("\nLe texte de **a**.\n", "1"))
	wantReviews(t, catalog.Empty().Apply(db.whole()), map[string]string{"a": "\nLe texte de **a**.\n", "b": "*B*"})
	events := db.count(`events`)
	vectors := db.tool("a", db.whole()).Review.Hash

	db.nextDay()
	e2 := db.publish(with("\nLe texte de _a_.\n", "2"))
	wantEqual(t, "the edition", e2.Number, e1.Number+1)
	wantEqual(t, "events", db.count(`events`), events)
	d := db.since(e1)
	wantSame(t, "what changed", toolSlugs(d), []string{"a"})
	wantEqual(t, "its date", d.Tools[0].UpdatedAt, "2026-03-01")
	wantEqual(t, "its hash", d.Tools[0].Review.Hash, vectors)
	wantReviews(t, catalog.Empty().Apply(db.whole()), map[string]string{"a": "\nLe texte de _a_.\n", "b": "*B*"})

	// A file that says the same in other bytes is no news, and its Markdown is still its own.
	db.nextDay()
	wantEqual(t, "the edition of other bytes", db.publish(with("\nLe texte de _a_.\n", "3")), e2)
	wantReviews(t, catalog.Empty().Apply(db.whole()), map[string]string{"a": "\nLe texte de _a_.\n", "b": "*B*"})

	// Without a review there is no Markdown, and without a tool neither.
	db.nextDay()
	db.publish(ct.Contents(ct.Tool("a", ct.Scored(900))))
	wantSame(t, "what is left", ask[bool](db, `SELECT markdown IS NULL AND markdown_hash = '' FROM tools`), []bool{true})
}

// A review in English is stored beside the French, stays while only that changes, and goes with its file.
func TestEnglishReviews(t *testing.T) {
	t.Parallel()
	db := newDB(t)
	with := func(french, english string) *catalog.Contents {
		return ct.Contents(ct.Tool("a", ct.Reviewed(french), ct.Translated("A tool", english)))
	}
	want := func(text string, outdated bool) {
		t.Helper()
		s := catalog.Empty().Apply(db.whole())
		got, err := s.EnglishReview("a")
		tool, _ := s.Tool("a")
		if got != text || err != nil || tool.English.Review.Outdated(tool.Review.Markdown) != outdated {
			t.Errorf("the review is %q, %v, of %+v, want %q, outdated %t", got, err, tool.English.Review, text, outdated)
		}
	}
	db.publish(with("Un", "One"))
	want("One", false)
	db.nextDay()
	db.publish(with("Deux", "One"))
	want("One", true)
	db.nextDay()
	db.publish(with("Deux", "Two"))
	want("Two", false)
	_, err := db.publishFrom(t.Context(), db.DB, func(current *catalog.Contents) *catalog.Contents {
		next := *current // as content.Load does with files that did not change
		next.Service.Site.Tool = "https://ailleurs.example/{slug}"
		return &next
	})
	db.must(err)
	want("Two", false)
	db.publish(with("Deux", ""))
	wantSame(t, "what is left", ask[bool](db, `SELECT review_en IS NULL AND review_en_hash = '' AND review_en_of = '' FROM tools`), []bool{true})
}

// The row of a tool that changes without its text at hand keeps its Markdown.
func TestMarkdownNotAtHandIsKept(t *testing.T) {
	t.Parallel()
	db := newDB(t)
	db.publish(ct.Contents(ct.Tool("a", ct.Reviewed("A"), ct.Written("*A*"))))
	db.nextDay()
	_, err := db.publishFrom(t.Context(), db.DB, func(current *catalog.Contents) *catalog.Contents {
		next := *current // as content.Load does with files that did not change
		next.Service.Site.Tool = "https://ailleurs.example/{slug}"
		return &next
	})
	db.must(err)
	wantReviews(t, catalog.Empty().Apply(db.whole()), map[string]string{"a": "*A*"})
}

// forgetMarkdown makes the database one that no program with Markdown has published to.
const forgetMarkdown = `UPDATE tools SET markdown = NULL, markdown_hash = '', markdown_source = ''`

func TestTheFirstPublicationAfterTheUpgradeFillsInMarkdown(t *testing.T) {
	t.Parallel()
	db := newDB(t)
	files := func() *catalog.Contents {
		return ct.Contents(ct.Tool("a", ct.Embeddable(900), ct.Written("*A*")), ct.Tool("b", ct.Reviewed("B"), ct.Written("*B*")), ct.Tool("c"))
	}
	e1 := db.publish(files())
	db.exec(forgetMarkdown)
	old := catalog.Empty().Apply(db.whole())
	wantEqual(t, "reviews before", old.HasReviews(), false)
	events := db.count(`events`)

	db.nextDay()
	e2 := db.publish(files())
	wantEqual(t, "the edition", e2.Number, e1.Number+1)
	wantEqual(t, "events", db.count(`events`), events)
	d := db.since(e1)
	wantSame(t, "what changed", toolSlugs(d), []string{"a", "b"})
	for _, x := range d.Tools {
		wantEqual(t, "the date of "+x.Slug, x.UpdatedAt, "2026-03-01")
	}
	for _, s := range []*catalog.Snapshot{old.Apply(d), catalog.Empty().Apply(db.whole())} {
		wantEqual(t, "reviews after", s.HasReviews(), true)
		wantReviews(t, s, map[string]string{"a": "*A*", "b": "*B*"})
	}
	db.nextDay()
	wantEqual(t, "the edition after it", db.publish(files()), e2)
}

// A program that does not know of Markdown changes a tool: what is stored is of another file.
func TestMarkdownOfAnotherFileCountsAsMissing(t *testing.T) {
	t.Parallel()
	db := newDB(t)
	db.publish(ct.Contents(ct.Tool("a", ct.Reviewed("A"), ct.Written("*A*")), ct.Tool("b", ct.Reviewed("B"), ct.Written("*B*"))))
	db.exec(`UPDATE tools SET source = 'autre', review_hash = 'autre' WHERE slug = 'a'`)
	current, _, err := db.Catalog.Current(t.Context())
	db.must(err)
	wantEqual(t, "the hash of the stale one", current.Tools[0].Review.Markdown.Hash, "")
	wantEqual(t, "the hash of the other", current.Tools[1].Review.Markdown.Hash, catalog.NewMarkdown("*B*").Hash)
	s := catalog.Empty().Apply(db.whole())
	if got, err := s.Review("a"); err == nil {
		t.Errorf("the stale Markdown is served: %q", got)
	}
	wantReviews(t, s, map[string]string{"b": "*B*"})

	db.nextDay()
	db.publish(ct.Contents(ct.Tool("a", ct.Reviewed("A"), ct.Written("*A*")), ct.Tool("b", ct.Reviewed("B"), ct.Written("*B*"))))
	wantReviews(t, catalog.Empty().Apply(db.whole()), map[string]string{"a": "*A*", "b": "*B*"})
}

// manyReviews are contents with n reviews, and their Markdown by slug.
func manyReviews(n int) (*catalog.Contents, map[string]string) {
	texts := map[string]string{}
	c := ct.Contents()
	for i := range n {
		slug := fmt.Sprintf("outil-%05d", i)
		texts[slug] = ct.Markdown(i)
		c.Tools = append(c.Tools, ct.Tool(slug, ct.Reviewed("Texte"), ct.Written(texts[slug])))
	}
	return c, texts
}

func TestDictionariesComeWithTheGrowthOfTheCatalog(t *testing.T) {
	t.Parallel()
	db := newDB(t)
	var editions []catalog.Edition
	snapshots := []*catalog.Snapshot{catalog.Empty()}
	trained := func() []int { return ask[int](db, `SELECT reviews FROM review_dictionaries ORDER BY number`) }
	size := func(slug string) int {
		return ask[int](db, `SELECT octet_length(markdown) FROM tools WHERE slug = $1`, slug)[0]
	}
	grow := func(n int, dictionaries ...int) {
		t.Helper()
		db.nextDay()
		c, texts := manyReviews(n)
		last := catalog.Edition{}
		if len(editions) > 0 {
			last = editions[len(editions)-1]
		}
		e := db.publish(c)
		testkit.Equal(t, "dictionaries, by the reviews that they were trained for", trained(), append([]int{}, dictionaries...))
		next := snapshots[len(snapshots)-1].Apply(db.since(last))
		editions, snapshots = append(editions, e), append(snapshots, next)
		wantReviews(t, next, texts)
		ct.WantSame(t, catalog.Empty().Apply(db.whole()), next)
	}
	grow(499)
	plain := size("outil-00000")
	grow(500, 500) // trained on what is stored, but for one
	if testkit.Raced {
		return // the rest trains another dictionary, and compares thousands of reviews
	}
	grow(1999, 500)
	if short := size("outil-01998"); short > plain/2 {
		t.Errorf("a review takes %d bytes with a dictionary, %d without", short, plain)
	}
	wantEqual(t, "the size of a review from before", size("outil-00000"), plain)
	grow(2000, 500, 2000)
	grow(10, 500, 2000) // a dictionary stays, for those who are left
	wantEqual(t, "dictionaries of the last delta", len(db.since(editions[3]).Dictionaries), 0)
	wantEqual(t, "dictionaries of the one before", len(db.since(editions[2]).Dictionaries), 1)
}

// Reviews that are all alike make no dictionary, and are published.
func TestReviewsWithoutADictionary(t *testing.T) {
	t.Parallel()
	db := newDB(t)
	c, texts := manyReviews(600)
	for _, x := range c.Tools {
		texts[x.Slug] = "Le même avis."
		ct.Written(texts[x.Slug])(x)
	}
	db.publish(c)
	d := db.whole()
	wantEqual(t, "dictionaries", len(d.Dictionaries), 0)
	wantReviews(t, catalog.Empty().Apply(d), texts)
}

// The schema bounds what a node reads into memory.
func TestTheSizeOfMarkdownIsBounded(t *testing.T) {
	t.Parallel()
	db := newDB(t)
	largest := strings.Repeat("é", catalog.MaxMarkdown/2)
	db.publish(ct.Contents(ct.Tool("a", ct.Reviewed("A"), ct.Written(largest))))
	wantReviews(t, catalog.Empty().Apply(db.whole()), map[string]string{"a": largest})
	conn := db.conn()
	for _, too := range []struct {
		sql  string
		most int
	}{
		{`UPDATE tools SET markdown = $1`, catalog.MaxCompressed},
		{`INSERT INTO review_dictionaries (number, reviews, content, edition) VALUES (1, 1, $1, 1)`, catalog.MaxDictionary},
	} {
		if _, err := conn.Exec(t.Context(), too.sql, make([]byte, too.most+1)); err == nil {
			t.Errorf("%s: %d bytes are accepted", too.sql, too.most+1)
		}
		if _, err := conn.Exec(t.Context(), too.sql, make([]byte, too.most)); err != nil {
			t.Errorf("%s: %v", too.sql, err)
		}
	}
}
