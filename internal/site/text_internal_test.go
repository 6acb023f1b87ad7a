package site

import (
	"os"
	"testing"

	"github.com/palmares-hq/palmares/internal/layout"
	"github.com/palmares-hq/palmares/internal/layouttest"
)

func TestTexts(t *testing.T) {
	t.Parallel()
	layouttest.Texts(t, allTexts())
	layouttest.Used(t, os.DirFS("."), allTexts())
	for name := range layout.FrameTexts() {
		if _, twice := allTexts()[name]; twice {
			t.Errorf("the layout has a text %q as well", name)
		}
	}
}
