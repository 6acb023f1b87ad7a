package billing

import (
	"context"
	"fmt"
	"time"
)

// endAndRefund ends a subscription of a held customer that nobody should have paid for, and refunds what was paid since
// then. It returns the invoices and credit notes, which the caller writes with its update: a process that dies before
// that repeats the call, which finds the credit notes that exist.
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
		if i.payable() || i.Advances { // the provider had ended the subscription, or a draft became final meanwhile
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

// stop ends a running subscription at once. It first stops the drafts and voids what is open or written off, so that
// nobody pays for an ended subscription, and so that after a crash in between it shows that stopping had begun
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
