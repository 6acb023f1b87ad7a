package site

import (
	"context"
	"fmt"
	"testing"

	"github.com/palmares-hq/palmares/internal/layout"
	"github.com/palmares-hq/palmares/internal/web"
)

// A page that takes more than a sixteenth of the cache is not kept: a few of them would leave no room
// for the others.
func TestCache_KeepsNoVeryLargePage(t *testing.T) {
	t.Parallel()
	page := func(bytes int) *web.Response {
		return layout.HTML(200, make([]byte, bytes))
	}
	empty := page(0).Size()
	const largest = 10_000
	c := newCache(16 * largest)
	made := make(map[string]int)
	atOnce := func(context.Context) (leave func(), err error) { return func() {}, nil }
	get := func(slug string, bytes int) {
		t.Helper()
		_, err := c.get(t.Context(), key{slug: slug}, atOnce, func() (*web.Response, error) { made[slug]++; return page(bytes), nil })
		if err != nil {
			t.Fatal(err)
		}
	}
	for i := range 8 {
		get(fmt.Sprint("small", i), 100)
	}
	for range 3 {
		get("just", largest-empty)
		get("large", 2*largest)
		get("huge", 32*largest)
	}
	for i := range 8 {
		get(fmt.Sprint("small", i), 100)
	}
	if made["just"] != 1 || made["large"] != 3 || made["huge"] != 3 || made["small0"] != 1 {
		t.Errorf("times that pages were made: %v", made)
	}
	if bytes, pages := c.pages.Stats(); pages != 9 || bytes > 16*largest {
		t.Errorf("%d pages of %d bytes are kept, want 9", pages, bytes)
	}
}
