package catalog_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	. "github.com/palmares-hq/palmares/internal/catalog"
	build "github.com/palmares-hq/palmares/internal/catalogtest"
	"github.com/palmares-hq/palmares/internal/testkit"
)

func kinds(events []Event) []string {
	out := []string{}
	for _, e := range events {
		out = append(out, string(e.Type)+" "+e.Slug)
	}
	return out
}

func TestEvents_WhatEachChangeMeans(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		edit func(*Contents)
		want []string
	}{
		{"tool added", func(c *Contents) { c.Tools = append(c.Tools, build.Tool("d")) }, []string{"tool.created d"}},
		{"tool added in the embeddings set", func(c *Contents) { c.Tools = append(c.Tools, build.Tool("d", build.Tier(1), build.Reviewed("x"))) }, []string{"tool.created d", "embeddings.updated d"}},
		{"tool changed", func(c *Contents) { c.Tools[2].Tagline = "x" }, []string{"tool.updated c"}},
		{"price changed", func(c *Contents) { c.Tools[2].Price = "1 €/an" }, []string{"tool.updated c", "price.changed c"}},
		{"pricing changed", func(c *Contents) { c.Tools[2].Pricing = Freemium }, []string{"tool.updated c", "price.changed c"}},
		{"tool retired", func(c *Contents) { c.Tools = c.Tools[:2]; c.Retired = append(c.Retired, build.Retired("c")) }, []string{"tool.retired c"}},
		{"tool removed", func(c *Contents) { c.Tools = c.Tools[:2] }, []string{"tool.removed c"}},
		{"tool revived", func(c *Contents) { c.Retired = nil; c.Tools = append(c.Tools, build.Tool("z")) }, []string{"tool.created z", "cimetiere.removed z"}},
		{"embedded tool retired with its comparison", func(c *Contents) {
			c.Tools, c.Comparisons = c.Tools[1:], nil
			c.Retired = append(c.Retired, build.Retired("a"))
		}, []string{"tool.retired a", "embeddings.updated a", "comparatif.unpublished a-ou-b"}},
		{"score of a compared tool", func(c *Contents) { c.Tools[1].Score = Hundredths(10) }, []string{"tool.updated b", "comparatif.updated a-ou-b"}},
		{"name of an embedded tool", func(c *Contents) {
			c.Tools[0].Name = "Autre"
			c.Tools[0].Review = NewReview("Autre", c.Tools[0].Review.Sections)
		}, []string{"tool.updated a", "embeddings.updated a", "comparatif.updated a-ou-b"}},
		{"text of an embedded tool", func(c *Contents) { build.Reviewed("Neuf")(c.Tools[0]) }, []string{"tool.updated a", "embeddings.updated a"}},
		{"text of a tool outside the set", func(c *Contents) { build.Reviewed("Neuf")(c.Tools[2]) }, []string{"tool.updated c"}},
		{"score of an embedded tool: no new vectors", func(c *Contents) { c.Tools[0].Score = Hundredths(1) }, []string{"tool.updated a", "comparatif.updated a-ou-b"}},
		{"tier takes a tool out of the set", func(c *Contents) { c.Tools[0].Tier = 3 }, []string{"embeddings.updated a"}},
		{"review brings a tool into the set", func(c *Contents) { build.Reviewed("Neuf")(c.Tools[1]) }, []string{"tool.updated b", "embeddings.updated b"}},
		{"comparison published", func(c *Contents) { c.Comparisons = append(c.Comparisons, build.Comparison("b-ou-a", "b", "a")) }, []string{"comparatif.published b-ou-a"}},
		{"comparison updated", func(c *Contents) { c.Comparisons[0].Note = "x" }, []string{"comparatif.updated a-ou-b"}},
		{"comparison made a draft", func(c *Contents) { c.Comparisons[0].Draft = true }, []string{"comparatif.unpublished a-ou-b"}},
		{"comparison removed", func(c *Contents) { c.Comparisons = nil }, []string{"comparatif.unpublished a-ou-b"}},
		{"an entry of the cemetery that was never a tool", func(c *Contents) { c.Retired = append(c.Retired, build.Retired("y")) }, []string{"cimetiere.added y"}},
		{"a retired tool's note", func(c *Contents) { c.Retired[0].Note = "x" }, []string{"cimetiere.updated z"}},
		{"only a retired tool's category, which the API does not show", func(c *Contents) { c.Retired[0].Category = "image" }, []string{}},
		{"an entry of the cemetery taken back", func(c *Contents) { c.Retired = nil }, []string{"cimetiere.removed z"}},
		{"a label", func(c *Contents) { c.Categories[0].Label = "x" }, []string{"catalog.updated catalog"}},
		{"the order of categories", func(c *Contents) { slices.Reverse(c.Categories) }, []string{"catalog.updated catalog"}},
		{"the service's name", func(c *Contents) { c.Service.Name = "x" }, []string{"catalog.updated catalog"}},
		{"the service's address", func(c *Contents) { c.Service.URL = "https://x.example" }, []string{"catalog.updated catalog"}},
		{"only an English label", func(c *Contents) { c.Categories[0].English.Text = "x" }, []string{}},
		{"a tool in a new category, which comes first", func(c *Contents) {
			c.Categories = append(c.Categories, Category{Slug: "neuf", Label: "Neuf"})
			c.Tools = append(c.Tools, build.Tool("d", build.In("neuf")))
		}, []string{"catalog.updated catalog", "tool.created d"}},
	}
	for _, tt := range tests {
		current := published(t)
		got := Diff(current, build.Edited(current, tt.edit), today)
		if got.Empty() {
			t.Errorf("%s: nothing changed", tt.name)
		}
		testkit.Equal(t, tt.name, kinds(got.Events()), tt.want)
	}
}

// An edit of what no event shows is told by the new date alone. The second one of a
// day has no new date either: the row changes, and nobody is told.
func TestEvents_NoObjectEqualsItsPrevious(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name        string
		edit        func(c *Contents, text string)
		first, then []string
	}{
		{
			"obsolescence", func(c *Contents, text string) { c.Tools[2].Obsolescence = Hundredths(len(text)) },
			[]string{"tool.updated c"},
			[]string{},
		},
		{
			"review outside the embeddings set", func(c *Contents, text string) { build.Reviewed(text)(c.Tools[2]) },
			[]string{"tool.updated c"},
			[]string{},
		},
		{
			"review in the embeddings set", func(c *Contents, text string) { build.Reviewed(text)(c.Tools[0]) },
			[]string{"tool.updated a", "embeddings.updated a"},
			[]string{"embeddings.updated a"},
		},
		{
			"tagline", func(c *Contents, text string) { c.Tools[2].Tagline = text },
			[]string{"tool.updated c"},
			[]string{"tool.updated c"},
		},
	}
	for _, tt := range tests {
		current := published(t)
		snapshot := Empty().Apply(build.Whole(current, build.Edition(1)))
		for i, want := range [][]string{tt.first, tt.then} {
			changes := Diff(current, build.Edited(current, func(c *Contents) { tt.edit(c, strings.Repeat("x", i+1)) }), today)
			testkit.Equal(t, tt.name, kinds(changes.Events()), want)
			if len(changes.Tools) != 1 || changes.Tools[0].New.UpdatedAt != today || !changes.Tools[0].Visible {
				t.Errorf("%s: the row does not change: %+v", tt.name, changes.Tools)
			}
			for _, e := range changes.Events() {
				if bytes.Equal(e.Object, e.Previous) {
					t.Errorf("%s: %s %s has the object it had: %s", tt.name, e.Type, e.Slug, e.Object)
				}
			}
			snapshot = snapshot.Apply(changes.Delta(build.Edition(int64(i + 2))))
			current = snapshot.Contents()
		}
	}
}

// Names are not unique, so a comparison in an event has the slugs of its tools too; that
// of the API has not.
func TestEvents_ComparisonsNameTheirToolsBySlug(t *testing.T) {
	t.Parallel()
	current := build.Contents(build.Tool("a"), build.Tool("b"), build.Tool("c", build.Named("Outil b")), build.Comparison("duel", "a", "b"))
	next := build.Edited(current, func(c *Contents) { c.Comparisons[0].ToolB = "c" })
	changes := Diff(current, next, current.Comparisons[0].UpdatedAt) // nothing but the slug is new
	testkit.Equal(t, "events", kinds(changes.Events()), []string{"comparatif.updated duel"})
	type side struct{ Slug, Name string }
	type shown struct {
		A side `json:"tool_a"`
		B side `json:"tool_b"`
	}
	for i, text := range [][]byte{changes.Events()[0].Previous, changes.Events()[0].Object} {
		var got shown
		if err := json.Unmarshal(text, &got); err != nil {
			t.Fatal(err)
		}
		testkit.Equal(t, "tools", got, shown{side{"a", "Outil a"}, side{[]string{"b", "c"}[i], "Outil b"}})
	}
	body, _ := Empty().Apply(build.Whole(current, build.Edition(1))).ComparisonJSON("duel")
	if bytes.Contains(body.Body, []byte(`"slug":"b"`)) {
		t.Errorf("the API shows %s", body.Body)
	}
}

// Object is there unless the item is gone, Previous unless it is new.
func TestEvents_ObjectsAreAsTheAPIShowsThem(t *testing.T) {
	t.Parallel()
	current := published(t)
	next := build.Edited(current, func(c *Contents) {
		c.Service.Site.Tool = "https://neuf.example/{slug}"
		c.Tools = append(c.Tools[:2], build.Tool("d"))
		c.Tools[1].Price = "1 €/an"
		c.Retired[0].Slug, c.Retired[0].RetiredAt = "y", "2025-01-01"
		c.Retired = append(c.Retired, build.Retired("c"))
		c.Categories[3].Label = "Vide"
	})
	changes := Diff(current, next, today)
	before := Empty().Apply(build.Whole(current, build.Edition(1)))
	after := before.Apply(changes.Delta(build.Edition(2)))
	testkit.Equal(t, "events", kinds(changes.Events()), []string{
		"catalog.updated catalog", "tool.updated a", "tool.updated b", "price.changed b", "tool.retired c", "tool.created d",
		"cimetiere.added y", "cimetiere.removed z",
	})
	for _, e := range changes.Events() {
		var object, previous Document
		switch e.Type {
		case ToolCreated, ToolUpdated:
			object, _ = after.ToolJSON(e.Slug)
			previous, _ = before.ToolJSON(e.Slug)
		case ToolRetired:
			object = *after.CemeteryJSON(CemeteryQuery{Paging: all, Category: "code"}).Items[0]
			previous, _ = before.ToolJSON(e.Slug)
		case CemeteryAdded:
			object = *after.CemeteryJSON(CemeteryQuery{Paging: all}).Items[1]
		case CemeteryRemoved:
			previous = *before.CemeteryJSON(CemeteryQuery{Paging: all}).Items[0]
		case CatalogUpdated:
			const text = `{"name":"Palmarès","url":"https://palmares.example","categories":[{"slug":"code","label":"Code"},` +
				`{"slug":"image","label":"Image"},{"slug":"voix","label":"Voix et son"},{"slug":"vide","label":"%s"}]}`
			object.Body, previous.Body = fmt.Appendf(nil, text, "Vide"), fmt.Appendf(nil, text, "Catégorie sans outil")
			testkit.Equal(t, "categories", e.Categories, []string{"code", "image", "voix", "vide"})
		case PriceChanged:
			object = *after.PricesJSON(PriceQuery{Paging: all}).Items[1]
			previous = *before.PricesJSON(PriceQuery{Paging: all}).Items[1]
		default:
			t.Fatalf("unforeseen event %s", e.Type)
		}
		testkit.Equal(t, fmt.Sprint(e.Type, " ", e.Slug, ": object"), string(e.Object), string(object.Body))
		testkit.Equal(t, fmt.Sprint(e.Type, " ", e.Slug, ": previous"), string(e.Previous), string(previous.Body))
	}
}

func TestEvents_CategoriesAreThoseBeforeAndAfterOnce(t *testing.T) {
	t.Parallel()
	current := published(t)
	events := Diff(current, build.Edited(current, func(c *Contents) {
		c.Tools[1].Category, c.Tools[1].Score = "voix", Hundredths(500)
		c.Tools[2].Tagline = "x"
	}), today).Events()
	got := map[string][]string{}
	for _, e := range events {
		got[e.Slug] = e.Categories
	}
	testkit.Equal(t, "categories", got, map[string][]string{"b": {"voix", "code"}, "c": {"image"}, "a-ou-b": {"code", "voix"}})
}

// Texts as long as the content allows: names of 80 characters, titles of 160,
// taglines of 200, notes of 4,000, reviews of any length.
func TestEvents_AreJSONUnder20KBEvenWithTheLongestTexts(t *testing.T) {
	t.Parallel()
	name, title, note := strings.Repeat("é", 79), strings.Repeat("é", 159), strings.Repeat("é", 4000)
	review := build.Reviewed(slices.Repeat([]string{strings.Repeat("Un long texte. ", 500)}, 9)...)
	stretch := func(s string) func(*Tool) {
		return func(t *Tool) { t.Name, t.Tagline = s+name, s+strings.Repeat("é", 199); review(t) }
	}
	current := build.Contents(build.Tool("a", build.Tier(1), stretch("a")), build.Tool("b", build.Tier(1), stretch("b")), build.Tool("c", build.Tier(1), stretch("c")),
		build.Comparison("a-ou-b", "a", "b", func(c *Comparison) { c.Title, c.Note = title, note }))
	next := build.Contents(build.Tool("a", build.Tier(1), stretch("z")), build.Tool("b", build.Tier(1), stretch("b"), build.Priced(Free, "0 €/an")),
		build.Comparison("a-ou-b", "a", "b", func(c *Comparison) { c.Title, c.Note = title+"!", note }),
		build.Retired("c", func(r *Retired) { r.Name, r.Note = name, note }))
	events := Diff(current, next, today).Events()
	testkit.Equal(t, "events", len(events), 7)
	for _, e := range events {
		checkEvent(t, e)
	}
}

func checkEvent(t *testing.T, e Event) {
	t.Helper()
	for _, part := range [][]byte{e.Object, e.Previous} {
		if part != nil && !json.Valid(part) {
			t.Errorf("%s %s: not JSON: %s", e.Type, e.Slug, part)
		}
	}
	if size := len(e.Object) + len(e.Previous); size == 0 || size > 19_000 { // the envelope needs some room
		t.Errorf("%s %s: %d bytes", e.Type, e.Slug, size)
	}
	if e.Slug == "" || len(e.Categories) == 0 {
		t.Errorf("%s %q has categories %v", e.Type, e.Slug, e.Categories)
	}
}
