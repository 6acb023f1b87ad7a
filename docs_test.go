package palmares_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var (
	link   = regexp.MustCompile(`\]\(([^)#\s]+)`)
	target = regexp.MustCompile("(?m)(?:^|`)make ([a-z-]+)")
)

// What the documents point at must be there: files, make targets, variables.
func TestDocumentsPointAtWhatExists(t *testing.T) {
	t.Parallel()
	makefile := read(t, "Makefile")
	code := read(t, "internal/config/config.go")
	for _, path := range documents(t) {
		text := read(t, path)
		for _, m := range link.FindAllStringSubmatch(text, -1) {
			if strings.Contains(m[1], "://") {
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
			if !strings.HasPrefix(short, "TEST_") && short != "LONG" && !strings.Contains(code, `env:"`+short+`"`) {
				t.Errorf("%s names %s, which nothing reads", path, name)
			}
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
