package postgres_test

import (
	"slices"
	"testing"
	"time"

	"github.com/palmares-hq/palmares/internal/catalog"
)

// everything is a catalog with the edges of every field.
func everything() *catalog.Contents {
	c := contents(
		tool("bas", scored(1), func(t *catalog.Tool) {
			t.Verifiability, t.Obsolescence = catalog.Hundredths(0), catalog.Hundredths(0)
			t.ICP, t.Category = catalog.VibeCoder, "voix"
		}),
		tool("haut", func(t *catalog.Tool) {
			t.Score, t.Verifiability, t.Obsolescence = catalog.Hundredths(1000), catalog.Hundredths(1000), catalog.Hundredths(1000)
			t.ICP, t.Tier, t.Mainstream = catalog.AgenticEngineer, 9, true
			reviewed("Un « texte »\n\nsur \"deux\" paragraphes \\ et <b>un</b> é.", "Fin")(t)
		}),
		tool("nu", priced(catalog.Free, "0 €/mois")),
		tool("lu-mais-hors-liste", priced(catalog.Freemium, "199,90 €/an"), reviewed("Jamais servi.")),
		tool("a-b"), tool("a1"), tool("ab"), // an order on which collations disagree
	)
	c.Comparisons = []*catalog.Comparison{versus("bas-ou-haut", "bas", "haut"), versus("brouillon", "bas", "haut")}
	c.Comparisons[1].Draft = true
	for _, r := range catalog.Reasons() {
		c.Retired = append(c.Retired, grave("feu-"+string(r), r))
	}
	c.Sort()
	return c
}

func TestWhatIsPublishedIsReadBack(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	// 23:30 in São Paulo is the next day in UTC.
	b.now = time.Date(2026, 2, 28, 23, 30, 0, 123456789, time.FixedZone("", -3*60*60))
	next := everything()
	edition := b.publish(next)

	want := everything()
	want.Comparisons = slices.DeleteFunc(want.Comparisons, func(x *catalog.Comparison) bool { return x.Draft })
	for _, x := range want.Comparisons {
		x.UpdatedAt = "2026-03-01"
	}
	for _, x := range want.Tools {
		x.UpdatedAt = "2026-03-01"
		if x.Embedded = x.Slug == "haut"; !x.Embedded {
			x.Review.Sections = nil // a node does not serve them
		}
	}

	d := b.whole()
	wantEqual(t, "From", d.From, 0)
	wantEqual(t, "the edition read", d.Edition, edition)
	wantEqual(t, "its number", edition.Number, 1)
	wantEqual(t, "its date", edition.PublishedAt, time.Date(2026, 3, 1, 2, 30, 0, 123456000, time.UTC))
	wantSame(t, "the contents", catalog.Contents{
		Service: d.Service, Categories: d.Categories, Tools: d.Tools, Comparisons: d.Comparisons, Retired: d.Retired,
	}, want)
	if gone := len(d.GoneTools) + len(d.GoneComparisons) + len(d.GoneRetired); gone > 0 {
		t.Errorf("a delta from nothing lists %d items as gone", gone)
	}

	current, e, err := b.db.Current(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	wantEqual(t, "the current edition", e, edition)
	wantSame(t, "Current", current, want)
	if c := catalog.Diff(current, everything(), "2026-03-02"); !c.Empty() {
		t.Errorf("what was read differs from what was published: %+v", c)
	}
}

func TestNothingPublishedYet(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	current, e, err := b.db.Current(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	wantEqual(t, "the edition", e, catalog.Edition{})
	wantSame(t, "the contents", current, catalog.Contents{Categories: []catalog.Category{}, Tools: []*catalog.Tool{}, Comparisons: []*catalog.Comparison{}, Retired: []*catalog.Retired{}})

	f := b.feed()
	latest, err := f.Latest(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	wantEqual(t, "the latest edition", latest, catalog.Edition{})
	d, err := f.Since(t.Context(), catalog.Edition{})
	if err != nil {
		t.Fatal(err)
	}
	wantEqual(t, "the delta's edition", d.Edition, catalog.Edition{})
	wantEqual(t, "the delta's tools", len(d.Tools), 0)
}
