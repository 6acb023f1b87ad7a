package content_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/palmares-hq/palmares/internal/content"
	"github.com/palmares-hq/palmares/internal/testkit"
)

// The bounds are those of docs/content-format.md: a file as large is read, one byte more is not.
func TestPages_Sizes(t *testing.T) {
	t.Parallel()
	const drawing = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1 1">`
	for name, file := range map[string]struct {
		begin, fill, end string
		most             int
	}{
		"conditions.md": {"Texte", "x", "\n", 256 << 10},
		"logo.svg":      {drawing, " ", "</svg>", 64 << 10},
		"theme.css":     {":root{--ink:#000}", "\n", "\n", 16 << 10},
	} {
		dir := t.TempDir()
		testkit.Must(t, os.CopyFS(dir, os.DirFS(filepath.Join("testdata", "base"))))
		testkit.Must(t, os.Mkdir(filepath.Join(dir, "pages"), 0o755))
		for _, more := range []int{0, 1} {
			text := file.begin + strings.Repeat(file.fill, file.most+more-len(file.begin)-len(file.end)) + file.end
			testkit.Must(t, os.WriteFile(filepath.Join(dir, "pages", name), []byte(text), 0o600))
			result := load(t, dir, content.Options{})
			if got := strings.Contains(messages(result), "pages/"+name+":1:1: the file is "); got != (more > 0) || len(result.Contents.Files) != 1-more {
				t.Errorf("%s of %d bytes: %s", name, len(text), messages(result))
			}
		}
	}
}

// A theme may set every colour and every font of the site's stylesheet, and nothing that it has not.
func TestThemeKnowsTheStylesheet(t *testing.T) {
	t.Parallel()
	css, err := os.ReadFile(filepath.Join("..", "layout", "static", "css", "00-tokens.css"))
	testkit.Must(t, err)
	size := regexp.MustCompile(`^--[ts]-[0-9]$`)
	var declared []string
	for _, m := range regexp.MustCompile(`(--[a-z0-9-]+):`).FindAllStringSubmatch(string(css), -1) {
		if !size.MatchString(m[1]) && !slices.Contains(declared, m[1]) {
			declared = append(declared, m[1])
		}
	}
	slices.Sort(declared)
	testkit.Equal(t, "tokens", strings.Join(content.ThemeTokens(), " "), strings.Join(declared, " "))
	for _, block := range content.ThemeBlocks() {
		if !strings.Contains(string(css), block+" {") {
			t.Errorf("the stylesheet has no block %s", block)
		}
	}
}

// What new pages writes is sound, but for its marks, and nothing is written over.
func TestNewPages(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	testkit.Must(t, os.CopyFS(dir, os.DirFS(filepath.Join("testdata", "base"))))
	french, err := content.NewPages(dir, false)
	testkit.Must(t, err)
	testkit.Equal(t, "French pages", len(french), 4)
	own := filepath.Join(dir, "pages", "conditions.en.md")
	testkit.Must(t, os.WriteFile(own, []byte("Mine.\n"), 0o600))
	english, err := content.NewPages(dir, true)
	testkit.Must(t, err)
	testkit.Equal(t, "English pages", len(english), 3)
	text, err := os.ReadFile(own)
	testkit.Must(t, err)
	testkit.Equal(t, "a page that was there", string(text), "Mine.\n")
	_, err = content.NewPages(dir, true)
	testkit.Equal(t, "once more", err.Error(), "every page is there already: nothing was written")

	result := load(t, dir, content.Options{})
	testkit.Must(t, result.Err())
	var left []content.Fault
	for _, d := range slices.Concat(english, french) {
		left = append(left, d.Left...)
	}
	if len(left) < 20 || len(result.Faults) != len(left) {
		t.Errorf("%d marks were told, and check warns of %d", len(left), len(result.Faults))
	}
	for _, f := range result.Faults {
		if !f.Warning || !strings.Contains(f.Message, "TODO is left") {
			t.Error(f)
		}
	}
}
