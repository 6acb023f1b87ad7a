package palmares_test

import (
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

const module = "github.com/palmares-hq/palmares/"

// mayImport is the architecture: which of our packages each of our packages may
// import. Tests are free to import more.
//
// Pure packages know nothing of the others, rules know only what is pure, edges
// never know each other, and only cmd/palmares wires them together.
var mayImport = map[string][]string{
	"internal/account":       {},
	"internal/catalog":       {},
	"internal/content":       {"internal/catalog"},
	"internal/publish":       {"internal/catalog", "internal/content"},
	"internal/live":          {"internal/catalog", "internal/account"},
	"internal/generate":      {"internal/catalog"},
	"internal/quota":         {"internal/account"},
	"internal/webhook":       {"internal/catalog", "internal/account"},
	"internal/mail":          {},
	"internal/postgres":      {"internal/catalog", "internal/account", "internal/webhook"},
	"internal/web":           {"internal/web/wire"},
	"internal/web/wire":      {},
	"internal/web/negotiate": {},
	"internal/logging":       {},
	"internal/api":           {"internal/catalog", "internal/account", "internal/live", "internal/quota", "internal/web"},
	"internal/config":        {},
	"internal/pgtest":        {"internal/account", "internal/postgres"},
	"internal/redistest":     {},
	"internal/testkit":       {},
	"bench/base":             {},
	"bench/compare":          {"internal/account", "internal/postgres"},
	"bench/load":             {},
	"bench/peers/pgx":        {},
	"bench/receiver":         {"internal/account", "internal/catalog", "internal/postgres", "internal/webhook"},
	"scripts/release":        {},
	"cmd/palmares": {
		"internal/account", "internal/api", "internal/catalog", "internal/config", "internal/content", "internal/generate",
		"internal/live", "internal/logging", "internal/mail", "internal/postgres", "internal/publish", "internal/quota", "internal/web", "internal/webhook",
	},
}

// badNames say nothing about what a package or a file holds.
var badNames = []string{"util", "utils", "common", "helper", "helpers", "models", "types", "impl", "manager", "misc"}

func TestImports(t *testing.T) {
	t.Parallel()
	seen := make(map[string]bool)
	eachPackage(t, func(dir string, files map[string]string) {
		seen[dir] = true
		allowed, known := mayImport[dir]
		if !known {
			t.Errorf("%s: not in the table of who may import whom: add it, with a thought", dir)
			return
		}
		for name := range files {
			if strings.HasSuffix(name, "_test.go") {
				continue
			}
			f, err := parser.ParseFile(token.NewFileSet(), filepath.Join(dir, name), nil, parser.ImportsOnly)
			if err != nil {
				t.Fatal(err)
			}
			for _, spec := range f.Imports {
				path, ours := strings.CutPrefix(strings.Trim(spec.Path.Value, `"`), module)
				if ours && !slices.Contains(allowed, path) {
					t.Errorf("%s/%s imports %s: the table does not allow it", dir, name, path)
				}
			}
		}
	})
	for dir := range mayImport {
		if !seen[dir] {
			t.Errorf("the table names %s, which does not exist", dir)
		}
	}
}

func TestEveryPackageHasOneDoc(t *testing.T) {
	t.Parallel()
	eachPackage(t, func(dir string, files map[string]string) {
		docs := 0
		for name := range files {
			if strings.HasSuffix(name, "_test.go") {
				continue
			}
			f, err := parser.ParseFile(token.NewFileSet(), filepath.Join(dir, name), nil, parser.PackageClauseOnly|parser.ParseComments)
			if err != nil {
				t.Fatal(err)
			}
			if f.Doc != nil {
				docs++
			}
		}
		if docs != 1 {
			t.Errorf("%s has %d package docs, want 1", dir, docs)
		}
	})
}

func TestNamesSayWhatTheyHold(t *testing.T) {
	t.Parallel()
	eachPackage(t, func(dir string, files map[string]string) {
		names := []string{filepath.Base(dir)}
		for name := range files {
			names = append(names, strings.TrimSuffix(strings.TrimSuffix(name, ".go"), "_test"))
		}
		for _, n := range names {
			if slices.Contains(badNames, n) {
				t.Errorf("%s: %q says nothing about what it holds", dir, n)
			}
		}
	})
}

func TestNoFileIsTooLong(t *testing.T) {
	t.Parallel()
	const most = 500
	eachPackage(t, func(dir string, files map[string]string) {
		for name, text := range files {
			if n := strings.Count(text, "\n"); n > most && !strings.HasSuffix(name, "_test.go") {
				t.Errorf("%s/%s has %d lines: split it", dir, name, n)
			}
		}
	})
}

// notInCI are the targets that CI has no use for, and why.
var notInCI = map[string]string{
	"fmt":  "it changes files; fmt-check does not",
	"vuln": "it needs the vulnerability database",
}

// What CI does not run breaks unnoticed.
func TestEveryTargetRunsInCI(t *testing.T) {
	t.Parallel()
	read := func(name string) string {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	ci := read(".ci/run") + read(".ci/targets") + read(".ci/image") + read("scripts/verify") + read("scripts/reproduce")
	targets := regexp.MustCompile(`(?m)^\.PHONY: (\S+)$`).FindAllStringSubmatch(read("Makefile"), -1)
	for _, target := range targets {
		name := target[1]
		run := regexp.MustCompile(`(?m)(make --no-print-directory|\brun|_answers '\S+') ` + name + `(\s|$)`).MatchString(ci)
		if _, left := notInCI[name]; run == left {
			t.Errorf("make %s: CI runs it: %v; it is in the list of those that CI does not: %v", name, run, left)
		}
	}
	if len(targets) < 10 {
		t.Errorf("only %d targets found", len(targets))
	}
}

// eachPackage visits every directory of the module that holds Go files but the root.
func eachPackage(t *testing.T, visit func(dir string, files map[string]string)) {
	t.Helper()
	packages := make(map[string]map[string]string)
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if name := d.Name(); path != "." && (strings.HasPrefix(name, ".") || name == "testdata" || name == "tools" || name == "node_modules" || name == "build") {
				return fs.SkipDir
			}
			if _, err := os.Stat(filepath.Join(path, "go.mod")); err == nil && path != "." {
				return fs.SkipDir // a module of its own
			}
			return nil
		}
		if dir := filepath.Dir(path); strings.HasSuffix(path, ".go") && dir != "." {
			text, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			if packages[dir] == nil {
				packages[dir] = make(map[string]string)
			}
			packages[dir][d.Name()] = string(text)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(packages) == 0 {
		t.Fatal("no package found")
	}
	for dir, files := range packages {
		visit(dir, files)
	}
}
