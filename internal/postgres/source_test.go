package postgres_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var everyColumn = regexp.MustCompile(`(?i)\b(select|returning)\s+(distinct\s+)?(\w+\.)?\*`)

// A column added by a migration must not reach a binary that does not know it.
func TestNoSelectStar(t *testing.T) {
	t.Parallel()
	for _, sql := range []string{"SELECT * FROM tools", "select\n\t t.* from tools t", "INSERT INTO x RETURNING *"} {
		if !everyColumn.MatchString(sql) {
			t.Errorf("%q would go unnoticed", sql)
		}
	}
	if everyColumn.MatchString("SELECT count(*), score * 100 FROM tools") {
		t.Error("count(*) is no harm")
	}
	read := 0
	for _, pattern := range []string{"*.go", "migrations/*.sql"} {
		files, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			if strings.HasSuffix(file, "_test.go") {
				continue
			}
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if m := everyColumn.Find(text); m != nil {
				t.Errorf("%s: %q: name the columns", file, m)
			}
			read++
		}
	}
	if read < 9 {
		t.Errorf("only %d files looked at", read)
	}
}
