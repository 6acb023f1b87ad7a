package billing

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"

	"github.com/palmares-hq/palmares/internal/account"
)

// nothing is the offer while the provider's price is not that of the plan.
const nothing = "nothing"

// offer names what is sold now: the price with its VAT, and the terms. It is "" where that is not known.
func (s *Service) offer() string {
	if _, wrong := s.price.last(); wrong != nil {
		return nothing
	}
	texts := s.texts()
	if texts.Check() != nil {
		return ""
	}
	return digest(s.o.Price, string(s.o.Scheme), texts.TermsIn(account.French).Hash, texts.TermsIn(account.English).Hash)
}

// digest tells values from others, in sixteen characters.
func digest(values ...string) string {
	sum := sha256.Sum256([]byte(strings.Join(values, "\x00")))
	return hex.EncodeToString(sum[:8])
}

// obsolete reports whether the open checkout of an account is not to be completed any more: the account is
// deleted, has Pro from the operator, or the checkout has another price or other terms than now.
func (s *Service) obsolete(r Record) bool {
	offer, was := s.offer(), r.Customer.Offer
	return r.Account.Email == "" || r.Account.Source == account.FromOperator || was == "" || offer != "" && was != offer
}

// askCheckout asks what became of the checkout of a customer, and ends an obsolete one. A checkout that the
// provider does not know is over: nobody can complete it. One that was completed all the same stands, unless
// nobody should have paid it: see endAndRefund.
func (s *Service) askCheckout(ctx context.Context, r Record, c *Customer) error {
	if c.Checkout == nil || c.Completed {
		return nil
	}
	ask := s.o.Provider.CheckoutState
	if s.obsolete(r) {
		ask = s.o.Provider.ExpireCheckout
	}
	state, err := ask(ctx, c.Checkout.ID)
	switch {
	case errors.Is(err, ErrUnavailable), errors.Is(err, ErrRefused), ctx.Err() != nil:
		return fmt.Errorf("asking for the checkout: %w", errors.Join(err, ctx.Err()))
	case err != nil:
		s.o.Logger.Warn("the payment provider does not know a checkout", "checkout", c.Checkout.ID, "error", err)
		c.Checkout = nil
	case state == CheckoutExpired:
		c.Checkout = nil
	case state == CheckoutComplete:
		c.Completed = true
	}
	return nil
}

// key returns a key of idempotency for what is created with these values. A process that died after
// the call and before it could write gets the same answer again. The key changes with the hour,
// because providers repeat failures under the same key, too.
func (s *Service) key(what string, generation int, values ...string) string {
	hour := s.o.Now().UTC().Format("2006-01-02T15")
	return fmt.Sprintf("palmares-%s-%s-%d-%s", what, values[0], generation, digest(append(values, hour)...))
}
