package api_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"maps"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"

	"github.com/palmares-hq/palmares/internal/testkit"
)

// goClient is what the source of the Go client declares. This module does not import it.
type goClient struct {
	structs map[string]map[string]goField // by name, and by the name in JSON
	named   map[string][]string           // the constants of each type that is a string
	methods map[string]bool               // of Client
}

type goField struct {
	typ      string
	optional bool
}

// apart are the schemas that the client has in another form, with the reason.
var apart = map[string]string{
	"Description": "it is handed on as it is", "Error": "an error in Go has more", "NextPriceItem": "no operation answers it",
	"ToolList": "a Page", "ComparisonList": "a Page", "PriceList": "a Page", "RetiredList": "a Page", "EndingList": "a Page", "ToolOfDayList": "a Page",
}

func readGoClient(t *testing.T) *goClient {
	t.Helper()
	c := &goClient{structs: map[string]map[string]goField{}, named: map[string][]string{}, methods: map[string]bool{}}
	paths, err := filepath.Glob("../../clients/go/*.go")
	testkit.Must(t, err)
	for _, path := range paths {
		f, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
		testkit.Must(t, err)
		if f.Name.Name != "palmares" {
			continue
		}
		for _, d := range f.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				if d.Recv != nil && types.ExprString(d.Recv.List[0].Type) == "*Client" {
					c.methods[d.Name.Name] = true
				}
			case *ast.GenDecl:
				for _, spec := range d.Specs {
					c.note(t, spec)
				}
			}
		}
	}
	return c
}

func (c *goClient) note(t *testing.T, spec ast.Spec) {
	t.Helper()
	switch spec := spec.(type) {
	case *ast.ValueSpec:
		if spec.Type != nil && len(spec.Values) == 1 {
			if value, is := spec.Values[0].(*ast.BasicLit); is && value.Kind == token.STRING {
				text, err := strconv.Unquote(value.Value)
				testkit.Must(t, err)
				name := types.ExprString(spec.Type)
				c.named[name] = append(c.named[name], text)
			}
		}
	case *ast.TypeSpec:
		if types.ExprString(spec.Type) == "string" {
			c.named[spec.Name.Name] = append([]string{}, c.named[spec.Name.Name]...)
		}
		s, is := spec.Type.(*ast.StructType)
		if !is {
			return
		}
		fields := map[string]goField{}
		for _, f := range s.Fields.List {
			if f.Tag == nil {
				continue
			}
			name, rest, _ := strings.Cut(reflect.StructTag(strings.Trim(f.Tag.Value, "`")).Get("json"), ",")
			fields[name] = goField{typ: types.ExprString(f.Type), optional: rest == "omitempty"}
		}
		c.structs[spec.Name.Name] = fields
	}
}

// The structs of the Go client are the schemas of the contract, field by field, and its methods the operations.
func TestGoClient_IsOfTheContract(t *testing.T) {
	t.Parallel()
	c, doc := readGoClient(t), loadContract(t).doc
	for name, ref := range doc.Components.Schemas {
		switch s := ref.Value; {
		case apart[name] != "":
		case s.Type.Is("object"):
			c.compare(t, name, name, s)
		case len(s.Enum) > 0 && len(c.named[name]) > 0:
			var values []string
			for _, v := range s.Enum {
				values = append(values, v.(string)) //nolint:forcetypeassert // the contract is ours
			}
			slices.Sort(values)
			testkit.Equal(t, "the constants of "+name, slices.Sorted(slices.Values(c.named[name])), values)
		}
	}
	for path, item := range doc.Paths.Map() {
		name := strings.ToUpper(item.Get.OperationID[:1]) + item.Get.OperationID[1:]
		if !c.methods[name] {
			t.Errorf("the Go client lacks %s, of %s", name, path)
		}
		want := map[string]bool{}
		for _, p := range item.Get.Parameters {
			if p.Value.In == "query" {
				want[p.Value.Name] = true
			}
		}
		got := map[string]bool{}
		for name := range maps.Keys(c.structs[name+"Params"]) {
			got[name] = true
		}
		if !maps.Equal(got, want) {
			t.Errorf("%sParams has %v, and the contract %v", name, got, want)
		}
	}
}

// compare compares the fields of a struct with the properties of a schema.
func (c *goClient) compare(t *testing.T, where, name string, s *openapi3.Schema) {
	t.Helper()
	fields, known := c.structs[name]
	if !known {
		t.Errorf("the Go client lacks the struct %s, of %s", name, where)
		return
	}
	for key := range fields {
		if s.Properties[key] == nil && name+"."+key != "Chunk.hash" { // it is in the download
			t.Errorf("%s.%s is not in the contract", name, key)
		}
	}
	for key, property := range s.Properties {
		f, there := fields[key]
		if !there {
			t.Errorf("%s lacks %s", name, key)
			continue
		}
		required := slices.Contains(s.Required, key)
		if f.optional == required {
			t.Errorf("%s.%s: omitempty is %t, and required %t", name, key, f.optional, required)
		}
		if want := c.typeOf(t, where+"."+key, property, f.typ, required); want != f.typ {
			t.Errorf("%s.%s is %s, and the contract wants %s", name, key, f.typ, want)
		}
	}
}

// typeOf returns the Go type of a schema. The struct of an object without a name is the one that the client says.
func (c *goClient) typeOf(t *testing.T, where string, ref *openapi3.SchemaRef, said string, required bool) string {
	t.Helper()
	s := ref.Value
	_, base, _ := strings.Cut(ref.Ref, "#/components/schemas/")
	typ := "any"
	switch {
	case c.structs[base] != nil || c.named[base] != nil:
		typ = base
	case s.Type.Is("string") && s.Format == "date-time":
		typ = "time.Time"
	case s.Type.Is("string"):
		typ = "string"
	case s.Type.Is("boolean"):
		typ = "bool"
	case s.Type.Is("number"):
		typ = "float64"
	case s.Type.Is("integer"):
		typ = map[bool]string{true: "int64", false: "int"}[s.Format == "int64"]
	case s.Type.Is("array"):
		return "[]" + c.typeOf(t, where, s.Items, strings.TrimPrefix(said, "[]"), true)
	case s.Type.Is("object") && len(s.Properties) > 0:
		typ = strings.TrimPrefix(said, "*")
		c.compare(t, where, typ, s)
	case s.Type.Is("object") && s.AdditionalProperties.Schema != nil && s.AdditionalProperties.Schema.Value.Type.Is("array"):
		return "map[string]" + c.typeOf(t, where, s.AdditionalProperties.Schema, strings.TrimPrefix(said, "map[string]"), true)
	case s.Type.Is("object"):
		return "json.RawMessage" // null is in it
	case len(s.AnyOf) == 2 && c.structs[strings.TrimPrefix(s.AnyOf[0].Ref, "#/components/schemas/")] != nil:
		return "*" + strings.TrimPrefix(s.AnyOf[0].Ref, "#/components/schemas/") // or null
	}
	absentIsZero := typ == "string" || c.named[typ] != nil
	if s.Nullable && typ != "any" || !required && !absentIsZero {
		return "*" + typ
	}
	return typ
}
