package site

import (
	"net/netip"

	"github.com/palmares-hq/palmares/internal/locale"
	"github.com/palmares-hq/palmares/internal/throttle"
)

// A request asks for what is at an address.
type request struct {
	edition  *edition
	route    *route // nil for an error
	lang     locale.Language
	slug     string             // of an item
	params   any                // what the route parsed or measured
	client   netip.Addr         // who asks
	files    *files             // nil but in a preview
	throttle *throttle.Throttle // nil where somebody waits
}

// kept reports whether caches keep the answer: it is the same for all who ask, until the next edition.
func (q *request) kept() bool { return !q.route.live && !q.route.passing && !searched(q.params) }
