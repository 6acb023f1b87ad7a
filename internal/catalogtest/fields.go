package catalogtest

import (
	"fmt"
	"maps"
	"path"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/palmares-hq/palmares/internal/catalog"
)

// A Field is one field of an item, or of a struct inside it. Fields are found by reflection, so
// tests that walk them cover a new field without being changed.
type Field struct {
	Name  string // as in Go: Review.Markdown.Hash
	item  string // the item's type: Tool
	index []int
}

// Fields lists the fields of catalog.Tool, catalog.Comparison or catalog.Retired.
func Fields[T any]() []Field {
	t := reflect.TypeFor[T]()
	return fieldsOf(t.Name(), t, "", nil)
}

func fieldsOf(item string, t reflect.Type, prefix string, index []int) (list []Field) {
	for i := range t.NumField() {
		f, at := t.Field(i), append(slices.Clone(index), i)
		if isGroup(f.Type) {
			list = append(list, fieldsOf(item, f.Type, prefix+f.Name+".", at)...)
		} else {
			list = append(list, Field{prefix + f.Name, item, at})
		}
	}
	return list
}

// isGroup reports whether a type is a struct of package catalog whose fields are listed one by one.
// A Measure counts as one value.
func isGroup(t reflect.Type) bool {
	return t.Kind() == reflect.Struct && path.Base(t.PkgPath()) == "catalog" && t != reflect.TypeFor[catalog.Measure]()
}

// Of returns the value of the field in an item.
func (f Field) Of(item any) any { return f.in(item).Interface() }

// IsZero reports whether the field has no value.
func (f Field) IsZero(item any) bool { return f.in(item).IsZero() }

// Same reports whether the field has the same value in both items.
func (f Field) Same(a, b any) bool { return reflect.DeepEqual(f.Of(a), f.Of(b)) }

func (f Field) in(item any) reflect.Value { return reflect.ValueOf(item).Elem().FieldByIndex(f.index) }

// Change sets the field to another value than Full does. The winner of a comparison stays one of
// its two tools.
func (f Field) Change(item any) {
	f.in(item).Set(f.value(f.in(item).Type(), 1))
	if c, ok := item.(*catalog.Comparison); ok && c.Winner != c.ToolA && c.Winner != c.ToolB {
		c.Winner = c.ToolA
	}
}

// Full returns an item in which every field has a value, each a different one. A comparison is
// between the tools a and b (c instead after Change) and not a draft.
func Full[T any](slug string) *T {
	item := new(T)
	for _, f := range Fields[T]() {
		f.in(item).Set(f.value(f.in(item).Type(), 0))
	}
	reflect.ValueOf(item).Elem().FieldByName("Slug").SetString(slug)
	return item
}

// particular holds the values of fields that do not allow just any value of their type: first the
// one for Full, then the one for Change. A tool qualifies for the embeddings set with both.
var particular = map[string][2]any{
	"Tool.Category":         {"code", "image"},
	"Tool.Ending.Successor": {"a", "b"},
	"Retired.Successor":     {"a", "b"},
	"Tool.Domain":           {"full.example", "changed.example"},
	"Tool.Packages":         {[]string{"pkg:npm/full"}, []string{"pkg:npm/changed", "pkg:pypi/changed"}},
	"Retired.Domain":        {"late.example", "later.example"},
	"Retired.Packages":      {[]string{"pkg:npm/late"}, []string{"pkg:npm/later", "pkg:pypi/later"}},
	"Tool.Formerly":         {[]string{"full-before"}, []string{"changed-before", "changed-first"}},
	"Comparison.Formerly":   {[]string{"match-before"}, []string{"match-first", "match-before"}},
	"Retired.Formerly":      {[]string{"late-before"}, []string{"later-before"}},
	"Tool.Price":            {"20 €/mois", "25 €/mois"},
	"Tool.Next.Price":       {"30 €/mois", "35 €/mois"},
	"Comparison.ToolA":      {"a", "c"},
	"Comparison.ToolB":      {"b", "c"},
	"Comparison.Winner":     {"a", "b"},
	"Comparison.Draft":      {false, true},
	"Retired.Category":      {"code", "image"},
}

// value returns a value of the type: for Full if n is 0, for Change if n is 1.
func (f Field) value(t reflect.Type, n int) reflect.Value {
	if values, ok := particular[f.item+"."+f.Name]; ok {
		return reflect.ValueOf(values[n]).Convert(t)
	}
	var v any
	switch t {
	case reflect.TypeFor[catalog.ICP]():
		v = catalog.ICPs()[n]
	case reflect.TypeFor[catalog.Pricing]():
		v = catalog.Pricings()[1+n]
	case reflect.TypeFor[catalog.Reason]():
		v = catalog.Reasons()[n]
	case reflect.TypeFor[catalog.Date]():
		v = catalog.Date(fmt.Sprintf("2026-01-%02d", 10+n))
	case reflect.TypeFor[catalog.Measure]():
		v = catalog.Hundredths(800 + len(f.Name) + 100*n)
	default:
		return f.plain(t, n)
	}
	return reflect.ValueOf(v)
}

// plain returns a value of a type that value has no case for, by the type's kind.
func (f Field) plain(t reflect.Type, n int) reflect.Value {
	v := reflect.New(t).Elem()
	switch t.Kind() {
	case reflect.String:
		v.SetString(fmt.Sprintf("%s %d", f.Name, n))
	case reflect.Bool:
		v.SetBool(n == 0)
	case reflect.Int, reflect.Int16, reflect.Int32, reflect.Int64:
		v.SetInt(int64(1 + n))
	case reflect.Uint8:
		v.SetUint(uint64(1 + n))
	case reflect.Slice:
		for i := range 2 {
			of := Field{fmt.Sprint(f.Name, " ", i), f.item, nil}
			v = reflect.Append(v, of.value(t.Elem(), n))
		}
	case reflect.Array:
		for i := range t.Len() {
			of := Field{fmt.Sprint(f.Name, " ", i), f.item, nil}
			v.Index(i).Set(of.value(t.Elem(), n))
		}
	case reflect.Pointer:
		v.Set(reflect.New(t.Elem()))
		v.Elem().Set(f.value(t.Elem(), n))
	case reflect.Struct:
		for i := range t.NumField() {
			of := Field{f.Name + "." + t.Field(i).Name, f.item, nil}
			v.Field(i).Set(of.value(t.Field(i).Type, n))
		}
	default:
		panic(fmt.Sprintf("catalogtest: %s.%s is a %s: say in fields.go what values it can have", f.item, f.Name, t))
	}
	return v
}

// Except returns the exceptions of a place with all fields of T added whose names begin with the
// prefix, for one reason. It does not modify its argument.
func Except[T any](except map[string]string, prefix, why string) map[string]string {
	all := maps.Clone(except)
	if all == nil {
		all = make(map[string]string)
	}
	for _, f := range Fields[T]() {
		if strings.HasPrefix(f.Name, prefix) {
			all[f.Name] = why
		}
	}
	return all
}

// A Place is where every field of an item has to appear.
type Place struct {
	Lacks  string            // what is wrong with a field that is not there
	Edit   string            // where it is added
	Except map[string]string // fields that are meant not to be there, with the reason
}

// WantFields fails the test for each field of T that is missing from the place, for each that is
// there although it is excepted, and for each exception that is no field of T. It names the field.
func WantFields[T any](tb testing.TB, p Place, has func(Field) bool) {
	tb.Helper()
	unknown := map[string]bool{}
	for name := range p.Except {
		unknown[name] = true
	}
	for _, f := range Fields[T]() {
		name, why := "catalog."+f.item+"."+f.Name, p.Except[f.Name]
		delete(unknown, f.Name)
		switch there := has(f); {
		case !there && why == "":
			tb.Errorf("%s %s: edit %s, or say in the test why not", name, p.Lacks, p.Edit)
		case there && why != "":
			tb.Errorf("%s is excepted (%s), but is there: remove the exception", name, why)
		}
	}
	for name := range unknown {
		tb.Errorf("the exception %s is no field of catalog.%s", name, reflect.TypeFor[T]().Name())
	}
}
