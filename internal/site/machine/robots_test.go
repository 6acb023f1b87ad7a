package machine_test

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/palmares-hq/palmares/internal/catalogtest"
	"github.com/palmares-hq/palmares/internal/site"
	"github.com/palmares-hq/palmares/internal/sitetest"
	"github.com/palmares-hq/palmares/internal/testkit"
)

var update = flag.Bool("update", false, "write the golden files anew")

// What programs read first is in golden files.
func TestTexts_Golden(t *testing.T) {
	t.Parallel()
	public := sitetest.Example(t)
	preview := sitetest.New(t, catalogtest.Fixture(t), func(o *site.Options) { o.Preview = site.NewPreview(site.PreviewKeys{}) })
	for file, got := range map[string]testkit.Response{
		"robots.txt":         public.Get("/robots.txt"),
		"robots-preview.txt": preview.Get("/robots.txt"),
		"llms.txt":           public.Get("/llms.txt"),
		"llms-en.txt":        public.Get("/en/llms.txt"),
	} {
		testkit.Equal(t, file, got.Status, 200)
		testkit.Equal(t, file, got.Header.Get("Content-Type"), "text/plain; charset=utf-8")
		file = filepath.Join("testdata", file)
		if *update {
			testkit.Must(t, os.WriteFile(file, []byte(got.Body), 0o644))
		}
		testkit.Equal(t, "the text (-update writes "+file+")", got.Body, testkit.ReadFile(t, file))
	}
}

// Every link to a page leads to one. Those of the API are in its contract.
func TestLLMs_Links(t *testing.T) {
	t.Parallel()
	r := sitetest.Example(t)
	for _, path := range []string{"/llms.txt", "/en/llms.txt"} {
		links := sitetest.MarkdownLink.FindAllStringSubmatch(r.Get(path).Body, -1)
		if len(links) < 10 {
			t.Errorf("%s has the links %v", path, links)
		}
		for _, m := range links {
			to, ours := strings.CutPrefix(m[1], sitetest.Own)
			api := strings.HasPrefix(to, "/api/")
			if got := r.Get(to); !ours || !api && got.Status != 200 {
				t.Errorf("%s leads to %s: %v", path, m[1], got)
			}
		}
	}
}
