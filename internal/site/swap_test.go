package site_test

import (
	"testing"

	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/catalogtest"
	"github.com/palmares-hq/palmares/internal/site"
	"github.com/palmares-hq/palmares/internal/sitetest"
	"github.com/palmares-hq/palmares/internal/testkit"
)

// A swapping is a catalog that is swapped once a request has asked which one is current.
type swapping struct {
	*sitetest.Reader
	swapped func() // nil for none
}

func (s *swapping) Current() *catalog.Snapshot {
	current := s.Reader.Current()
	if do := s.swapped; do != nil {
		s.swapped = nil
		do()
	}
	return current
}

// A request that began before a swap does not bring the old edition back: pages of the new one stay
// cached.
func TestSwap_OldEditionsDoNotComeBack(t *testing.T) {
	t.Parallel()
	first := catalogtest.Fixture(t)
	s := &swapping{}
	s.Reader = sitetest.New(t, first, func(o *site.Options) {
		s.Reader, _ = o.Catalog.(*sitetest.Reader)
		o.Catalog = s
	})
	s.Get("/tarifs")
	s.swapped = func() {
		s.Swap(catalogtest.Amend(first, func(c *catalog.Contents) { c.Service.Name = "Autre nom" }))
		s.Get("/tarifs")
		s.Get("/journal")
	}
	late := s.Get("/prix")
	testkit.Equal(t, "a late request", late.Status, 200)
	_, pages := s.CacheStats()
	testkit.Equal(t, "pages of the new edition", pages, 3)
	if page := s.Get("/prix"); !page.Says("Autre nom") {
		t.Errorf("the page is that of the last edition: %s", page)
	}
}
