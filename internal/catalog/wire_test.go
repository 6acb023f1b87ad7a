package catalog

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"testing"
)

var update = flag.Bool("update", false, "write the golden files anew")

// golden compares a body with testdata/<name>.json. The file is indented for its
// readers; the order of the fields and the form of the values are the body's own.
func golden(t *testing.T, name string, body []byte) {
	t.Helper()
	var compact, indented bytes.Buffer
	if err := json.Compact(&compact, body); err != nil {
		t.Fatalf("%s is not JSON: %v\n%s", name, err, body)
	}
	if !bytes.Equal(compact.Bytes(), body) {
		t.Errorf("%s has spaces to spare: %s", name, body)
	}
	if err := json.Indent(&indented, body, "", "  "); err != nil {
		t.Fatal(err)
	}
	indented.WriteByte('\n')
	file := filepath.Join("testdata", name+".json")
	if *update {
		if err := os.WriteFile(file, indented.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatalf("%v (run the test with -update to write it)", err)
	}
	if !bytes.Equal(indented.Bytes(), want) {
		t.Errorf("%s differs from %s:\n%s", name, file, indented.Bytes())
	}
}

func wireSnapshot() *Snapshot {
	full := tool("echafaude-3", named("Échafaude 3"), tier(1), score(915), priced(Freemium, "19,90 €/mois"), func(t *Tool) {
		t.ICP, t.Verifiability, t.Embedded, t.UpdatedAt = VibeCoder, Hundredths(850), true, "2026-03-02"
		t.Tagline = `De la phrase à l'application "en ligne" & sans détour`
		t.Review = NewReview(t.Name, []Section{
			{SummaryID, "Résumé", "Un atelier dans le navigateur.\nDeux phrases."},
			{"le-prix", "Le prix", "19,90 € par mois."},
		})
		t.History = []PriceChange{
			{"2026-03-02", Paid, "25 €/mois", Freemium, "19,90 €/mois"},
			{"2025-11-20", Paid, "20 €/mois", Paid, "25 €/mois"},
		}
	})
	bare := tool("chuchotin", named("Chuchotin"), in("voix"), unscored, priced(Free, "0 €/mois"), func(t *Tool) {
		t.ICP, t.Verifiability, t.Obsolescence = AgenticEngineer, 0, 0
	})
	rival := tool("copeau", named("Copeau"), score(700))
	return snapshotOf(full, bare, rival,
		comparison("copeau-ou-echafaude-3", "copeau", "echafaude-3", func(c *Comparison) {
			c.Title, c.Winner, c.Note = "Copeau ou Échafaude 3 ?", "echafaude-3", "Elle ferme les portes.\n\nCopeau est plus rapide."
		}),
		comparison("echafaude-3-ou-copeau", "echafaude-3", "copeau"),
		retired("nuageon", func(r *Retired) {
			r.Name, r.Reason, r.RetiredAt, r.Note = "Nuageon", Absorbed, "2025-09-30", "Repris par un concurrent."
		}),
	)
}

func TestWire_GoldenDocuments(t *testing.T) {
	t.Parallel()
	s := wireSnapshot()
	found := func(d Document, ok bool) []byte {
		t.Helper()
		if !ok {
			t.Fatal("not found")
		}
		return d.Body
	}
	golden(t, "tool", found(s.Tool("echafaude-3")))
	golden(t, "tool_with_nulls", found(s.Tool("chuchotin")))
	golden(t, "price_with_history", found(s.Price("echafaude-3")))
	golden(t, "price_without_history", found(s.Price("chuchotin")))
	golden(t, "comparison", found(s.Comparison("copeau-ou-echafaude-3")))
	doc, err := s.Embeddings("echafaude-3")
	if err != nil {
		t.Fatal(err)
	}
	golden(t, "embeddings", doc.Body)
	golden(t, "embeddings_list", s.EmbeddingsList().Body)
	golden(t, "categories", s.Categories().Body)
	golden(t, "stats", s.Stats().Body)
	golden(t, "tool_list", s.Tools(ToolQuery{Paging: Paging{1, 2}}).Document().Body)
	golden(t, "comparison_list", s.Comparisons(ComparisonQuery{Paging: all(50)}).Document().Body)
	golden(t, "price_list", s.Prices(PriceQuery{Paging: all(50)}).Document().Body)
	golden(t, "retired_list", s.Cemetery(CemeteryQuery{Paging: all(50)}).Document().Body)
	golden(t, "list_past_the_end", s.Tools(ToolQuery{Paging: Paging{9, 2}}).Document().Body)
}

func TestWire_GoldenEvents(t *testing.T) {
	t.Parallel()
	current := wireSnapshot().Contents()
	next := edited(current, func(c *Contents) {
		c.Tools[0] = tool("neuf", named("Neuf"), tier(1), reviewed("Texte")) // in the place of chuchotin
		c.Tools[2].Price = "29 €/mois"
		c.Tools[2].Review = NewReview("Échafaude 3", c.Tools[2].Review.Sections[:1])
		c.Comparisons = c.Comparisons[:1]
		c.Comparisons[0].Note = "Elle ferme toutes les portes."
		c.Comparisons = append(c.Comparisons, comparison("neuf-ou-copeau", "neuf", "copeau"))
		c.Retired = append(c.Retired, retired("chuchotin", func(r *Retired) { r.Category, r.Reason = "voix", Acquired }))
	})
	out := newObject()
	out.raw("events", appendArray(nil, Diff(current, next, "2026-04-01").Events(), func(b []byte, e Event) []byte {
		o := newObject()
		o.string("type", string(e.Type))
		o.string("slug", e.Slug)
		o.raw("categories", appendArray(nil, e.Categories, appendString))
		o.raw("object", orNull(e.Object))
		o.raw("previous", orNull(e.Previous))
		return append(b, o.close()...)
	}))
	golden(t, "events", out.close())
}

func orNull(b []byte) []byte {
	if b == nil {
		return []byte("null")
	}
	return b
}
