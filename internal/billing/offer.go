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

// offerNothing is the offer while the provider's price differs from the plan's, and nothing is sold.
const offerNothing = "nothing"

// offer returns a digest of what is sold now: the price, the VAT scheme and the terms. It is "" while the operator's
// texts are not ready.
func (s *Service) offer() string {
	if _, wrong := s.price.last(); wrong != nil {
		return offerNothing
	}
	texts := s.texts()
	if texts.Check() != nil {
		return ""
	}
	return digest(s.o.Price, string(s.o.Scheme), texts.TermsIn(account.French).Hash, texts.TermsIn(account.English).Hash)
}

// digest returns a hash of values, in sixteen characters.
func digest(values ...string) string {
	sum := sha256.Sum256([]byte(strings.Join(values, "\x00")))
	return hex.EncodeToString(sum[:8])
}

// obsolete reports whether the open checkout of an account must no longer be completed: the account was deleted or
// given Pro by the operator, or the price or the terms have changed since the checkout was opened.
func (s *Service) obsolete(r Record) bool {
	offer, was := s.offer(), r.Customer.Offer
	return r.Account.Email == "" || r.Account.Source == account.FromOperator || was == "" || offer != "" && was != offer
}

// askCheckout updates a customer with the state of its checkout, and ends an obsolete one. A checkout that the
// provider does not know is over: nobody can complete it. One that was completed before it could be ended is
// valid, unless nobody should have paid it: see endAndRefund.
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

// key returns an idempotency key for what is created with these values. If a process dies after the call
// and before writing the answer, the next one gets the same answer. The key changes with the hour, because
// providers repeat failures under the same key, too.
func (s *Service) key(what string, generation int, values ...string) string {
	hour := s.o.Now().UTC().Format("2006-01-02T15")
	return fmt.Sprintf("palmares-%s-%s-%d-%s", what, values[0], generation, digest(append(values, hour)...))
}
