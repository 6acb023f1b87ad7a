package site

import (
	"io/fs"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/palmares-hq/palmares/internal/locale"
)

var verbs = regexp.MustCompile(`%[a-z]`)

// Every text is there in both languages, with the same values in it, and in good typography.
func TestTexts(t *testing.T) {
	t.Parallel()
	badFrench := regexp.MustCompile(`[ \w][?!;:](\s|$)| »|« |'|\.\.\.| €| %(\s|$)`)
	for name, text := range allTexts() {
		for _, l := range locale.Languages() {
			if text[l] == "" {
				t.Errorf("%s has no text in %s", name, l)
			}
		}
		if a, b := verbs.FindAllString(text[0], -1), verbs.FindAllString(text[1], -1); len(a) != len(b) {
			t.Errorf("%s has %d values in French and %d in English", name, len(a), len(b))
		}
		if strings.Contains(text[0], "|") != strings.Contains(text[1], "|") {
			t.Errorf("%s has a plural in one language only", name)
		}
		if bad := badFrench.FindString(text[0]); bad != "" && !strings.HasSuffix(name, "-html") {
			t.Errorf("%s: %q is no French typography: %s", name, bad, text[0])
		}
		if strings.ContainsAny(text[1], "'\"") && !strings.HasSuffix(name, "-html") {
			t.Errorf("%s: straight quotes in %s", name, text[1])
		}
	}
}

// Every text that is asked for exists, and every text is asked for.
func TestTextsAreUsed(t *testing.T) {
	t.Parallel()
	var source strings.Builder
	read := func(files fs.FS, pattern string) {
		names, err := fs.Glob(files, pattern)
		if err != nil || len(names) == 0 {
			t.Fatal(pattern, err)
		}
		for _, name := range names {
			text, err := fs.ReadFile(files, name)
			if err != nil {
				t.Fatal(err)
			}
			source.Write(text)
		}
	}
	read(templateFiles, "templates/*.html")
	read(templateFiles, "templates/parts/*.html")
	read(os.DirFS("."), "*.go")
	all := allTexts()
	asked := regexp.MustCompile(`(?:\{\{-?|\(| )(?:t|h|n) "([^"]+)"|\.(?:must|many|text|html|count)\("([^"]+)"`)
	for _, m := range asked.FindAllStringSubmatch(source.String(), -1) {
		name := m[1] + m[2]
		if _, ok := all[name]; !ok && !strings.HasSuffix(name, ".") {
			t.Errorf("the text %q does not exist", name)
		}
	}
	for name := range all {
		family := name[:strings.LastIndexByte(name, '.')+1] // names that are put together
		if strings.Count(source.String(), `"`+name+`"`) < 2 && !strings.Contains(source.String(), `"`+family+`" +`) &&
			!strings.Contains(source.String(), `"`+family+`"`) && !strings.HasPrefix(name, "error.") {
			t.Errorf("nothing asks for the text %q", name)
		}
	}
}
