package postgres_test

import (
	"context"
	"reflect"
	"strings"
	"testing"

	"github.com/palmares-hq/palmares/internal/catalog"
	ct "github.com/palmares-hq/palmares/internal/catalogtest"
)

// variants are an item for each field, full but for that field, which has another value. They are named
// after their fields.
func variants[T any](suffix string, edit func(*T)) (items []any) {
	for _, f := range ct.Fields[T]() {
		item := ct.Full[T](strings.ToLower(strings.ReplaceAll(f.Name, ".", "-")) + suffix)
		if edit != nil && f.Name != "Slug" && f.Name != "Draft" {
			f.Change(item)
			edit(item)
		}
		items = append(items, item)
	}
	return items
}

// Every field of an item is written and read back: of an item that is new, and of one that changes.
func TestColumns_HoldEveryField(t *testing.T) {
	t.Parallel()
	db := newDB(t)
	others := []any{ct.Tool("a"), ct.Tool("b"), ct.Tool("c")}
	state := func(changed bool) *catalog.Contents {
		var tool func(*catalog.Tool)
		var comparison func(*catalog.Comparison)
		var retired func(*catalog.Retired)
		if changed { // each row is written, even if the other change is not noticed
			tool = func(t *catalog.Tool) { t.Name += "!" }
			comparison = func(c *catalog.Comparison) { c.Title += "!" }
			retired = func(r *catalog.Retired) { r.Name += "!" }
		}
		items := append(variants("-t", tool), others...)
		items = append(items, variants("-c", comparison)...)
		return ct.Contents(append(items, variants("-r", retired)...)...)
	}
	for _, changed := range []bool{false, true} {
		var decided catalog.Changes
		_, err := db.Catalog.Publish(t.Context(), db.clock,
			func(_ context.Context, current *catalog.Contents, _ catalog.Edition, _ catalog.Past) (catalog.Changes, error) {
				decided = catalog.Diff(current, state(changed), catalog.DateOf(db.now))
				return decided, nil
			})
		db.must(err)
		db.nextDay()
		got, want := db.whole(), decided.Delta(catalog.Edition{})
		wantRead(t, "toolColumns in internal/postgres/tools.go, and a migration that adds the column",
			got.Tools, want.Tools, map[string]string{
				"Review.Markdown.Text":       "stored compressed",
				"Review.Markdown.Compressed": "made of the text",
				"Review.Sections":            "kept until the hash changes",

				"English.Review.Markdown.Text":       "stored compressed",
				"English.Review.Markdown.Compressed": "made of the text",
			})
		wantRead(t, "comparisonColumns in internal/postgres/comparisons.go, and a migration that adds the column",
			got.Comparisons, want.Comparisons, nil)
		wantRead(t, "retiredColumns in internal/postgres/comparisons.go, and a migration that adds the column",
			got.Retired, want.Retired, nil)
	}
	review := db.tool("review-hash-t", db.whole()).Review // its hash did change
	wantSame(t, "the sections of a changed review", review.Sections, ct.Full[catalog.Tool]("x").Review.Sections)
}

// wantRead wants what was read to be what was written, field by field.
func wantRead[T any](t *testing.T, edit string, got, want []*T, except map[string]string) {
	t.Helper()
	slug := func(item *T) string { return reflect.ValueOf(item).Elem().FieldByName("Slug").String() }
	read := map[string]*T{}
	for _, item := range got {
		read[slug(item)] = item
	}
	place := ct.Place{Lacks: "is not read back from PostgreSQL as it was written", Edit: edit}
	ct.WantFields[T](t, place, func(f ct.Field) bool {
		if except[f.Name] != "" {
			return true
		}
		for _, item := range want {
			if back := read[slug(item)]; back == nil || !f.Same(back, item) {
				return false
			}
		}
		return len(want) > 0
	})
}
