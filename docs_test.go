package palmares_test

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var (
	link = regexp.MustCompile(`\]\(([^)#\s]+)`)
	// declaration is one at the beginning of a line: a function, a method, a type, a constant, a variable.
	declaration = regexp.MustCompile(`(?m)^(?:func (?:\([^)]*\) )?|type |const |var )(\w+)`)
	decision    = regexp.MustCompile(`^# (\d+)\. (.+)\n\nDate: (\d{4}-\d\d-\d\d)\. Status: (.+)\.\n`)
	target      = regexp.MustCompile("(?m)(?:^|`)make ([a-z-]+)")
)

// What the documents point at must be there: files, make targets, variables.
func TestDocumentsPointAtWhatExists(t *testing.T) {
	t.Parallel()
	makefile := read(t, "Makefile")
	code, audit := read(t, "internal/config/config.go"), read(t, "clients/go/cmd/palmares-audit/main.go")
	for _, path := range documents(t) {
		text := read(t, path)
		for _, m := range link.FindAllStringSubmatch(text, -1) {
			if strings.Contains(m[1], "://") || strings.HasPrefix(m[1], "{{") { // filled in on the page
				continue
			}
			if _, err := os.Stat(filepath.Join(filepath.Dir(path), m[1])); err != nil {
				t.Errorf("%s links to %s: %v", path, m[1], err)
			}
		}
		for _, m := range target.FindAllStringSubmatch(text, -1) {
			if !strings.Contains(makefile, "\n"+m[1]+":") {
				t.Errorf("%s names make %s, which does not exist", path, m[1])
			}
		}
		for _, name := range regexp.MustCompile(`PALMARES_[A-Z_]*[A-Z]`).FindAllString(text, -1) {
			short := strings.TrimPrefix(name, "PALMARES_")
			inFile := regexp.MustCompile(`Secret +.env:"` + strings.TrimSuffix(short, "_FILE") + `"`).MatchString(code) // every secret can be
			if !strings.HasPrefix(short, "TEST_") && short != "LONG" && !strings.Contains(code, `env:"`+short+`"`) && !inFile &&
				!strings.Contains(audit, `Getenv("`+name+`")`) {
				t.Errorf("%s names %s, which nothing reads", path, name)
			}
		}
	}
}

// CONTRIBUTING.md and ARCHITECTURE.md name things of the code as package.Name, and tests. They are there.
func TestContributingNamesWhatExists(t *testing.T) {
	t.Parallel()
	declared := make(map[string]bool)
	note := func(dir, text string) {
		for _, m := range declaration.FindAllStringSubmatch(text, -1) {
			declared[filepath.Base(dir)+"."+m[1]] = true
			if subject, _, _ := strings.Cut(m[1], "_"); strings.HasPrefix(subject, "Test") {
				// TestRepository stands for all whose names begin with TestRepository_.
				declared[subject], declared[m[1]] = true, true
			}
		}
	}
	eachPackage(t, func(dir string, files map[string]string) {
		for _, text := range files {
			note(dir, text)
		}
	})
	here, err := filepath.Glob("*_test.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range here {
		note(".", read(t, name))
	}
	for _, path := range []string{"CONTRIBUTING.md", "ARCHITECTURE.md"} {
		text := read(t, path)
		if path == "CONTRIBUTING.md" {
			text, _, _ = strings.Cut(text, "<!-- make times") // which lists tests of another commit
		}
		named := regexp.MustCompile("`([a-z]+\\.[A-Za-z]+|Test[A-Z]\\w*)`").FindAllStringSubmatch(text, -1)
		for _, m := range named {
			pkg, _, qualified := strings.Cut(m[1], ".")
			if _, err := os.Stat("internal/" + pkg); (err == nil || !qualified) && !declared[m[1]] {
				t.Errorf("%s names %s, which is not declared", path, m[1])
			}
		}
		if len(named) < 8 {
			t.Errorf("only %d names found in %s", len(named), path)
		}
	}
}

// The recipes of ARCHITECTURE.md name files that are there.
func TestRecipesNameFiles(t *testing.T) {
	t.Parallel()
	_, text, _ := strings.Cut(read(t, "ARCHITECTURE.md"), "\n## Recipes\n")
	text, _, _ = strings.Cut(text, "\n## ")
	files := regexp.MustCompile("`([.a-z_A-Z-]+/[^ `<>]+)`").FindAllStringSubmatch(text, -1)
	for _, m := range files {
		if _, err := os.Stat(m[1]); err != nil {
			t.Errorf("ARCHITECTURE.md: %v", err)
		}
	}
	if len(files) < 40 {
		t.Errorf("only %d files found", len(files))
	}
}

// Every decision has a date and a status, and its line in the index says the same.
func TestDecisionsAreListed(t *testing.T) {
	t.Parallel()
	index := read(t, "docs/adr/README.md")
	files, err := filepath.Glob("docs/adr/[0-9]*.md")
	if err != nil || len(files) == 0 {
		t.Fatal("no decision found", err)
	}
	for _, path := range files {
		head := decision.FindStringSubmatch(read(t, path))
		if head == nil {
			t.Errorf("%s begins otherwise than: # 7. Title, an empty line, Date: 2026-11-15. Status: accepted.", path)
			continue
		}
		row := fmt.Sprintf("| [%s](%s) | %s | %s | %s |", head[1], filepath.Base(path), head[2], head[3], head[4])
		if !strings.Contains(index, row+"\n") {
			t.Errorf("docs/adr/README.md lacks the row\n%s", row)
		}
	}
	if rows := strings.Count(index, "\n| ["); rows != len(files) {
		t.Errorf("docs/adr/README.md lists %d decisions, and there are %d", rows, len(files))
	}
}

// Every folder with dependencies of its own is one that Dependabot looks at.
func TestDependabotSeesEveryModule(t *testing.T) {
	t.Parallel()
	config := read(t, ".github/dependabot.yml")
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		switch d.Name() {
		case ".git", "build", "node_modules", "testdata":
			return filepath.SkipDir
		case "go.mod", "package.json":
			dir := "/" + strings.TrimPrefix(filepath.ToSlash(filepath.Dir(path)), ".")
			if !regexp.MustCompile(`directories: .*[\[ ]` + regexp.QuoteMeta(dir) + `[,\]]`).MatchString(config) {
				t.Errorf("Dependabot does not look at %s", path)
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// Each row of the tables of outcomes has its test, and each such test its row.
func TestOutcomesAreTested(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("internal/billing/*_test.go")
	if err != nil {
		t.Fatal(err)
	}
	var tests strings.Builder
	for _, path := range files {
		tests.WriteString(read(t, path))
	}
	tables, _, _ := strings.Cut(read(t, "docs/operations/billing.md"), "\n## What is kept")
	rows := regexp.MustCompile("(?m)\\| `(\\w+)` \\|$").FindAllStringSubmatch(tables, -1)
	if len(rows) < 50 {
		t.Errorf("only %d rows were found", len(rows))
	}
	for _, row := range rows {
		if !strings.Contains(tests.String(), "func TestOutcome_"+row[1]+"(") && !strings.Contains(tests.String(), "func "+row[1]+"(") {
			t.Errorf("no test shows the outcome %s", row[1])
		}
	}
	for _, m := range regexp.MustCompile(`func TestOutcome_([A-Za-z]+)`).FindAllStringSubmatch(tests.String(), -1) {
		if !strings.Contains(tables, "| `"+m[1]+"` |") {
			t.Errorf("the outcome %s is in no table", m[1])
		}
	}
}

func documents(t *testing.T) []string {
	t.Helper()
	paths, err := filepath.Glob("*.md")
	if err != nil || len(paths) == 0 {
		t.Fatal("no document found", err)
	}
	err = filepath.WalkDir("docs", func(path string, _ fs.DirEntry, err error) error {
		if strings.HasSuffix(path, ".md") {
			paths = append(paths, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return paths
}

func read(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}
