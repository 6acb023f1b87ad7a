package page

import (
	"context"
	"errors"
	"fmt"

	"github.com/palmares-hq/palmares/internal/limit"
)

// A request for an account page may wait for PostgreSQL. One that hangs must not hold up others, neither
// account pages nor anything else that the node serves, so each has a deadline and only a few run at once. The
// time counts from when the form has been read to when the answer is ready: a client that is slow to send or to
// read holds no slot.

// Refusals returns every value that Options.Refused is called with: too many requests on the node, from one
// client, or waiting for third-party servers.
func Refusals() []string { return []string{refusedNode, refusedClient, refusedOutside} }

const (
	refusedNode    = "node"
	refusedClient  = "client"
	refusedOutside = "outside"
)

// admit calls answer with a deadline, or refuses the request if too many are running.
func (s *Server) admit(x *exchange, answer func() (*Answer, error)) (*Answer, error) {
	leave, err := s.inside.Enter(s.inside.ClientShares(x.Client, maxOfAClient)...)
	switch {
	case errors.Is(err, limit.ErrShare):
		return nil, s.refuse(x, refusedClient, err)
	case err != nil:
		return nil, s.refuse(x, refusedNode, err)
	}
	defer leave()
	ctx, cancel := context.WithTimeout(x.http.Context(), s.o.Timeout)
	defer cancel()
	x.leave, x.ctx = leave, ctx
	return answer()
}

// waitOutside calls a handler that waits for third-party servers. It gives up the request's ordinary slot for
// one of the few such slots, and sets a longer deadline. By then the database has already answered.
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

// partOutside is waitOutside for one part of a page, within the same bounds per node and per account. If there
// is no slot it returns ErrCrowded, and the page is shown without that part.
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

// refuse counts a request that found no slot, closes its connection and returns a 503.
func (s *Server) refuse(x *exchange, why string, err error) error {
	s.o.Refused(why)
	x.hangUp()
	return retrySoon("too many requests for account pages at once", err)
}
