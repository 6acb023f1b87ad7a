// Package layouttest checks the texts of packages that have pages or write mail. Only tests import it.
package layouttest

import (
	"io/fs"
	"path"
	"regexp"
	"strings"
	"testing"

	"github.com/palmares-hq/palmares/internal/layout"
	"github.com/palmares-hq/palmares/internal/locale"
)

var (
	verbs     = regexp.MustCompile(`%[a-z]`)
	badFrench = regexp.MustCompile(`[ \w][?!;:](\s|$)| »|« |'|\.\.\.| €| %(\s|$)`)
)

// BadFrench returns the first typographic fault in a French text, or "": a space that is missing or may break, or a
// character typed for want of a better key, such as a straight apostrophe or three dots.
func BadFrench(text string) string { return badFrench.FindString(text) }

// Texts reports a test error for every text that is missing in a language, differs between them in its number of values
// or in having a plural, or has bad typography.
func Texts(t *testing.T, all layout.Texts) {
	t.Helper()
	for name, text := range all {
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
		if strings.HasSuffix(name, "-html") {
			for _, l := range locale.Languages() {
				for _, fault := range Typography(`<html lang="` + l.String() + `"><p>` + text[l]) {
					t.Errorf("%s: %s", name, fault)
				}
			}
		}
		if bad := BadFrench(text[0]); bad != "" && !strings.HasSuffix(name, "-html") {
			t.Errorf("%s: %q is no French typography: %s", name, bad, text[0])
		}
		if strings.ContainsAny(text[1], "'\"") && !strings.HasSuffix(name, "-html") {
			t.Errorf("%s: straight quotes in %s", name, text[1])
		}
	}
}

// asked matches the uses of a text by its name in templates and in Go.
var asked = regexp.MustCompile(
	`(?:\{\{-?|\(| )(?:t|h|n) "([^"]+)"|\.(?:Must|Many|Text|HTML|Count)\("([^"]+)"`)

// Used checks the templates and Go files in a directory and below: every text that they use must exist, among own or in
// the layout, and they must use every text of own.
func Used(t *testing.T, dir fs.FS, own layout.Texts) {
	t.Helper()
	var b strings.Builder
	err := fs.WalkDir(dir, ".", func(name string, _ fs.DirEntry, err error) error {
		ext := path.Ext(name)
		if err != nil || ext != ".html" && ext != ".go" || strings.HasSuffix(name, "_test.go") {
			return err
		}
		text, err := fs.ReadFile(dir, name)
		b.Write(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	source, frame := b.String(), layout.FrameTexts()
	for _, m := range asked.FindAllStringSubmatch(source, -1) {
		name := m[1] + m[2]
		_, here := own[name]
		if _, there := frame[name]; !here && !there && !strings.HasSuffix(name, ".") {
			t.Errorf("the text %q does not exist", name)
		}
	}
	for name := range own {
		family := name[:strings.LastIndexByte(name, '.')+1] // for names that are put together, as in "family." + name
		if strings.Count(source, `"`+name+`"`) < 2 && !strings.Contains(source, `"`+family+`" +`) &&
			!strings.Contains(source, `"`+family+`"`) && !strings.HasPrefix(name, "error.") {
			t.Errorf("nothing asks for the text %q", name)
		}
	}
}
