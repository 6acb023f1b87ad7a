package content_test

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/palmares-hq/palmares/internal/content"
)

// schemaFiles says which schema is whose: by folder, or by the file's own name.
var schemaFiles = map[string]string{
	"catalog.yaml":    "catalog.schema.json",
	"categories.yaml": "categories.schema.json",
	"tools":           "tool.schema.json",
	"comparatifs":     "comparatif.schema.json",
	"cimetiere":       "cimetiere.schema.json",

	"pages/incidents.yaml": "incidents.schema.json",
}

func compileSchemas(t *testing.T) map[string]*jsonschema.Schema {
	t.Helper()
	compiled := map[string]*jsonschema.Schema{}
	compiler := jsonschema.NewCompiler()
	for key, name := range schemaFiles {
		schema, err := compiler.Compile(filepath.Join("..", "..", "schemas", name))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		compiled[key] = schema
	}
	return compiled
}

func schemaOf(schemas map[string]*jsonschema.Schema, name string) *jsonschema.Schema {
	if older, ok := strings.CutPrefix(name, "history/"); ok {
		_, name, _ = strings.Cut(older, "/")
	}
	if folder := path.Dir(name); folder != "." && schemas[name] == nil {
		return schemas[folder]
	}
	return schemas[name]
}

// Every catalog that loads without an error satisfies the schemas.
func TestSchemasAcceptWhatIsValid(t *testing.T) {
	t.Parallel()
	schemas := compileSchemas(t)
	dirs := []string{filepath.Join("testdata", "base")}
	if example := filepath.Join("..", "..", "examples", "catalog"); exists(filepath.Join(example, "catalog.yaml")) {
		dirs = append(dirs, example)
	}
	for _, fixture := range fixtures(t, "valid") {
		dir, _ := layFixture(t, readArchive(t, fixture))
		dirs = append(dirs, dir)
	}
	for _, dir := range dirs {
		if result := load(t, dir, content.Options{}); result.HasErrors() {
			t.Errorf("%s:\n%s", dir, messages(result))
		}
		validated := 0
		err := fs.WalkDir(os.DirFS(dir), ".", func(name string, e fs.DirEntry, err error) error {
			schema := schemaOf(schemas, name)
			if err != nil || e.IsDir() || schema == nil || path.Ext(name) == "" || e.Name() == "README.md" || e.Name()[0] == '.' ||
				strings.HasSuffix(name, ".en.md") {
				return err
			}
			data, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(name)))
			if err != nil {
				return err
			}
			if len(data) == 0 {
				return nil // in a history: the file went
			}
			value, ok := content.ForSchema(name, data)
			if !ok {
				t.Errorf("%s: not YAML", name)
			} else if err := schema.Validate(value); err != nil {
				t.Errorf("%s: %v", name, err)
			}
			validated++
			return nil
		})
		if err != nil || validated < 3 {
			t.Errorf("%s: %d files validated: %v", dir, validated, err)
		}
	}
}

// A fixture marked "schema: refuses" is refused by a schema as well; one without the
// mark is wrong in a way that no schema can see.
func TestSchemasRefuseWhatTheyCan(t *testing.T) {
	t.Parallel()
	schemas := compileSchemas(t)
	for _, fixture := range fixtures(t, "invalid") {
		a := readArchive(t, fixture)
		want, got := strings.Contains(a.comment, "# schema: refuses\n"), false
		for _, f := range a.files {
			name, data := unquoteFile(t, f)
			schema := schemaOf(schemas, name)
			if schema == nil || path.Ext(name) != ".md" && path.Ext(name) != ".yaml" || strings.HasSuffix(name, ".en.md") {
				continue
			}
			if value, ok := content.ForSchema(name, data); ok && path.Base(name) != "README.md" {
				got = got || schema.Validate(value) != nil
			}
		}
		if got != want {
			t.Errorf("%s: refused by a schema: %t, marked: %t", filepath.Base(fixture), got, want)
		}
	}
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
