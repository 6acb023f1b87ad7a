package content_test

import (
	"encoding/xml"
	"errors"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/palmares-hq/palmares/internal/content"
)

// outside is what no file that readers' browsers load may have, in any form that a browser reads.
var outside = regexp.MustCompile(`(?i)script|javascript:|data:|@import|url\s*\(\s*[^#)]|://`)

// What is let through has nothing that runs or fetches, however it was hidden from the check.
func FuzzOperatorFiles(f *testing.F) {
	for _, fixture := range []string{"testdata/invalid/svg-*.txtar", "testdata/invalid/theme-*.txtar", "testdata/valid/pages.txtar"} {
		paths, err := filepath.Glob(fixture)
		if err != nil || len(paths) == 0 {
			f.Fatal(fixture, err)
		}
		for _, path := range paths {
			raw, err := os.ReadFile(path)
			if err != nil {
				f.Fatal(err)
			}
			for _, part := range strings.Split(string(raw), "\n-- ")[1:] {
				if _, text, ok := strings.Cut(part, " --\n"); ok {
					f.Add(text)
				}
			}
		}
	}
	f.Fuzz(func(t *testing.T, text string) {
		if content.OperatorFile("theme.css", []byte(text)) {
			bare := regexp.MustCompile(`(?s)/\*.*?\*/`).ReplaceAllString(text, "")
			if found := outside.FindString(bare); found != "" {
				t.Errorf("a theme with %q is let through: %q", found, text)
			}
			if found := regexp.MustCompile(`[^-A-Za-z0-9_ \t\r\n:;{}()\[\]@="#%,./]`).FindString(bare); found != "" {
				t.Errorf("a theme with %q, which browsers may read as something else: %q", found, text)
			}
			for i, part := range strings.Split(bare, `"`) {
				if i%2 == 1 && strings.ContainsAny(part, "\n\t;{}") {
					t.Errorf("a theme with the string %q is let through: %q", part, text)
				}
			}
		}
		if !content.OperatorFile("logo.svg", []byte(text)) {
			return
		}
		d := xml.NewDecoder(strings.NewReader(text))
		for {
			token, err := d.Token()
			if errors.Is(err, io.EOF) {
				return
			}
			if err != nil {
				t.Fatalf("what is let through cannot be read: %v: %q", err, text)
			}
			element, ok := token.(xml.StartElement)
			if !ok {
				continue
			}
			for _, a := range element.Attr {
				if name := strings.ToLower(a.Name.Local); strings.HasPrefix(name, "on") || name == "style" ||
					a.Name.Space != "xmlns" && name != "xmlns" && name != "aria-label" && outside.MatchString(a.Value) {
					t.Errorf("%s has %s=%q: %q", element.Name.Local, a.Name.Local, a.Value, text)
				}
			}
			if outside.MatchString(element.Name.Local) {
				t.Errorf("there is an element %s: %q", element.Name.Local, text)
			}
		}
	})
}
