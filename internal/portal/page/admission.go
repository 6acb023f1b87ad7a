package page

import (
	"context"
	"errors"
	"fmt"

	"github.com/palmares-hq/palmares/internal/limit"
)

// A request for an account page may wait for PostgreSQL, and one that hangs must not keep others
// waiting: neither those for account pages nor those for everything else that the node serves. So it has
// a deadline, and few of them run at once. It counts from when its form has come to when its answer is
// ready: a client that is slow to send or to read takes nobody's place.

// Refusals are all that Options.Refused is called with: too many requests of the node, of one client,
// and too many that wait for servers which are not ours.
func Refusals() []string { return []string{refusedNode, refusedClient, refusedOutside} }

const (
	refusedNode    = "node"
	refusedClient  = "client"
	refusedOutside = "outside"
)

// admit answers under a deadline, unless too many requests run already.
func (s *Server) admit(x *exchange, answer func() (*Answer, error)) (*Answer, error) {
	leave, err := s.inside.Enter(s.inside.ClientShares(x.Client, maxOfAClient)...)
	switch {
	case errors.Is(err, limit.ErrShare):
		return nil, s.refuse(x, refusedClient, err)
	case err != nil:
		return nil, s.refuse(x, refusedNode, err)
	}
	defer leave()
	ctx, cancel := context.WithTimeout(x.http.Context(), s.o.Patience)
	defer cancel()
	x.leave, x.ctx = leave, ctx
	return answer()
}

// waitOutside calls a handler that waits for servers which are not ours. It leaves its place among the
// others, and has a longer deadline: the engine has answered just now.
func (s *Server) waitOutside(x *exchange, handle Handler) (*Answer, error) {
	leave, err := s.outside.Enter(limit.Share{Of: x.Account.ID, Most: maxOfAAccount})
	if err != nil {
		return nil, s.refuse(x, refusedOutside, err)
	}
	defer leave()
	x.leave()
	ctx, cancel := context.WithTimeout(x.http.Context(), outsideFor)
	defer cancel()
	x.ctx = ctx
	return handle(x.Request)
}

// partOutside is waitOutside for a part of a page: whoever finds too many others has the page without it. The
// bounds are the same, of the node and of an account.
func (s *Server) partOutside(x *exchange, wait func(context.Context)) error {
	leave, err := s.outside.Enter(limit.Share{Of: x.Account.ID, Most: maxOfAAccount})
	if err != nil {
		s.o.Refused(refusedOutside)
		return fmt.Errorf("%w: %w", ErrCrowded, err)
	}
	defer leave()
	x.leave()
	ctx, cancel := context.WithTimeout(x.http.Context(), outsideFor)
	defer cancel()
	wait(ctx)
	return nil
}

// refuse is the error of whoever found too many others.
func (s *Server) refuse(x *exchange, why string, err error) error {
	s.o.Refused(why)
	x.hangUp()
	return retrySoon("too many requests for account pages at once", err)
}
