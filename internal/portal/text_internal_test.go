package portal

import (
	"os"
	"testing"

	"github.com/palmares-hq/palmares/internal/layouttest"
)

func TestTexts(t *testing.T) {
	t.Parallel()
	layouttest.Texts(t, texts())
	layouttest.Used(t, os.DirFS("."), texts())
}
