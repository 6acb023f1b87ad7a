package content_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/catalogtest"
	"github.com/palmares-hq/palmares/internal/content"
)

// instead are lines in the place of a key's example, where that does not do with the rest of the file.
var instead = map[string]map[string][]string{
	content.ComparisonFolder: {
		"tool_b": {"tool_b: cobalt", "winner: cobalt"},
		"winner": {"winner: plein"},
	},
}

// Every key of a front matter is read into a field, and every field is read from the file: a key, the
// text below, the name of the file.
func TestDecode_EveryField(t *testing.T) {
	t.Parallel()
	wantDecoded[catalog.Tool](t, content.ToolFolder, "toolKeys and tool in internal/content/tool.go", map[string]string{
		"UpdatedAt":                          "decided at publication",
		"Embedded":                           "decided at publication",
		"History":                            "decided at publication",
		"Review.Markdown.Compressed":         "made at publication",
		"Review.Opening":                     "the beginning of the text: corpus.golden has it",
		"English.Review.Opening":             "the beginning of the text: corpus.golden has it",
		"English.Tagline.Of":                 "decided at publication",
		"English.Review.Of":                  "decided at publication",
		"English.Review.Markdown.Compressed": "made at publication",
	})
	wantDecoded[catalog.Comparison](t, content.ComparisonFolder, "comparisonKeys and comparison in internal/content/comparison.go",
		map[string]string{
			"UpdatedAt": "decided at publication", "English.Title.Of": "decided at publication", "English.Note.Of": "decided at publication",
		})
	wantDecoded[catalog.Retired](t, content.RetiredFolder, "retiredKeys and retired in internal/content/retired.go",
		map[string]string{"English.Note.Of": "decided at publication"})
}

// wantDecoded decodes plein.md of the corpus, then with another value of each key.
func wantDecoded[T any](t *testing.T, folder, edit string, except map[string]string) {
	t.Helper()
	file := filepath.Join("testdata", "corpus", folder, "plein.md")
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	english, err := os.ReadFile(strings.TrimSuffix(file, ".md") + ".en.md")
	if err != nil {
		t.Fatal(err)
	}
	decode := func(what, slug string, data []byte) *T {
		t.Helper()
		item, faults := content.DecodeItem(folder, slug, data, english)
		if len(faults) > 0 || item == nil {
			t.Fatalf("%s, %s: %v", file, what, faults)
		}
		return item.(*T)
	}
	first := decode("as it is", "plein", data)
	read := map[string]bool{}
	differ := func(item *T) (differs bool) {
		for _, f := range catalogtest.Fields[T]() {
			if !f.Same(first, item) {
				read[f.Name] = true
				differs = differs || f.Name != "Source"
			}
		}
		return differs
	}
	for _, k := range content.KeysOf(folder) {
		lines := instead[folder][k.Name]
		if lines == nil {
			lines = []string{k.Example}
		}
		changed := data
		for _, line := range lines {
			name, _, _ := strings.Cut(line, ":")
			before, rest, found := bytes.Cut(changed, []byte("\n"+name+":"))
			_, after, _ := bytes.Cut(rest, []byte("\n"))
			if !found {
				t.Fatalf("%s has no key %s: add it, with another value than %q", file, name, line)
			}
			changed = bytes.Join([][]byte{before, []byte("\n" + line + "\n"), after}, nil)
		}
		if !differ(decode("with "+strings.Join(lines, ", "), "plein", changed)) {
			t.Errorf("the key %s of %s is read into no field, or %s says the same as %q: edit %s", k.Name, folder, file, lines, edit)
		}
	}
	differ(decode("under another name", "autre", data))
	differ(decode("with another text", "plein", append(bytes.Clone(data), "\nUne phrase de plus.\n"...)))
	english = append(english, "\nOne more sentence.\n"...)
	differ(decode("with another text in English", "plein", data))
	catalogtest.WantFields[T](t, catalogtest.Place{
		Lacks: "is read from no key of the file", Edit: edit, Except: except,
	}, func(f catalogtest.Field) bool { return read[f.Name] })
}
