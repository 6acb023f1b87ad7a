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
	"github.com/palmares-hq/palmares/internal/web"
	"github.com/palmares-hq/palmares/internal/web/turns"
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

// A page that is not cached costs up to 20 ms of CPU, and nobody counts who asks for how many. So
// readers take turns: see package turns.
const (
	rendersPerClient = 2
	renderWait       = 2 * time.Second
)

// renders are the pages that are being made for readers.
type renders struct{ *turns.Gate }

// newRenders lets as many pages be made at a time as there are CPUs. All that one network asks for
// leaves one of them to the pages of others, and to the API.
func newRenders() renders {
	return renders{turns.New(turns.Options{Slots: runtime.GOMAXPROCS(0), PerClient: rendersPerClient, Wait: renderWait})}
}

// A page of what somebody searches for is made for one reader: nothing of it is kept. So few are made at a time,
// and who comes when they are waits little for a turn.
const (
	maxSearches = 4
	searchWait  = 250 * time.Millisecond
)

// newSearches lets some pages of what was searched be made at a time. Each takes a turn among all pages as well.
func newSearches() renders {
	return renders{turns.New(turns.Options{Slots: maxSearches, PerClient: rendersPerClient, Wait: searchWait})}
}

// A slot waits until a page may be made. Whoever got one calls leave at the end.
type slot func(context.Context) (leave func(), err error)

// of is the slot of a reader.
func (g renders) of(client netip.Addr) slot {
	return func(ctx context.Context) (leave func(), err error) {
		leave, err = g.Enter(ctx, turns.Caller{Addr: client})
		if errors.Is(err, turns.ErrBusy) {
			message := "too many pages are being made: try again in a moment"
			if errors.Is(err, web.ErrShareFull) {
				message = "too many pages are being made for your network: try again in a moment"
			}
			e := web.Wrap(http.StatusServiceUnavailable, message, err)
			e.Header = http.Header{"Retry-After": {strconv.Itoa(int(renderWait.Seconds()))}}
			return nil, e
		}
		return leave, err
	}
}

// atOnce is the slot of ourselves.
func atOnce(context.Context) (leave func(), err error) { return func() {}, nil }
