package billing

import (
	"context"
	"fmt"
	"time"
)

// endAndRefund ends a subscription that nobody should have paid, and gives back what was paid of it since then. It
// returns the documents of it, which are to be written with what follows: a process that dies before that
// does it again, and finds the credit notes that are there. The customer is held.
func (s *Service) endAndRefund(
	ctx context.Context, r Record, sub Subscription, since time.Time, why RefundReason,
) (docs []DocumentID, err error) {
	if err := s.stop(ctx, sub); err != nil {
		return nil, err
	}
	invoices, err := s.o.Provider.Invoices(ctx, sub.ID)
	if err != nil {
		return nil, fmt.Errorf("asking for the invoices: %w", err)
	}
	since = since.Truncate(time.Second) // as precise as the provider is
	for _, i := range invoices {
		if i.payable() || i.Advances { // the provider ended it, or it became final meanwhile
			if err := s.drop(ctx, i); err != nil {
				return nil, err
			}
			continue
		}
		if i.State != InvoicePaid || i.Paid == 0 || i.PaidAt.Before(since) {
			continue
		}
		if docs, err = s.giveBack(ctx, r, sub, i, i.Paid, why, docs); err != nil {
			return nil, err
		}
	}
	return docs, nil
}

// stop ends a subscription that is not over, at once. Its drafts are stopped and what is open or written off is void
// first: nobody pays for what is over, and a process that dies in between is told apart from one that did nothing
// (https://docs.stripe.com/billing/subscriptions/cancel leaves open invoices payable, and drafts advance).
func (s *Service) stop(ctx context.Context, sub Subscription) error {
	if !sub.Live() && sub.Status != Incomplete {
		return nil
	}
	invoices, err := s.o.Provider.Invoices(ctx, sub.ID)
	if err != nil {
		return fmt.Errorf("asking for the invoices: %w", err)
	}
	for _, i := range invoices {
		if !i.payable() && !i.Advances {
			continue
		}
		if err := s.drop(ctx, i); err != nil {
			return err
		}
	}
	if err := s.o.Provider.End(ctx, sub.ID); err != nil {
		return fmt.Errorf("ending the subscription: %w", err)
	}
	return nil
}
