package layout_test

import (
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/palmares-hq/palmares/internal/testkit"
)

var (
	cssComments = regexp.MustCompile(`(?s)/\*.*?\*/`)
	aloneClass  = regexp.MustCompile(`^\.[\w-]+$`)
)

// A class is defined in one part of the stylesheet: in two, each shreds the pages of the other, and neither shows it.
// Parts that are about other windows and other readers alone may repeat it.
func TestClasses(t *testing.T) {
	t.Parallel()
	parts, err := filepath.Glob("static/css/*.css")
	testkit.Must(t, err)
	in := make(map[string][]string)
	for _, part := range parts {
		name := filepath.Base(part)
		if name == "90-narrow.css" || name == "95-access.css" {
			continue
		}
		source, err := os.ReadFile(part)
		testkit.Must(t, err)
		for _, class := range aloneClasses(t, string(source)) {
			if !slices.Contains(in[class], name) {
				in[class] = append(in[class], name)
			}
		}
	}
	if len(in) < 100 {
		t.Fatalf("only %d classes were found in %s", len(in), parts)
	}
	for _, class := range slices.Sorted(maps.Keys(in)) {
		if len(in[class]) > 1 {
			t.Errorf("%s is defined in %s: give one of them another name, or put the rules together",
				class, strings.Join(in[class], " and "))
		}
	}
}

// aloneClasses are the classes that are a selector by themselves, also in a list of them, outside of @-rules.
func aloneClasses(t *testing.T, css string) (found []string) {
	t.Helper()
	depth := 0
	rest := cssComments.ReplaceAllString(css, "")
	for {
		at := strings.IndexAny(rest, "{};")
		if at < 0 {
			break
		}
		before := strings.TrimSpace(rest[:at])
		switch rest[at] {
		case '{':
			if depth == 0 {
				for selector := range strings.SplitSeq(before, ",") {
					if selector = strings.TrimSpace(selector); aloneClass.MatchString(selector) {
						found = append(found, selector)
					}
				}
			}
			depth++
		case '}':
			depth--
		}
		rest = rest[at+1:]
	}
	if depth != 0 {
		t.Fatalf("%d braces are open at the end of %.80q", depth, css)
	}
	return found
}
