package testkit

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Must ends the test when there is an error.
func Must(tb testing.TB, err error) {
	tb.Helper()
	if err != nil {
		tb.Fatal(err)
	}
}

// CopyOf copies a directory to a temporary one, for the test to change, and returns its path.
func CopyOf(tb testing.TB, dir string) string {
	tb.Helper()
	copied := filepath.Join(tb.TempDir(), filepath.Base(dir))
	Must(tb, os.CopyFS(copied, os.DirFS(dir)))
	return copied
}

// ReadFile returns the text of a file. It ends the test if the file cannot be read.
func ReadFile(tb testing.TB, path string) string {
	tb.Helper()
	text, err := os.ReadFile(path)
	Must(tb, err)
	return string(text)
}

// Edit replaces the first occurrence of before in a file. It ends the test if there is none.
func Edit(tb testing.TB, file, before, after string) {
	tb.Helper()
	text := ReadFile(tb, file)
	if !strings.Contains(text, before) {
		tb.Fatalf("%s does not hold %q", file, before)
	}
	Must(tb, os.WriteFile(file, []byte(strings.Replace(text, before, after, 1)), 0o600))
}
