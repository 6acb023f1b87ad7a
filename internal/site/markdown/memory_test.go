//go:build !race

package markdown_test

import (
	"runtime"
	"testing"

	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/site/markdown"
)

// The memory that a hostile text takes is in proportion to it. The race detector has pools give
// nothing back, so the regular expressions of the parser take more under it.
//
//nolint:paralleltest // It measures the memory that the process takes.
func TestRender_MemoryIsBounded(t *testing.T) {
	for name, source := range hostile(catalog.MaxMarkdown / 32) {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		markdown.Render(source, nil)
		runtime.ReadMemStats(&after)
		if factor := (after.TotalAlloc - before.TotalAlloc) / uint64(len(source)); factor > 600 {
			t.Errorf("%q: takes %d times its size", name, factor)
		}
	}
}
