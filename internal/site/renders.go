package site

import (
	"context"
	"errors"
	"net/http"
	"net/netip"
	"runtime"
	"strconv"
	"time"

	"github.com/palmares-hq/palmares/internal/layout"
	"github.com/palmares-hq/palmares/internal/limit"
	"github.com/palmares-hq/palmares/internal/web"
)

var rendersTexts = layout.Texts{
	"renders.busy": {"Trop de pages à la fois", "Too many pages at once"},
	"renders.busy.sentence": {
		"Votre réseau demande trop de pages à la fois. Réessayez dans quelques secondes.",
		"Your network is requesting too many pages at once. Try again in a few seconds.",
	},
	"renders.full.sentence": {
		"Le site prépare trop de pages à la fois. Réessayez dans quelques secondes.",
		"The site is preparing too many pages at once. Try again in a few seconds.",
	},
}

// A page that is not cached costs up to 20 ms of CPU, and quotas do not count pages. So readers queue for slots, shared
// fairly among networks: see limit.Queue.
const (
	rendersPerClient = 2
	renderWait       = 2 * time.Second
)

// renders limits how many pages are made for readers at a time.
type renders struct{ *limit.Queue }

// newRenders returns a queue with one slot per CPU. A single network never takes the last slot, which stays free for
// others, and its CPU for the API.
func newRenders() renders {
	return renders{limit.NewQueue(limit.QueueOptions{Slots: runtime.GOMAXPROCS(0), PerClient: rendersPerClient, Wait: renderWait})}
}

// A page of search results is made for one reader and never cached. So only a few are made at a time, and further
// readers wait only briefly for a slot.
const (
	maxSearches = 4
	searchWait  = 250 * time.Millisecond
)

// newSearches returns the queue for pages of search results. Such a page takes a slot of renders as well.
func newSearches() renders {
	return renders{limit.NewQueue(limit.QueueOptions{Slots: maxSearches, PerClient: rendersPerClient, Wait: searchWait})}
}

// A slot waits until a page may be made, or returns why it may not. The caller must call leave when the page is made.
type slot func(context.Context) (leave func(), err error)

// slotFor returns the slot function for a client. Its error is a 503 if the client waited in vain.
func (g renders) slotFor(client netip.Addr) slot {
	return func(ctx context.Context) (leave func(), err error) {
		leave, err = g.Enter(ctx, limit.Caller{Addr: client})
		if errors.Is(err, limit.ErrBusy) {
			message := "too many pages are being made: try again in a moment"
			if errors.Is(err, limit.ErrShare) {
				message = "too many pages are being made for your network: try again in a moment"
			}
			e := web.Wrap(http.StatusServiceUnavailable, message, err)
			e.Header = http.Header{"Retry-After": {strconv.Itoa(int(renderWait.Seconds()))}}
			return nil, e
		}
		return leave, err
	}
}

// atOnce is a slot that never waits, for pages that no reader requested, and for the error pages of a busy site.
func atOnce(context.Context) (leave func(), err error) { return func() {}, nil }
