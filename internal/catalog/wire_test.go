package catalog_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"testing"

	. "github.com/palmares-hq/palmares/internal/catalog"
	build "github.com/palmares-hq/palmares/internal/catalogtest"
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
	full := build.Tool("echafaude-3", build.Named("Échafaude 3"), build.Tier(1), build.Scored(915), build.Priced(Freemium, "19,90 €/mois"), func(t *Tool) {
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
	bare := build.Tool("chuchotin", build.Named("Chuchotin"), build.In("voix"), build.Unscored, build.Priced(Free, "0 €/mois"), func(t *Tool) {
		t.ICP, t.Verifiability, t.Obsolescence = AgenticEngineer, Measure{}, Measure{}
	})
	rival := build.Tool("copeau", build.Named("Copeau"), build.Scored(700))
	return build.Snapshot(full, bare, rival,
		build.Comparison("copeau-ou-echafaude-3", "copeau", "echafaude-3", func(c *Comparison) {
			c.Title, c.Winner, c.Note = "Copeau ou Échafaude 3 ?", "echafaude-3", "Elle ferme les portes.\n\nCopeau est plus rapide."
		}),
		build.Comparison("echafaude-3-ou-copeau", "echafaude-3", "copeau"),
		build.Retired("nuageon", func(r *Retired) {
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
	golden(t, "tool", found(s.ToolJSON("echafaude-3")))
	golden(t, "tool_with_nulls", found(s.ToolJSON("chuchotin")))
	golden(t, "price_with_history", found(s.PriceJSON("echafaude-3")))
	golden(t, "price_without_history", found(s.PriceJSON("chuchotin")))
	golden(t, "comparison", found(s.ComparisonJSON("copeau-ou-echafaude-3")))
	doc, err := s.EmbeddingsJSON("echafaude-3")
	if err != nil {
		t.Fatal(err)
	}
	golden(t, "embeddings", doc.Body)
	golden(t, "embeddings_list", s.EmbeddingsListJSON().Body)
	golden(t, "categories", s.CategoriesJSON().Body)
	golden(t, "stats", s.StatsJSON().Body)
	golden(t, "tool_list", s.ToolsJSON(ToolQuery{Paging: Paging{1, 2}}).Document().Body)
	golden(t, "comparison_list", s.ComparisonsJSON(ComparisonQuery{Paging: Paging{1, 50}}).Document().Body)
	golden(t, "price_list", s.PricesJSON(PriceQuery{Paging: Paging{1, 50}}).Document().Body)
	golden(t, "retired_list", s.CemeteryJSON(CemeteryQuery{Paging: Paging{1, 50}}).Document().Body)
	golden(t, "list_past_the_end", s.ToolsJSON(ToolQuery{Paging: Paging{9, 2}}).Document().Body)
}

func TestWire_GoldenEvents(t *testing.T) {
	t.Parallel()
	current := wireSnapshot().Contents()
	next := build.Edited(current, func(c *Contents) {
		c.Tools[0] = build.Tool("neuf", build.Named("Neuf"), build.Tier(1)) // in the place of chuchotin
		c.Tools[0].Review = NewReview("Neuf", []Section{{SummaryID, "Titre resume", "Texte"}})
		c.Tools[2].Price = "29 €/mois"
		c.Tools[2].Review = NewReview("Échafaude 3", c.Tools[2].Review.Sections[:1])
		c.Comparisons = c.Comparisons[:1]
		c.Comparisons[0].Note = "Elle ferme toutes les portes."
		c.Comparisons = append(c.Comparisons, build.Comparison("neuf-ou-copeau", "neuf", "copeau"))
		c.Retired = append(c.Retired, build.Retired("chuchotin", func(r *Retired) { r.Category, r.Reason = "voix", Acquired }))
	})
	type event struct {
		Type       EventType       `json:"type"`
		Slug       string          `json:"slug"`
		Categories []string        `json:"categories"`
		Object     json.RawMessage `json:"object"`
		Previous   json.RawMessage `json:"previous"`
	}
	var events []event
	for _, e := range Diff(current, next, "2026-04-01").Events() {
		events = append(events, event{e.Type, e.Slug, e.Categories, e.Object, e.Previous})
	}
	var body bytes.Buffer
	encoder := json.NewEncoder(&body)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(map[string][]event{"events": events}); err != nil {
		t.Fatal(err)
	}
	golden(t, "events", bytes.TrimSpace(body.Bytes()))
}
