package content_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/palmares-hq/palmares/internal/content"
	"github.com/palmares-hq/palmares/internal/testkit"
)

// tree is what a directory holds, by path.
func tree(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := make(map[string]string)
	testkit.Must(t, fs.WalkDir(os.DirFS(dir), ".", func(name string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		data, err := os.ReadFile(filepath.Join(dir, name))
		info, _ := e.Info()
		files[name] = info.Mode().String() + "\n" + string(data)
		return err
	}))
	return files
}

// Whatever the notation, the old slug joins the list and nothing else of the file changes.
func TestRename_WritesTheListAlone(t *testing.T) {
	t.Parallel()
	for was, want := range map[string]string{
		"":                                        "formerly: [sujet]\n",
		"# formerly: [ancien-slug]\n":             "formerly: [sujet]\n",
		"formerly: [a, b]\n":                      "formerly: [a, b, sujet]\n",
		"formerly: [ a, b ]  # [sujet]\n":         "formerly: [ a, b, sujet ]  # [sujet]\n",
		"formerly: [\"a\"]\n":                     "formerly: [\"a\", sujet]\n",
		"formerly: [\n  a,\n  b,\n]\n":            "formerly: [\n  a,\n  b, sujet\n]\n",
		"formerly:\n  - a\n  # et b\n  - b # b\n": "formerly:\n  - a\n  # et b\n  - b # b\n  - sujet\n",
		"formerly:\n- a\n":                        "formerly:\n- a\n- sujet\n",
		"formerly: [neuf]\n":                      "formerly: [neuf, sujet]\n",
		"formerly: [neuf, a]\n":                   "formerly: [neuf, a, sujet]\n",
		"formerly: [sujet, a]\n":                  "formerly: [sujet, a]\n",
		"formerly: [sujet, neuf]\n":               "formerly: [sujet]\n",
		"formerly:\n  - neuf\n  - a # b\n":        "formerly:\n  - neuf\n  - a # b\n  - sujet\n",
		"formerly: [a, 'neuf', b]\n":              "formerly: [a, 'sujet', b]\n",
		"formerly:\n  - neuf-2\n  - neuf # ici\n": "formerly:\n  - neuf-2\n  - sujet # ici\n",
		"formerly: {x\n":                          "",
	} {
		for _, ends := range []string{"\n", "\r\n"} {
			text := func(list string) string {
				return strings.ReplaceAll(strings.Replace("---\nname: \"sujet\" # sujet\n"+toolText, "---\n\n", list+"---\n\n", 1), "\n", ends)
			}
			dir, _ := layFixture(t, archive{files: []archiveFile{{"tools/sujet.md", text(was)}}})
			testkit.Must(t, os.Chmod(filepath.Join(dir, "tools/sujet.md"), 0o640))
			before := tree(t, dir)
			_, err := content.Rename(t.Context(), dir, content.ToolKind, "sujet", "neuf")
			if want == "" {
				if err == nil {
					t.Errorf("%q: renamed", was)
				}
				testkit.Equal(t, was, tree(t, dir), before)
				continue
			}
			if err != nil {
				t.Errorf("%q: %v", was, err)
				continue
			}
			delete(before, "tools/sujet.md")
			before["tools/neuf.md"] = "-rw-r-----\n" + text(want)
			testkit.Equal(t, was+ends, tree(t, dir), before)
		}
	}
}

// The slug of a reference is found in any notation, and in no other place.
func TestRename_MendsReferences(t *testing.T) {
	t.Parallel()
	dir, _ := layFixture(t, archive{files: []archiveFile{
		{"tools/sujet.md", "---\nname: Sujet\n" + strings.Replace(toolText, "---\n\n", "score: 8\n---\n\n", 1)},
		{"comparatifs/un.md", "---\r\ntitle: sujet\r\n\"tool_a\": sujet\r\ntool_b:\r\n  lumen\r\nwinner: 'sujet'\r\nstatus: draft # sujet\r\n---\r\nsujet\r\n"},
		{"comparatifs/deux.md", "---\n{title: tool_a sujet, tool_a: sujet, tool_b: \"lumen\",\n winner: \"\\u0073ujet\", status: draft}\n---\nsujet-lumen, [x](/outils/sujet-2), [y](/outils/sujet.md?a#b)\n"},
	}})
	_, err := content.Rename(t.Context(), dir, content.ToolKind, "sujet", "neuf")
	if err == nil || !strings.Contains(err.Error(), `comparatifs/deux.md`) {
		t.Fatalf("an escape, which is not written as the slug, is left: %v", err)
	}
	path := filepath.Join(dir, "comparatifs/deux.md")
	data, err := os.ReadFile(path)
	testkit.Must(t, err)
	testkit.Must(t, os.WriteFile(path, []byte(strings.Replace(string(data), `\u0073`, "s", 1)), 0o600))
	renamed, err := content.Rename(t.Context(), dir, content.ToolKind, "sujet", "neuf")
	testkit.Must(t, err)
	testkit.Equal(t, "files", len(renamed.Files), 3)
	after := tree(t, dir)
	testkit.Equal(t, "lines and quotes", after["comparatifs/un.md"],
		"-rw-------\n---\r\ntitle: sujet\r\n\"tool_a\": neuf\r\ntool_b:\r\n  lumen\r\nwinner: 'neuf'\r\nstatus: draft # sujet\r\n---\r\nsujet\r\n")
	testkit.Equal(t, "a group and a link", after["comparatifs/deux.md"],
		"-rw-------\n---\n{title: tool_a sujet, tool_a: neuf, tool_b: \"lumen\",\n winner: \"neuf\", status: draft}\n---\nsujet-lumen, [x](/outils/sujet-2), [y](/outils/neuf.md?a#b)\n")
}

// What cannot be done leaves the directory as it was.
func TestRename_AllOrNothing(t *testing.T) {
	t.Parallel()
	sujet := archiveFile{"tools/sujet.md", "---\nname: Sujet\n" + toolText}
	for name, more := range map[string][]archiveFile{
		"too many old slugs": {
			{"tools/sujet.md", "---\nname: Sujet\n" + strings.Replace(toolText, "---\n\n", "formerly: [a, b, c, d, e, f, g, h, i, j]\n---\n\n", 1)},
			{"comparatifs/un.md", "---\ntitle: Un\ntool_a: sujet\ntool_b: lumen\nwinner: sujet\nstatus: draft\n---\nParce que.\n"},
		},
		"a fault elsewhere":                {sujet, {"tools/autre.md", "---\nname: 42\n---\n"}},
		"the slug of an older day":         {sujet, {"history/2024-01-01/tools/neuf.md", "---\nname: Neuf\n" + toolText}, {"history/2024-02-01/tools/neuf.md", ""}, {"history/2024-01-01/tools/sujet.md", "---\nname: Sujet\n" + toolText}},
		"the slug of a text in English":    {sujet, {"tools/sujet.en.md", "A review.\n"}, {"tools/.neuf.en.md", "x"}},
		"the old slug of a retired tool":   {sujet, {"cimetiere/feu.md", "---\nname: Feu\ncategory: code\nreason: mort\nretired_at: 2024-02-29\nformerly: [neuf]\n---\nFermé.\n"}},
		"a link in the place of the file":  {{"tools/.vrai.md", sujet.data}},
		"the slug of a retired tool today": {sujet, {"cimetiere/neuf.md", "---\nname: Feu\ncategory: code\nreason: mort\nretired_at: 2024-02-29\n---\nFermé.\n"}},
	} {
		dir, _ := layFixture(t, archive{files: more})
		if strings.HasPrefix(name, "a link") {
			testkit.Must(t, os.Symlink(".vrai.md", filepath.Join(dir, "tools/sujet.md")))
		}
		before := tree(t, dir)
		_, err := content.Rename(t.Context(), dir, content.ToolKind, "sujet", "neuf")
		if strings.Contains(name, "English") { // nothing is in the way
			testkit.Must(t, err)
			continue
		}
		if err == nil {
			t.Errorf("%s: renamed", name)
		}
		testkit.Equal(t, name, tree(t, dir), before)
	}
}
