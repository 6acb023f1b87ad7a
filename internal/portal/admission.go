package portal

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/palmares-hq/palmares/internal/web"
)

// A request for an account page may wait for PostgreSQL, and one that hangs must not keep others
// waiting: neither those for account pages nor those for everything else that the node serves. So it has
// a deadline, and few of them run at once. It counts from when its form has come to when its answer is
// ready: a client that is slow to send or to read takes nobody's place.
const (
	requestFor    = 5 * time.Second
	maxRequests   = 64
	maxOfAClient  = 8
	outsideFor    = 25 * time.Second // below the 30 s that an answer has
	maxOutside    = 16
	maxOfAAccount = 2
)

// Refusals are all that Options.Refused is called with: too many requests of the node, of one client,
// and too many that wait for servers which are not ours.
func Refusals() []string { return []string{refusedNode, refusedClient, refusedOutside} }

const (
	refusedNode    = "node"
	refusedClient  = "client"
	refusedOutside = "outside"
)

// InFlight is how many requests wait for engines, and how many for servers that are not ours.
func (p *Portal) InFlight() (inside, outside int) { return p.inside.In(), p.outside.In() }

// admit calls a handler under a deadline, unless too many run already.
func (p *Portal) admit(r *request, do handler) (*answer, error) {
	leave, err := p.inside.Enter(p.inside.ClientShares(web.ClientAddr(r.w), maxOfAClient)...)
	switch {
	case errors.Is(err, web.ErrShareFull):
		return nil, p.refuse(r, refusedClient, err)
	case err != nil:
		return nil, p.refuse(r, refusedNode, err)
	}
	defer leave()
	ctx, cancel := context.WithTimeout(r.ctx, p.o.Patience)
	defer cancel()
	r.leave, r.ctx, r.http = leave, ctx, r.http.WithContext(ctx)
	return do(r)
}

// waitOutside calls a handler that waits for servers which are not ours. It leaves its place among the
// others, and has a longer deadline: the engine has answered just now.
func (p *Portal) waitOutside(r *request, do handler) (*answer, error) {
	leave, err := p.outside.Enter(web.Share{Of: r.account.ID, Most: maxOfAAccount})
	if err != nil {
		return nil, p.refuse(r, refusedOutside, err)
	}
	defer leave()
	r.leave()
	ctx, cancel := context.WithTimeout(r.base, outsideFor)
	defer cancel()
	r.ctx = sessionContext{ctx, r.ctx}
	return do(r)
}

// A sessionContext ends with one context and has the session of another.
type sessionContext struct {
	context.Context                 //nolint:containedctx // it is one itself
	session         context.Context //nolint:containedctx // as said
}

// Value implements context.Context.
func (c sessionContext) Value(key any) any { return c.session.Value(key) }

// refuse is the error of whoever found too many others.
func (p *Portal) refuse(r *request, why string, err error) error {
	p.o.Refused(why)
	r.hangUp()
	e := web.Wrap(http.StatusServiceUnavailable, "too many requests for account pages at once", err)
	e.Header = http.Header{"Retry-After": {"5"}}
	return e
}

// hangUp ends the connection with the answer. A node that has no more connections takes a new one when it may
// close an old one, which it may not while that has a request: whoever floods it gives up the connection with
// each answer, and waits for the next one behind everybody else.
func (r *request) hangUp() { r.w.Header().Set("Connection", "close") }

// isRefusal tells such an error from one of an engine.
func isRefusal(err error) bool {
	return errors.Is(err, web.ErrGateFull) || errors.Is(err, web.ErrShareFull)
}
