package content_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/palmares-hq/palmares/internal/content"
)

// What check warns of is valid all the same: nothing but warnings, and every item is there.
func TestWarned(t *testing.T) {
	t.Parallel()
	for _, path := range fixtures(t, "warned") {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txtar"), func(t *testing.T) {
			t.Parallel()
			a := readArchive(t, path)
			dir, want := layFixture(t, a)
			result := load(t, dir, content.Options{})
			got := messages(result) + describe(result.Contents, a)
			if *update {
				setWant(t, path, a, got)
				return
			}
			if got != want {
				t.Errorf("got:\n%swant:\n%s", got, want)
			}
			items := len(result.Contents.Tools) + len(result.Contents.Comparisons) + len(result.Contents.Retired) + len(result.Contents.Files)
			for _, tool := range result.Contents.Tools {
				if tool.English.Source != "" {
					items++
				}
			}
			if len(result.Faults) == 0 || result.HasErrors() || items != result.Files-2 {
				t.Errorf("%d items of %d files:\n%s", items, result.Files, messages(result))
			}
		})
	}
}
