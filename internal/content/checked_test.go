package content_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/content"
)

// checkedTool is a file whose source of the price is written so.
func checkedTool(sources string) string {
	return "---\nname: Été 🜂 # 2024-05-06\n" + strings.Replace(toolText, "---\n", sources+"---\n", 1)
}

// Whatever the notation, ten characters change and no other.
func TestChecked_ChangesTheDateAlone(t *testing.T) {
	t.Parallel()
	for name, sources := range map[string]string{
		"block":               "sources:\n  price:\n    url: https://a.example/\n    checked: 2024-05-06\n",
		"block, deeper":       "sources:\n      price:\n               checked:      2024-05-06\n               url: https://a.example/\n",
		"block, quoted":       "sources:\n  price:\n    checked: \"2024-05-06\" # le 2024-05-06\n    url: https://a.example/\n",
		"block, single":       "sources:\n  price:\n    url: https://a.example/2024-05-06\n    checked: '2024-05-06'\n",
		"on the next line":    "sources:\n  price:\n    checked:\n      2024-05-06\n    url: https://a.example/\n",
		"flow":                "sources: {price: {url: https://a.example/, checked: 2024-05-06}}\n",
		"flow, quoted":        "sources: {price: {url: \"https://a.example/2024-05-06\", checked: \"2024-05-06\"}}\n",
		"flow, single":        "sources: {price: {checked: '2024-05-06', url: 'https://a.example/2024-05-06', note: é🜂é}}\n",
		"flow in block":       "sources:\n  price: {note: \"été 🜂 été\", url: https://a.example/, checked: 2024-05-06}\n",
		"flow of many lines":  "sources: {\n  price: {\n    url: https://a.example/,\n    checked: 2024-05-06,\n    note: 2024-05-06 était un lundi\n  }\n}\n",
		"JSON":                "sources: {\"price\":{\"url\":\"https://a.example/\",\"text\":\"2024-05-06\",\"checked\":\"2024-05-06\"}}\n",
		"quoted keys":         "\"sources\":\n  'price':\n    \"url\": https://a.example/\n    \"checked\": 2024-05-06\n",
		"another of that day": "sources:\n  domain: {url: https://b.example/, checked: 2024-05-06}\n  price: {url: https://a.example/, checked: 2024-05-06}\n",
		"comments":            "# 2024-05-06\nsources: # 2024-05-06\n  # 2024-05-06\n  price: # 2024-05-06\n    # 2024-05-06\n    checked: 2024-05-06 # 2024-05-06\n    url: https://a.example/\n",
		"blanks":              "sources:\n\n\n  price:\n\n    url: https://a.example/\n\n    checked: 2024-05-06   \n\n",
		"a long text before":  "sources:\n  price:\n    text: >-\n      vingt\n      euros\n    url: https://a.example/\n    checked: 2024-05-06\n",
		"a block scalar":      "sources:\n  price:\n    url: https://a.example/\n    checked: |\n      2024-05-06\n",
		"quotes before":       "sources:\n  price: {text: \"l''un \\\"l'autre\\\" \\u00e9\", note: 'l''été', checked: 2024-05-06, url: https://a.example/}\n",
	} {
		for _, ends := range []string{"\n", "\r\n"} {
			text := strings.ReplaceAll(checkedTool(sources), "\n", ends)
			dir, _ := layFixture(t, archive{files: []archiveFile{{"tools/sujet.md", text}}})
			path := filepath.Join(dir, "tools/sujet.md")
			if err := os.Chmod(path, 0o640); err != nil {
				t.Fatal(err)
			}
			if r := load(t, dir, content.Options{}); r.HasErrors() {
				t.Errorf("%s: %v", name, r.Faults)
				continue
			}
			check, err := content.Checked(dir, "sujet", catalog.PriceFact, "2025-12-31")
			if err != nil || check != (content.Check{File: "tools/sujet.md", From: "2024-05-06", To: "2025-12-31"}) {
				t.Errorf("%s%q: %+v %v", name, ends, check, err)
				continue
			}
			after, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if n := strings.Count(string(after), "2025-12-31"); n != 1 || strings.Replace(string(after), "2025-12-31", "2024-05-06", 1) != text {
				t.Errorf("%s%q became:\n%s", name, ends, after)
			}
			r := load(t, dir, content.Options{})
			if got := toolOf(t, r, "sujet").Facts.Price.Checked; r.HasErrors() || got != "2025-12-31" {
				t.Errorf("%s: %s %v", name, got, r.Faults)
			}
			if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o640 {
				t.Errorf("%s: %v %v", name, info.Mode(), err)
			}
			files, err := os.ReadDir(filepath.Join(dir, "tools"))
			if err != nil {
				t.Fatal(err)
			}
			for _, f := range files {
				if strings.HasPrefix(f.Name(), ".") {
					t.Errorf("%s: %s is left", name, f.Name())
				}
			}
		}
	}
}

func toolOf(t *testing.T, r content.Result, slug string) *catalog.Tool {
	t.Helper()
	for _, tool := range r.Contents.Tools {
		if tool.Slug == slug {
			return tool
		}
	}
	t.Fatalf("no tool %s: %v", slug, r.Faults)
	return nil
}

// What cannot be changed without a doubt is left as it is.
func TestChecked_Refuses(t *testing.T) {
	t.Parallel()
	good := checkedTool("sources: {price: {url: https://a.example/, checked: 2024-05-06}}\n")
	for name, c := range map[string]struct {
		text, slug, field, on, want string
	}{
		"a future day":          {good, "sujet", "price", "2999-01-01", "2999-01-01 is in the future"},
		"an unknown slug":       {good, "sujets", "price", "2025-01-01", `unknown tool "sujets": did you mean "sujet"?`},
		"no slug":               {good, "../tools/sujet", "price", "2025-01-01", "is not a slug"},
		"an unknown field":      {good, "sujet", "name", "2025-01-01", `"name" can have no source: write one of price, score, domain`},
		"a field of another":    {good, "sujet", "retired_at", "2025-01-01", `"retired_at" can have no source`},
		"no source":             {good, "sujet", "domain", "2025-01-01", "domain has no source: write one under sources, such as domain: {url:"},
		"no sources":            {checkedTool(""), "sujet", "price", "2025-01-01", "price has no source"},
		"faults":                {strings.Replace(good, "tier: 3", "tier: 33", 1), "sujet", "price", "2025-01-01", "tools/sujet.md:10:7: tier 33 is not allowed"},
		"an escape":             {strings.Replace(good, "2024-05-06}", `"2024\x2d05-06"}`, 1), "sujet", "price", "2025-01-01", "checked of price is not written as 2024-05-06"},
		"an anchor":             {strings.Replace(good, "checked: ", "checked: &d ", 1), "sujet", "price", "2025-01-01", "checked must be text, not an anchor"},
		"an alias":              {checkedTool("sources: {domain: {url: https://a.example/, checked: &d 2024-05-06}, price: {url: https://a.example/, checked: *d}}\n"), "sujet", "price", "2025-01-01", "an anchor, an alias"},
		"a merge":               {checkedTool("sources: {price: {<<: {url: https://a.example/}, checked: 2024-05-06}}\n"), "sujet", "price", "2025-01-01", "unknown key"},
		"two of them":           {checkedTool("sources: {price: {url: https://a.example/, checked: 2024-05-06, checked: 2024-05-07}}\n"), "sujet", "price", "2025-01-01", "duplicate key"},
		"two of them, the same": {checkedTool("sources: {price: {url: https://a.example/, checked: 2024-05-06, checked: 2024-05-06}}\n"), "sujet", "price", "2025-01-01", "duplicate key"},
	} {
		dir, _ := layFixture(t, archive{files: []archiveFile{{"tools/sujet.md", c.text}}})
		_, err := content.Checked(dir, c.slug, catalog.FactField(c.field), catalog.Date(c.on))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", name, err)
		}
		if after, err := os.ReadFile(filepath.Join(dir, "tools/sujet.md")); err != nil || string(after) != c.text {
			t.Errorf("%s: %v, the file became:\n%s", name, err, after)
		}
	}
	dir, _ := layFixture(t, archive{files: []archiveFile{{"tools/sujet.md", good}}})
	if err := os.Symlink("sujet.md", filepath.Join(dir, "tools/lien.md")); err != nil {
		t.Fatal(err)
	}
	if _, err := content.Checked(dir, "lien", catalog.PriceFact, "2025-01-01"); err == nil || !strings.Contains(err.Error(), "is not a file but a link") {
		t.Errorf("a link: %v", err)
	}
}

// An earlier day corrects a slip; the same day writes nothing.
func TestChecked_AnyDay(t *testing.T) {
	t.Parallel()
	retired := "---\nname: Sujet\ncategory: code\nreason: mort\nretired_at: 2024-05-06\nsources: {retired_at: {url: https://a.example/, checked: 2024-05-06}}\n---\nFermé.\n"
	dir, _ := layFixture(t, archive{files: []archiveFile{{"cimetiere/sujet.md", retired}}})
	for _, day := range []catalog.Date{"2024-05-06", "2019-02-28", "2024-02-29"} {
		before, err := os.Stat(filepath.Join(dir, "cimetiere/sujet.md"))
		if err != nil {
			t.Fatal(err)
		}
		check, err := content.Checked(dir, "sujet", catalog.RetiredAtFact, day)
		if err != nil || check.To != day || check.File != "cimetiere/sujet.md" {
			t.Errorf("%s: %+v %v", day, check, err)
		}
		after, err := os.Stat(filepath.Join(dir, "cimetiere/sujet.md"))
		if err != nil || os.SameFile(before, after) != (check.From == check.To) {
			t.Errorf("%s: %+v %v", day, check, err)
		}
	}
	text, err := os.ReadFile(filepath.Join(dir, "cimetiere/sujet.md"))
	if err != nil || string(text) != strings.Replace(retired, "checked: 2024-05-06", "checked: 2024-02-29", 1) {
		t.Errorf("%s %v", text, err)
	}
}
