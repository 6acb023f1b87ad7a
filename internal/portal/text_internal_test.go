package portal

import (
	"io/fs"
	"os"
	"path"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/palmares-hq/palmares/internal/layout"
	"github.com/palmares-hq/palmares/internal/layouttest"
	"github.com/palmares-hq/palmares/internal/portal/page"
	"github.com/palmares-hq/palmares/internal/testkit"
)

func TestTexts(t *testing.T) {
	t.Parallel()
	layouttest.Used(t, sources(t), layout.Join(page.Texts(), texts()))
}

// sources are the templates and the Go files of all packages here as if they were of one.
func sources(t *testing.T) fs.FS {
	t.Helper()
	all := make(fstest.MapFS)
	testkit.Must(t, fs.WalkDir(os.DirFS("."), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		to := strings.ReplaceAll(name, "/", "_")
		if path.Ext(name) == ".html" {
			to = "templates/" + to
			if all["templates/parts/none.html"] == nil {
				all["templates/parts/none.html"] = &fstest.MapFile{}
			}
		}
		text, err := os.ReadFile(name)
		all[to] = &fstest.MapFile{Data: text}
		return err
	}))
	return all
}
