package reference

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
)

// A Table is an object of a response, with its fields.
type Table struct {
	Name        string // of its schema
	Description string
	Fields      []Field
}

// A Field is a member of an object.
type Field struct {
	Name        string // nested ones are "info.title", or "days[].date" within a list
	Type        Type
	Description string
}

// A Type is the type of a value.
type Type struct {
	Name     string // as in JSON Schema, but "date", "date-time" and "uri" for those formats
	Table    string // the name of the table of an object; "" if it has none
	List     bool   // of such values
	Nullable bool
	Bounds   string // such as "1–200"; "" for none
	Values   []string
	Default  string
}

// tables returns a table for a schema and one for each schema that it refers to, directly or not, in the order of the
// first reference.
func tables(ref *openapi3.SchemaRef) []Table {
	var made []Table
	waiting := []*openapi3.SchemaRef{ref}
	for len(waiting) > 0 {
		next := waiting[0]
		waiting = waiting[1:]
		name := schemaName(next)
		if slices.ContainsFunc(made, func(t Table) bool { return t.Name == name }) {
			continue
		}
		t := Table{Name: name, Description: next.Value.Description}
		t.add("", next.Value, func(ref *openapi3.SchemaRef) { waiting = append(waiting, ref) })
		made = append(made, t)
	}
	return made
}

// add adds the fields of an object, and those of inline objects in it under longer names. It calls found for every
// schema with a name that a field refers to.
func (t *Table) add(prefix string, object *openapi3.Schema, found func(*openapi3.SchemaRef)) {
	for _, name := range inOrder(object) {
		ref := object.Properties[name]
		f := Field{Name: prefix + name, Type: typeOf(ref.Value), Description: ref.Value.Description}
		of, within := ref, f.Name+"."
		switch {
		case ref.Value.Type.Is(openapi3.TypeArray):
			of, within = ref.Value.Items, f.Name+"[]."
		case ref.Value.Type == nil: // of several types, the first of which is the one that is not null
			of = ref.Value.AnyOf[0]
		}
		if of.Value.Type.Is(openapi3.TypeObject) {
			f.Type.Table = schemaName(of)
		}
		t.Fields = append(t.Fields, f)
		switch {
		case f.Type.Table != "":
			found(of)
		case of.Value.Type.Is(openapi3.TypeObject):
			t.add(within, of.Value, found)
		}
	}
}

// inOrder returns the names of the members of an object in the order in which they are sent.
func inOrder(object *openapi3.Schema) []string {
	names := slices.Clone(object.Required)
	var optional []string
	for name := range object.Properties {
		if !slices.Contains(names, name) {
			optional = append(optional, name)
		}
	}
	slices.Sort(optional)
	return append(names, optional...)
}

// schemaName returns the name of a schema, or "" if it is inline.
func schemaName(ref *openapi3.SchemaRef) string {
	return strings.TrimPrefix(ref.Ref, "#/components/schemas/")
}

// scalar is the type of a value that may be a string or a number.
const scalar = "scalar"

func typeOf(s *openapi3.Schema) Type {
	t := Type{Nullable: s.Nullable}
	if s.Type.Is(openapi3.TypeArray) {
		of := typeOf(s.Items.Value)
		t.List, t.Name = true, of.Name
		return t
	}
	if s.Type == nil {
		if t.Name = scalar; s.AnyOf[0].Value.Type.Is(openapi3.TypeObject) {
			t.Name = openapi3.TypeObject
		}
		t.Nullable = slices.ContainsFunc(s.AnyOf, func(ref *openapi3.SchemaRef) bool { return ref.Value.Nullable })
		return t
	}
	t.Name = (*s.Type)[0]
	switch s.Format {
	case "date", "date-time", "uri":
		t.Name = s.Format
	}
	t.Bounds = bounds(s)
	for _, v := range s.Enum {
		t.Values = append(t.Values, fmt.Sprint(v))
	}
	if s.Default != nil {
		t.Default = fmt.Sprint(s.Default)
	}
	return t
}

// bounds formats the range of a number; "" if it has no minimum.
func bounds(s *openapi3.Schema) string {
	number := func(f float64) string { return strconv.FormatFloat(f, 'f', -1, 64) }
	atLeast := "≥ "
	if s.ExclusiveMin.IsTrue() {
		atLeast = "> "
	}
	switch {
	case s.Min != nil && s.Max != nil && !s.ExclusiveMin.IsTrue():
		return number(*s.Min) + "–" + number(*s.Max)
	case s.Min != nil && s.Max != nil:
		return atLeast + number(*s.Min) + ", ≤ " + number(*s.Max)
	case s.Min != nil:
		return atLeast + number(*s.Min)
	default:
		return ""
	}
}

// indent returns a value as indented JSON.
func indent(v any) (string, error) {
	b, err := json.MarshalIndent(v, "", "  ")
	return string(b), err
}
