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

// CopyOf gives the test a copy of a directory, to change.
func CopyOf(tb testing.TB, dir string) string {
	tb.Helper()
	copied := filepath.Join(tb.TempDir(), filepath.Base(dir))
	Must(tb, os.CopyFS(copied, os.DirFS(dir)))
	return copied
}

// ReadFile reads a file that must be there.
func ReadFile(tb testing.TB, path string) string {
	tb.Helper()
	text, err := os.ReadFile(path)
	Must(tb, err)
	return string(text)
}

// Edit replaces text that stands in a file, once.
func Edit(tb testing.TB, file, before, after string) {
	tb.Helper()
	text := ReadFile(tb, file)
	if !strings.Contains(text, before) {
		tb.Fatalf("%s does not hold %q", file, before)
	}
	Must(tb, os.WriteFile(file, []byte(strings.Replace(text, before, after, 1)), 0o600))
}
