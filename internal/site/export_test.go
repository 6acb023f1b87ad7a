package site

import (
	"context"
	"net/netip"
)

// HoldSearch takes the turn of a search until leave is called.
func (s *Site) HoldSearch(ctx context.Context, from netip.Addr) (leave func(), err error) {
	return s.searches.slotFor(from)(ctx)
}
