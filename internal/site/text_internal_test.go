package site

import (
	"os"
	"regexp"
	"testing"

	"github.com/palmares-hq/palmares/internal/layout"
	"github.com/palmares-hq/palmares/internal/layouttest"
)

func TestTexts(t *testing.T) {
	t.Parallel()
	layouttest.Texts(t, allTexts())
	layouttest.Used(t, os.DirFS("."), allTexts())
}

// How operators work, they alone say, in their own files.
func TestNoTextClaimsHowTheOperatorWorks(t *testing.T) {
	t.Parallel()
	claim := regexp.MustCompile(
		`(?i)\b(achet|essayé|testé|notre test|nos tests|indépendan|bought|tried|tested|our tests?\b|independen)`)
	said := map[string]string{"reason.acquis": "of the tool", "byline.tested": "by the file of the tool, or not at all"}
	for name, text := range layout.Join(layout.FrameTexts(), allTexts()) {
		for _, s := range text {
			if found := claim.FindString(s); found != "" && said[name] == "" {
				t.Errorf("%s says %q: %s", name, found, s)
			}
		}
	}
}
