package billing

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"
)

// Receive takes an event of the provider: Verify, then Store.
func (s *Service) Receive(ctx context.Context, body []byte, signature string) error {
	e, err := s.Verify(body, signature)
	if err != nil {
		return err
	}
	return s.Store(ctx, e)
}

// Expect returns ErrForged for a signature that no event of the provider can have now. It needs only the
// signature, so that a clumsy forgery is refused before its body is read.
func (s *Service) Expect(signature string) error {
	if s.o.Provider == nil {
		return ErrNoCheckout
	}
	return s.forged(s.o.Provider.Expect(signature, s.o.Now()))
}

// Verify checks the signature of an event and parses it. It returns ErrForged if the provider did not send it.
func (s *Service) Verify(body []byte, signature string) (Event, error) {
	if s.o.Provider == nil {
		return Event{}, ErrNoCheckout
	}
	e, err := s.o.Provider.Verify(body, signature, s.o.Now())
	return e, s.forged(err)
}

// Store stores a verified event. After an error the provider must send the event again. An event that came
// before is no error.
func (s *Service) Store(ctx context.Context, e Event) error {
	added, err := s.o.Store.Receive(ctx, e, s.o.Now())
	switch {
	case err != nil:
		return err
	case !added:
		s.o.Count(CountRepeated)
		return nil
	}
	s.o.Count(CountEvent)
	if e.UnexpectedVersion {
		s.o.Count(CountUnexpectedVersion)
		s.o.Logger.Warn("an event of the payment provider has another version of its interface", "event", e.ID, "type", e.Type)
	}
	if about := ofCharges[e.Type]; about.count != "" {
		s.o.Count(about.count)
	}
	return nil
}

// ofCharges are the types of events about charges that the operator is told of, with what is counted and what is
// logged. They need attention whatever the state of the subscription.
var ofCharges = map[string]struct {
	count, says string
	level       slog.Level
}{
	"charge.dispute.created": {CountDispute, "a charge is disputed: see the payment provider's pages", slog.LevelError},
	"charge.dispute.closed":  {"", "a dispute is over: see the payment provider's pages", slog.LevelWarn},
	"refund.failed": {
		CountRefundFailed, "a refund failed, and the money came back: the customer is to be paid another way, see the payment provider's pages", slog.LevelError,
	},
}

// TellCharge does the job TellCharge: it logs an event about a charge with the customer who was charged. If the
// provider refuses to say who that is, it logs the event without a customer.
func (s *Service) TellCharge(ctx context.Context, job TellCharge) error {
	if s.o.Provider == nil {
		return ErrNoCheckout
	}
	about, known := ofCharges[job.Type]
	if !known {
		return nil
	}
	if err := s.CheckAccount(ctx); err != nil {
		return err
	}
	customer, err := s.o.Provider.Charged(ctx, job.Charge)
	if s.refused(err) != nil && !errors.Is(err, ErrRefused) {
		return fmt.Errorf("asking whose a charge is: %w", err)
	}
	var accountID string
	if customer != "" {
		if accountID, err = s.o.Store.AccountOf(ctx, customer); err != nil {
			return err
		}
	}
	s.o.Logger.Log(ctx, about.level, about.says, "event", job.Event, "charge", job.Charge, "customer", customer, "account", accountID)
	return nil
}

// Lag returns the age of the oldest event that is not processed; 0 for none.
func (s *Service) Lag(ctx context.Context) (time.Duration, error) {
	at, err := s.o.Store.Oldest(ctx)
	if err != nil || at.IsZero() {
		return 0, err
	}
	return max(0, s.o.Now().Sub(at)), nil
}

// KeepEvents is how long the ids of events are kept: longer than the provider repeats one.
const KeepEvents = 90 * 24 * time.Hour

const prunePage = 1000 // rows

// Tidy deletes old events and orders. Call it every hour.
func (s *Service) Tidy(ctx context.Context) error {
	now := s.o.Now()
	return errors.Join(
		pruneAll(func() (int, error) { return s.o.Store.PruneEvents(ctx, now.Add(-KeepEvents), prunePage) }),
		pruneAll(func() (int, error) { return s.o.Store.PruneForged(ctx, now.Add(-KeepEvents), prunePage) }),
		pruneAll(func() (int, error) { return s.o.Store.PruneDocuments(ctx, now.Add(-KeepEvents), prunePage) }),
		pruneAll(func() (int, error) {
			return s.o.Store.PruneOrders(ctx, now.AddDate(-KeepOrderYears, 0, 0), now.Add(-KeepUnpaidOrders), prunePage)
		}))
}

func pruneAll(prune func() (int, error)) error {
	for {
		n, err := prune()
		if err != nil || n < prunePage {
			return err
		}
	}
}

const forgedEvery = time.Hour

// forged counts an event that the provider did not sign, unless err is nil, and returns err. It logs the first, and
// then at most one an hour.
func (s *Service) forged(err error) error {
	if err == nil {
		return nil
	}
	s.o.Count(CountForged)
	now, f := s.o.Now(), &s.forgeries
	f.mu.Lock()
	defer f.mu.Unlock()
	f.unkept++
	f.last = now
	if f.said.IsZero() || now.Sub(f.said) >= forgedEvery {
		f.said = now
		s.o.Logger.Warn("an event was refused that the payment provider did not sign: if its deliveries fail, the signing secret is wrong, "+
			"and whoever pays waits for Pro; palmares billing check asks it", "error", err)
	}
	return err
}

// KeepForged stores how many events were refused since the last call. Call it every minute: a single refusal then costs
// no more than the check of its signature.
func (s *Service) KeepForged(ctx context.Context) error {
	f := &s.forgeries
	f.mu.Lock()
	n, last := f.unkept, f.last
	f.unkept = 0
	f.mu.Unlock()
	if n == 0 {
		return nil
	}
	err := s.o.Store.AddForged(ctx, n, last)
	if err != nil {
		f.mu.Lock()
		f.unkept += n
		f.mu.Unlock()
	}
	return err
}
