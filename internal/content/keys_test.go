package content_test

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"

	"github.com/palmares-hq/palmares/internal/content"
)

// A kind is a kind of item, and where its keys are written besides the code that reads them.
type kind struct {
	folder  string
	schema  string // in schemas
	snippet string // in .vscode/palmares.code-snippets
	heading string // in docs/content-format.md
	created func(dir string) (content.Draft, error)
	api     []string          // its schemas in internal/api/openapi.yaml
	private map[string]string // keys that the API does not show, with the reason
}

func kinds() []kind {
	return []kind{
		{
			folder: content.ToolFolder, schema: "tool.schema.json", snippet: "Palmarès: tool", heading: "## tools/&lt;slug&gt;.md",
			created: func(dir string) (content.Draft, error) { return content.NewTool(dir, "neuf", content.ToolDraft{}) },
			api:     []string{"ToolItem"},
			private: map[string]string{
				"obsolescence": "only a filter", "keywords": "only search knows them", "packages": "only a download has them", "tier": "for the editors", "mainstream": "for the editors", "tested": "only pages show it",
				"formerly": "old slugs lead to the new one", "sources": "an operation of its own has them", "since": "the history has it", "price_next": "the history has it", "ends_at": "an operation of its own has it", "ends_source": "an operation of its own has it", "successor": "an operation of its own has it",
			},
		},
		{
			folder: content.ComparisonFolder, schema: "comparatif.schema.json", snippet: "Palmarès: comparison", heading: "## comparatifs/&lt;slug&gt;.md",
			created: func(dir string) (content.Draft, error) { return content.NewComparison(dir, "neuf", "", "") },
			api:     []string{"ComparisonItem", "Comparison"},
			private: map[string]string{"status": "drafts are not published", "formerly": "old slugs lead to the new one"},
		},
		{
			folder: content.RetiredFolder, schema: "cimetiere.schema.json", snippet: "Palmarès: retired tool", heading: "## cimetiere/&lt;slug&gt;.md",
			created: func(dir string) (content.Draft, error) {
				r, err := content.Retire(dir, "sujet", dead)
				return r.Draft, err
			},
			api:     []string{"RetiredTool"},
			private: map[string]string{"category": "only a filter", "domain": "only a download has it", "packages": "only a download has them", "formerly": "old slugs lead to the new one", "sources": "an operation of its own has them", "successor": "an operation of its own has it"},
		},
	}
}

var (
	frontMatterKey = regexp.MustCompile(`(?m)^(?:# )?([a-z_]+):(?: |$)`)
	quotedKey      = regexp.MustCompile("`([a-z_]+)`")
)

// The keys of a front matter are the same in the code that reads them, in the schema, in the snippet,
// in what palmares new writes, in the guide for editors and, as far as they are public, in the contract.
func TestKeys_AreTheSameEverywhere(t *testing.T) {
	t.Parallel()
	for _, k := range kinds() {
		var keys, required []string
		for _, key := range content.KeysOf(k.folder) {
			keys = append(keys, key.Name)
			if !key.Optional {
				required = append(required, key.Name)
			}
		}
		same := func(file string, got, want []string) {
			t.Helper()
			for _, key := range want {
				if !slices.Contains(got, key) {
					t.Errorf("%s: the key %q of %s/<slug>.md is missing: add it", file, key, k.folder)
				}
			}
			for _, key := range got {
				if !slices.Contains(want, key) {
					t.Errorf("%s: %q is no such key of %s/<slug>.md: remove it, or read it in internal/content", file, key, k.folder)
				}
			}
		}

		var schema struct {
			Required   []string
			Properties map[string]any
		}
		readJSON(t, "schemas/"+k.schema, &schema)
		same("schemas/"+k.schema+", properties", names(schema.Properties), keys)
		same("schemas/"+k.schema+", required", schema.Required, required)

		var snippets map[string]struct{ Body []string }
		readJSON(t, ".vscode/palmares.code-snippets", &snippets)
		same(".vscode/palmares.code-snippets", keysIn(strings.Join(snippets[k.snippet].Body, "\n")), keys)

		dir := layTool(t, "Sujet")
		draft, err := k.created(dir)
		if err != nil {
			t.Fatal(err)
		}
		text, err := os.ReadFile(filepath.Join(dir, draft.File))
		if err != nil {
			t.Fatal(err)
		}
		same("what palmares writes, in internal/content/draft.go", keysIn(string(text)), keys)

		_, section, _ := strings.Cut(readRepository(t, "docs/content-format.md"), "\n"+k.heading+"\n")
		_, example, _ := strings.Cut(section, "```markdown\n---\n")
		example, rest, _ := strings.Cut(example, "\n---\n")
		_, rest, _ = strings.Cut(rest, "\n```\n")
		rest, _, _ = strings.Cut(rest, "\n## ")
		same("docs/content-format.md, the example", keysIn(example), keys)
		var described []string
		for line := range strings.Lines(rest) {
			if cells := strings.Split(line, "|"); len(cells) > 2 {
				for _, m := range quotedKey.FindAllStringSubmatch(cells[1], -1) {
					described = append(described, m[1])
				}
			}
		}
		same("docs/content-format.md, the table", described, keys)

		public := slices.DeleteFunc(slices.Clone(keys), func(key string) bool { return k.private[key] != "" })
		properties, french := map[string]any{}, map[string]any{}
		for _, name := range k.api {
			maps.Copy(properties, contractProperties(t, "internal/api/openapi.yaml", name))
			maps.Copy(french, contractProperties(t, "internal/api/openapi.fr.yaml", name))
		}
		for _, key := range public {
			property, found := properties[key].(map[string]any)
			if !found {
				t.Errorf("internal/api/openapi.yaml: the key %q of %s/<slug>.md is no property of %v: add it, or say in the test why it is private",
					key, k.folder, k.api)
			} else if property["description"] != nil && french[key] == nil {
				t.Errorf("internal/api/openapi.fr.yaml: the property %q of %v has no French description: add it", key, k.api)
			}
		}
		for key, why := range k.private {
			if !slices.Contains(keys, key) || properties[key] != nil {
				t.Errorf("%q of %s/<slug>.md is private (%s), but no key, or in the contract: remove the exception", key, k.folder, why)
			}
		}
	}
}

func keysIn(text string) (keys []string) {
	for _, m := range frontMatterKey.FindAllStringSubmatch(text, -1) {
		keys = append(keys, m[1])
	}
	return keys
}

func names(m map[string]any) (list []string) {
	for name := range m {
		list = append(list, name)
	}
	slices.Sort(list)
	return list
}

func readRepository(t *testing.T, file string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", filepath.FromSlash(file)))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func readJSON(t *testing.T, file string, into any) {
	t.Helper()
	if err := json.Unmarshal([]byte(readRepository(t, file)), into); err != nil {
		t.Fatalf("%s: %v", file, err)
	}
}

// contractProperties are the properties of a schema of the contract.
func contractProperties(t *testing.T, file, schema string) map[string]any {
	t.Helper()
	var doc struct {
		Components struct {
			Schemas map[string]struct{ Properties map[string]any }
		}
	}
	if err := yaml.Unmarshal([]byte(readRepository(t, file)), &doc); err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	if doc.Components.Schemas[schema].Properties == nil {
		t.Fatalf("%s has no schema %s", file, schema)
	}
	return doc.Components.Schemas[schema].Properties
}
