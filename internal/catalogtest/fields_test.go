package catalogtest_test

import (
	"reflect"
	"testing"

	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/catalogtest"
)

// Items that tests walk field by field have a value in each, and another one after a change of that
// field alone.
func TestFull_FillsEveryField(t *testing.T) {
	t.Parallel()
	wantFull[catalog.Tool](t, nil)
	wantFull[catalog.Comparison](t, map[string]string{"Draft": "a draft is not published"})
	wantFull[catalog.Retired](t, nil)
}

func wantFull[T any](t *testing.T, except map[string]string) {
	t.Helper()
	full := catalogtest.Full[T]("plein")
	place := catalogtest.Place{Lacks: "has no value in a full item", Edit: "particular in internal/catalogtest/fields.go", Except: except}
	catalogtest.WantFields[T](t, place, func(f catalogtest.Field) bool { return !f.IsZero(full) })
	for _, f := range catalogtest.Fields[T]() {
		changed := catalogtest.Full[T]("plein")
		f.Change(changed)
		if f.Same(full, changed) {
			t.Errorf("%s does not change", f.Name)
		}
	}
}

// decided are the fields that a publication sets.
var decided = map[string]string{
	"UpdatedAt": "decided at publication", "Embedded": "decided at publication", "History": "decided at publication",
	"Review.Markdown.Compressed": "made at publication", "English.Review.Markdown.Compressed": "made at publication",
	"English": "most texts have none",
	"Facts":   "few tools have it", "Ending": "few tools have it", "Since": "few tools have it", "Next": "few tools have it", "Successor": "few tools have it",
	"Domain":   "few retired tools have it",
	"Packages": "few tools have them",
	"Formerly": "few items have them",
	"Keywords": "few tools have them",
}

func except[T any](more map[string]string, names ...string) map[string]string {
	for _, name := range names {
		more = catalogtest.Except[T](more, name, decided[name])
	}
	return more
}

// Made-up items have a value in every field: what tests do with one that has none proves nothing.
func TestItems_FillEveryField(t *testing.T) {
	t.Parallel()
	wantSome(t, "Tool in internal/catalogtest/build.go", except[catalog.Tool](map[string]string{
		"Mainstream": "Mainstream sets it", "Tested.By": "few tools have it", "Tested.On": "few tools have it", "Review.Hash": "Reviewed sets it", "Review.Sections": "Reviewed sets it",
		"Review.Markdown.Hash": "Reviewed sets it", "Review.Markdown.Text": "Reviewed sets it", "Review.Opening": "Reviewed sets it",
	}, "Embedded", "History", "Review.Markdown.Compressed", "English", "Facts", "Ending", "Since", "Next", "Packages", "Formerly", "Keywords"), catalogtest.Tool("x"))
	wantSome(t, "Comparison in internal/catalogtest/build.go",
		except[catalog.Comparison](map[string]string{"Draft": "a draft is not published"}, "English", "Formerly"), catalogtest.Comparison("x", "a", "b"))
	wantSome(t, "Retired in internal/catalogtest/build.go", except[catalog.Retired](nil, "English", "Facts", "Successor", "Domain", "Packages", "Formerly"), catalogtest.Retired("x"))

	g := catalogtest.Generated(100)
	wantSome(t, "Tool or GeneratedTool in internal/catalogtest/generated.go",
		except[catalog.Tool](nil, "Embedded", "Review.Markdown.Compressed", "English.Review.Markdown.Compressed"), g.Tools...)
	wantSome(t, "Generated in internal/catalogtest/generated.go", map[string]string{"Draft": "a draft is not published"}, g.Comparisons...)
	wantSome(t, "Generated in internal/catalogtest/generated.go", nil, g.Retired...)
}

// wantSome wants every field to have a value in one of the items.
func wantSome[T any](t *testing.T, edit string, except map[string]string, items ...*T) {
	t.Helper()
	place := catalogtest.Place{Lacks: "has no value in a made-up item", Edit: edit, Except: except}
	catalogtest.WantFields[T](t, place, func(f catalogtest.Field) bool {
		for _, item := range items {
			if !f.IsZero(item) {
				return true
			}
		}
		return false
	})
}

// A World edits every field of its items: property tests see no change of one that it does not edit.
func TestWorld_EditsEveryField(t *testing.T) {
	t.Parallel()
	w := catalogtest.NewWorld(1, 20)
	edited := map[string]bool{}
	for range 1000 {
		before := w.Contents() // edits replace items
		w.Change(1)
		after := w.Contents()
		note(edited, before.Tools, after.Tools)
		note(edited, before.Comparisons, after.Comparisons)
		note(edited, before.Retired, after.Retired)
	}
	place := func(edit string, except map[string]string) catalogtest.Place {
		return catalogtest.Place{Lacks: "is never edited", Edit: edit + " in internal/catalogtest/world.go", Except: except}
	}
	catalogtest.WantFields[catalog.Tool](t, place("World.change", except[catalog.Tool](map[string]string{
		"Slug": "another slug is another tool", "Source": "there are no files",
	}, "Embedded", "History", "Review.Markdown.Compressed", "English.Review.Markdown.Compressed")), func(f catalogtest.Field) bool { return edited["Tool."+f.Name] })
	catalogtest.WantFields[catalog.Comparison](t, place("World.change", map[string]string{
		"Slug": "another slug is another comparison", "Source": "there are no files",
	}), func(f catalogtest.Field) bool { return edited["Comparison."+f.Name] })
	catalogtest.WantFields[catalog.Retired](t, place("World.retire", map[string]string{
		"Slug": "another slug is another tool", "Source": "there are no files",
	}), func(f catalogtest.Field) bool { return edited["Retired."+f.Name] })
}

// note adds the fields in which items of the same slug differ.
func note[T any](edited map[string]bool, before, after []*T) {
	name := reflect.TypeFor[T]().Name()
	slug := func(item *T) string { return reflect.ValueOf(item).Elem().FieldByName("Slug").String() }
	was := map[string]*T{}
	for _, item := range before {
		was[slug(item)] = item
	}
	for _, item := range after {
		old := was[slug(item)]
		if old == nil || old == item {
			continue
		}
		for _, f := range catalogtest.Fields[T]() {
			if !f.Same(old, item) {
				edited[name+"."+f.Name] = true
			}
		}
	}
}
