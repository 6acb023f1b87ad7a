package billing

import (
	"context"
	"fmt"
	"sync"
	"time"
)

// priceFor is how long the result of a comparison of prices is reused. Each node compares for itself.
const priceFor = 10 * time.Minute

// A priceCheck remembers the last comparison of the provider's price with the plan's.
type priceCheck struct {
	mu  sync.Mutex
	at  time.Time // zero: never
	err error     // ErrWrongPrice or nil
}

func (p *priceCheck) last() (time.Time, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.at, p.err
}

func (p *priceCheck) set(at time.Time, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.at, p.err = at, err
}

// CheckPrice compares the provider's price with the plan's. It returns an error that wraps
// ErrWrongPrice if they differ, and then nothing is sold until they are the same. After any other error
// the result of the last comparison still counts.
func (s *Service) CheckPrice(ctx context.Context) error {
	if s.o.Provider == nil {
		return ErrNoCheckout
	}
	if err := s.CheckAccount(ctx); err != nil {
		return err
	}
	p, err := s.o.Provider.Price(ctx)
	if err != nil {
		return s.refused(fmt.Errorf("asking for the price: %w", err))
	}
	if p != ProPrice {
		err = fmt.Errorf("%w: %s instead of %s", ErrWrongPrice, p, ProPrice)
		s.o.Count(CountWrongPrice)
		if _, known := s.price.last(); known == nil { // not every minute
			s.o.Logger.Error("nothing is sold: the payment provider has another price", "price", p.String(), "want", ProPrice.String())
		}
	}
	s.price.set(s.o.Now(), err)
	return err
}

// sellable returns the error of CheckPrice, comparing the price again if that is due. If that fails, the
// result of the last comparison, if any, still counts.
func (s *Service) sellable(ctx context.Context) error {
	at, known := s.price.last()
	if !at.IsZero() && s.o.Now().Sub(at) < priceFor {
		return known
	}
	err := s.CheckPrice(ctx)
	if _, now := s.price.last(); err != nil && !at.IsZero() {
		return now
	}
	return err
}

// otherProducts remembers which subscriptions to another product were reported: each is reported once per
// process, and by every reconciliation.
type otherProducts struct {
	mu   sync.Mutex
	seen map[string]bool
}

const maxOthers = 1000 // how many are remembered; only reconciliation reports the rest

func (o *otherProducts) report(s *Service, subs []Subscription) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, sub := range subs {
		if o.seen[sub.ID] || len(o.seen) >= maxOthers {
			continue
		}
		if o.seen == nil {
			o.seen = make(map[string]bool)
		}
		o.seen[sub.ID] = true
		s.o.Count(CountOtherProduct)
		s.o.Logger.Error("a subscription is to another product than ours and gives nothing",
			"account", sub.Account, "subscription", sub.ID)
	}
}

// String returns the price in words.
func (p Price) String() string {
	tax, sold := "tax included", ""
	if p.Exclusive {
		tax = "excluding tax"
	}
	if !p.Active {
		sold = ", not for sale"
	}
	return fmt.Sprintf("%d.%02d %s a %s, %s%s", p.Cents/100, p.Cents%100, p.Currency, p.Interval, tax, sold)
}
