package portal_test

import (
	"testing"

	"github.com/palmares-hq/palmares/internal/layouttest"
)

// checkTypography holds a page that a test reads, whatever for, to the typography of its language.
func checkTypography(t *testing.T, path, page string) {
	t.Helper()
	for _, fault := range layouttest.Typography(page) {
		t.Errorf("%s: %s", path, fault)
	}
}
