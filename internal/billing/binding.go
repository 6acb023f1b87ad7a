package billing

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/palmares-hq/palmares/internal/account"
)

// boundFor is how long the result of a comparison is reused. The stored account changes when an operator adopts
// another one.
const boundFor = time.Minute

// A bindingCheck remembers the last comparison of the key's account with the stored one.
type bindingCheck struct {
	mu sync.Mutex
	comparison
}

// A comparison is the result of comparing the key's account with the stored one.
type comparison struct {
	key   *ProviderAccount // the key's account, which never changes; nil until the provider has said it
	known *Binding         // the binding whose customer the key's account was found to know; nil for none
	since time.Time        // when the binding was stored; zero for none
	at    time.Time        // of the comparison; zero: never
	err   error            // its result: ErrOtherAccount or nil
}

// CheckAccount returns an error that wraps ErrOtherAccount unless the key belongs to the account that our customers
// belong to. Without customers any account is right. For a key that may not read its own account, it asks whether the
// account knows one of our customers instead.
func (s *Service) CheckAccount(ctx context.Context) error {
	if s.o.Provider == nil {
		return ErrNoCheckout
	}
	return s.refused(s.checkAccount(ctx, boundFor))
}

// otherAccount returns the ErrOtherAccount of the last comparison, or nil.
func (s *Service) otherAccount() error {
	s.binding.mu.Lock()
	defer s.binding.mu.Unlock()
	return s.binding.err
}

// keyAccount returns the account that the key belongs to; nil if the provider has not been asked yet.
func (s *Service) keyAccount() *ProviderAccount {
	s.binding.mu.Lock()
	defer s.binding.mu.Unlock()
	return s.binding.key
}

// AccountRight reports whether the key belongs to the account of our customers, and whether that was ever compared.
func (s *Service) AccountRight() (right, known bool) {
	s.binding.mu.Lock()
	defer s.binding.mu.Unlock()
	return s.binding.err == nil, !s.binding.at.IsZero()
}

// boundSince returns when our customers were bound to the key's account; zero if they were not at the last comparison.
func (s *Service) boundSince() time.Time {
	s.binding.mu.Lock()
	defer s.binding.mu.Unlock()
	return s.binding.since
}

// checkAccount is CheckAccount with the time for which an earlier comparison is reused. Callers do not wait for each
// other.
func (s *Service) checkAccount(ctx context.Context, believe time.Duration) error {
	b := &s.binding
	b.mu.Lock()
	c := b.comparison
	b.mu.Unlock()
	if !c.at.IsZero() && s.o.Now().Sub(c.at) < believe {
		return c.err
	}
	err := s.compareAccount(ctx, &c)
	if err == nil || errors.Is(err, ErrOtherAccount) {
		c.at, c.err = s.o.Now(), err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.comparison = c
	return err
}

// compareAccount compares the key's account with the stored one. It stores the key's account if none is stored, or
// one without an id, and it knows one of our customers.
func (s *Service) compareAccount(ctx context.Context, c *comparison) error {
	held, err := s.o.Store.Binding(ctx)
	if err != nil {
		return err
	}
	if c.key == nil {
		is, err := s.o.Provider.Account(ctx)
		if err != nil {
			return fmt.Errorf("asking for the account: %w", err)
		}
		c.key = &is
	}
	key, stored := *c.key, !held.Since.IsZero()
	c.since = held.Since
	switch {
	case stored && held.Account.isOther(key):
		return fmt.Errorf("%w: %s, and the customers are of %s", ErrOtherAccount, key, held.Account)
	case stored && key.ID != "" && held.Account.ID != "":
		return nil
	}
	if c.known == nil || *c.known != held {
		some, err := s.askOfCustomer(ctx, key)
		if err != nil || !some {
			return err
		}
		c.known = &held
	}
	if !stored || held.Account.ID == "" && key.ID != "" {
		c.since = s.o.Now()
		return s.o.Store.Bind(ctx, key, c.since)
	}
	return nil
}

// askOfCustomer returns ErrOtherAccount if the key's account does not know one of our customers, and reports whether we
// have any.
func (s *Service) askOfCustomer(ctx context.Context, key ProviderAccount) (some bool, err error) {
	customer, err := s.o.Store.AnyCustomer(ctx)
	if err != nil || customer == "" {
		return false, err
	}
	known, err := s.o.Provider.Knows(ctx, customer)
	switch {
	case err != nil:
		return false, fmt.Errorf("asking for a customer: %w", err)
	case !known:
		return false, fmt.Errorf("%w: %s does not know the customer %s", ErrOtherAccount, key, customer)
	case key.ID == "":
		s.o.Logger.Warn("the payment provider's key may not read its account, and was compared by a customer that is known there: "+
			"give it the permission", "customer", customer)
	}
	return true, nil
}

// waitFor is how long the request of a page waits while another process asks about the same customer.
const waitFor = 4 * time.Second

// hold is Store.Hold for a decide that asks the provider: it first checks that the key belongs to the right account.
// The customer is "held" while decide runs.
func (s *Service) hold(ctx context.Context, by account.Actor, accountID string, wait time.Duration, decide Decide) error {
	err := s.checkAccount(ctx, boundFor)
	if err == nil {
		err = s.o.Store.Hold(ctx, by, accountID, wait, decide)
	}
	return s.refused(err)
}

// refusals remembers when a refusal was last logged: a wrong key is refused with every click.
type refusals struct {
	mu   sync.Mutex
	said time.Time
}

const refusalEvery = time.Minute

// refused counts a refusal of the provider, logs at most one a minute, and returns the error unchanged.
func (s *Service) refused(err error) error {
	if !errors.Is(err, ErrRefused) {
		return err
	}
	what, says := CountRefused, "the payment provider refuses what it was asked: see the key, its permissions and the portal's settings"
	if errors.Is(err, ErrOtherAccount) {
		what, says = CountOtherAccount, "nothing is sold, and the payment provider is asked nothing: the key is not one of the account that "+
			"the customers are of; palmares billing adopt moves them on purpose"
	}
	s.o.Count(what)
	s.refusals.mu.Lock()
	defer s.refusals.mu.Unlock()
	if now := s.o.Now(); now.Sub(s.refusals.said) >= refusalEvery {
		s.refusals.said = now
		s.o.Logger.Error(says, "error", err)
	}
	return err
}
