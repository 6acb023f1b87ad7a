package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestSplitPackage(t *testing.T) {
	for text, want := range map[string][2]string{
		"pkg:npm/%40Scope/Name@1.2.3":                {"pkg:npm/%40scope/name", "1.2.3"},
		"pkg:npm/@scope/name@1.2.3?x=y#z":            {"pkg:npm/%40scope/name", "1.2.3"},
		"PKG:PyPI/Zope.Interface@5":                  {"pkg:pypi/zope-interface", "5"},
		"pkg:golang/GitHub.com/Who/What/v2@v2.0.0":   {"pkg:golang/github.com/who/what/v2", "v2.0.0"},
		"pkg:cargo/Serde":                            {"pkg:cargo/Serde", ""},
		"pkg:npm/":                                   {"", ""},
		"pkg:npm":                                    {"", ""},
		"npm/left-pad":                               {"", ""},
		"pkg:maven/org.example/Thing@1%2B2":          {"pkg:maven/org.example/Thing", "1+2"},
		"pkg:vscode-extension/rabotine/rabotine@1.0": {"pkg:vscode-extension/rabotine/rabotine", "1.0"},
	} {
		if id, version := splitPackage(text); id != want[0] || version != want[1] {
			t.Errorf("%s is %q %q, not %q", text, id, version, want)
		}
	}
}

func TestPython(t *testing.T) {
	for text, want := range map[string][2]string{
		"Django==4.2":                        {"pkg:pypi/django", "4.2"},
		"a.b_c[x, y] === 1.0 ; extra == 'z'": {"pkg:pypi/a-b-c", "1.0"},
		"a== ;":                              {"pkg:pypi/a", ""},
		"a==":                                {"pkg:pypi/a", ""},
		"a >=1, <2":                          {"pkg:pypi/a", ""},
		"a @ https://example.org/a.whl":      {"", ""},
		"a b":                                {"", ""},
		"./a":                                {"", ""},
		"https://example.org/a.whl":          {"", ""},
		"":                                   {"", ""},
	} {
		d, _ := python(text, "requirements.txt")
		if len(d.ids) == 0 {
			d.ids = []string{""}
		}
		if d.ids[0] != want[0] || d.version != want[1] {
			t.Errorf("%q is %q %q, not %q", text, d.ids[0], d.version, want)
		}
	}
}

func TestPrintable(t *testing.T) {
	for text, want := range map[string]string{
		"a\x1b[31mb":          "a[31mb",
		"a\nb\tc":             "a b c",
		"abc\u202edef\u200b":  "abcdef",
		"Dictéclair · €40":    "Dictéclair · €40",
		"\u0085x\u009b1m\x07": "x1m",
	} {
		if got := printable(text); got != want {
			t.Errorf("%q prints as %q, not %q", text, got, want)
		}
	}
}

func TestParseRules(t *testing.T) {
	for _, text := range []string{"retired,ending:180d", "ending", "dearer:20%", "dearer", "low_score:5", "low_score", " retired , low_score:4.5"} {
		if _, err := parseRules(text); err != nil {
			t.Errorf("%s: %v", text, err)
		}
	}
	for _, text := range []string{"", "retired:", "retired:1", "ending:180", "ending:d", "ending:-1d", "dearer:20", "low_score:x", "soon", "ending:NaNd", "ending:1e99d"} {
		if r, err := parseRules(text); err == nil {
			t.Errorf("%q is read as %v", text, r)
		}
	}
}

// Dearer is by how much at least, within a year of the edition, in one period, or since it was free.
func TestAgainst_Dearer(t *testing.T) {
	cents := func(n int64) *int64 { return &n }
	for _, c := range []struct {
		name    string
		old     *int64
		oldIs   string
		changed day
		want    bool
	}{
		{"exactly 20 %", cents(1000), "mois", "2026-06-01", true},
		{"less", cents(1001), "mois", "2026-06-01", false},
		{"a year and a day ago", cents(1000), "mois", "2025-11-15", false},
		{"a year ago", cents(1000), "mois", "2025-11-16", false},
		{"within the year", cents(1000), "mois", "2025-11-17", true},
		{"another period", cents(1000), "an", "2026-06-01", false},
		{"free before", cents(0), "an", "2026-06-01", true},
		{"never changed", nil, "", "", false},
		{"cheaper", cents(1300), "mois", "2026-06-01", false},
	} {
		r := row{PriceCents: cents(1200), PricePeriod: "mois", OldPriceCents: c.old, OldPricePeriod: c.oldIs, PriceChangedAt: c.changed}
		if got := (audit{today: "2030-01-01"}).against(dearer, 20, r, nil, "2026-11-16"); (got != "") != c.want {
			t.Errorf("%s: %q", c.name, got)
		}
	}
}

// Texts of the catalogue and of the project reach neither a terminal nor a forge as commands.
func TestFormats_HostileTexts(t *testing.T) {
	hostile := "x\x1b[2J\n::error::y %0A | <img> \u202e"
	v := verdict{catalogue: catalogue{day: "2026-11-16"}, today: "2026-11-20"}
	v.findings = []finding{{
		dependency: dependency{name: hostile, file: "a\n::b,c:d|e.txt", direct: true}, id: "name:" + hostile, kind: retired,
		row: row{Name: hostile, Slug: "x"}, detail: hostile, line: 1, asked: true, fails: true,
	}}
	for name, format := range formats {
		var out bytes.Buffer
		if err := format.write(&out, v, false); err != nil {
			t.Fatal(err)
		}
		if strings.ContainsAny(out.String(), "\x1b\u202e") {
			t.Errorf("%s: control characters pass: %q", name, out.String())
		}
		if name == "github" && strings.Count(out.String(), "\n") != 1 {
			t.Errorf("one finding is several commands: %q", out.String())
		}
	}
}

// Colours are for terminals alone, and a program that is given no file of the usual names asks nobody.
func TestRun_NothingToDo(t *testing.T) {
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Chdir(t.TempDir()); err != nil { // Go 1.23 has no t.Chdir
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.Chdir(dir) })
	var out, errs bytes.Buffer
	if exit := run(context.Background(), []string{"--url", "http://127.0.0.1:1"}, &out, &errs); exit != clean || !strings.Contains(out.String(), "nothing to check") {
		t.Errorf("exit %d: %s%s", exit, out.String(), errs.String())
	}
	if err := os.WriteFile("pnpm-lock.yaml", nil, 0o600); err != nil {
		t.Fatal(err)
	}
	errs.Reset()
	if exit := run(context.Background(), []string{filepath.Join(".", "pnpm-lock.yaml")}, &out, &errs); exit != clean || !strings.Contains(errs.String(), "pnpm") {
		t.Errorf("exit %d: %s", exit, errs.String())
	}
	if colours(&out) {
		t.Error("colours for a file")
	}
}
