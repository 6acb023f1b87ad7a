package billing

import (
	"context"
	"fmt"
)

// The provider leaves the invoices of an ended subscription as they are: an open or written-off invoice can still be
// paid, and a draft from its last hour is charged (https://docs.stripe.com/billing/subscriptions/cancel). Such a
// payment would be for nothing: so drafts are stopped, payable invoices are voided, and payments are refunded.

// over reports whether a subscription that had begun has ended.
func (s Subscription) over() bool { return s.Status == Canceled && !s.EndedAt.IsZero() }

// paidLate reports whether an invoice was paid after its subscription had ended, and not fully refunded.
func (s Subscription) paidLate(i Invoice) bool {
	return s.over() && i.State == InvoicePaid && i.PaidAt.After(s.EndedAt) && i.Credited < i.Paid
}

// unsettled reports whether the newest invoice of an ended subscription can still be paid, or was paid after the end.
func (s Subscription) unsettled() bool {
	return s.over() && (s.Latest.payable() || s.Latest.Advances || s.paidLate(s.Latest))
}

// settle makes sure that nobody pays for an ended subscription of a held customer: it drops unpaid invoices and refunds
// late payments. Call it for each unsettled subscription, and once when one is seen to have ended, because older
// invoices can be open, too. It returns the documents of refunds, as endAndRefund does, and whether anything changed.
func (s *Service) settle(ctx context.Context, r Record, sub Subscription) (docs []DocumentID, changed bool, err error) {
	invoices, err := s.o.Provider.Invoices(ctx, sub.ID)
	if err != nil {
		return nil, false, fmt.Errorf("asking for the invoices: %w", err)
	}
	for _, i := range invoices {
		switch {
		case i.payable() || i.Advances:
			err = s.drop(ctx, i)
		case sub.paidLate(i):
			docs, err = s.giveBack(ctx, r, sub, i, i.Paid, RefundEnded, docs)
		default:
			continue
		}
		if err != nil {
			return nil, false, err
		}
		changed = true
	}
	return docs, changed, nil
}

// settleAll settles those subscriptions of a held customer that are unsettled or were just seen to end. It returns what
// settle does.
func (s *Service) settleAll(ctx context.Context, r Record, subs []Subscription) (docs []DocumentID, changed bool, err error) {
	was := r.Customer.Subscription
	for _, sub := range subs {
		ended := was != nil && was.ID == sub.ID && was.Live() && sub.over()
		if !ended && !sub.unsettled() {
			continue
		}
		more, did, err := s.settle(ctx, r, sub)
		if err != nil {
			return nil, false, err
		}
		docs, changed = append(docs, more...), changed || did
	}
	return docs, changed, nil
}

// drop makes sure that an unpaid invoice is never paid: it stops a draft and voids a final one.
func (s *Service) drop(ctx context.Context, i Invoice) error {
	if i.State == InvoiceDraft {
		if err := s.o.Provider.StopCollecting(ctx, i.ID); err != nil {
			return fmt.Errorf("stopping a draft: %w", err)
		}
		return nil
	}
	if err := s.o.Provider.Void(ctx, i.ID); err != nil {
		return fmt.Errorf("voiding an invoice: %w", err)
	}
	return nil
}

// giveBack refunds that many cents of an invoice with a credit note, less what was given back already. It returns docs
// with the invoice, if it is recent, and the credit note added: both are mailed.
func (s *Service) giveBack(
	ctx context.Context, r Record, sub Subscription, i Invoice, cents int64, why RefundReason, docs []DocumentID,
) ([]DocumentID, error) {
	key := s.key("refund", 0, i.ID, string(why)) // with the hour: the provider repeats a failure under its key for a day
	done, err := s.o.Provider.Refund(ctx, Refund{Invoice: i.ID, Reason: why, Cents: cents, Key: key})
	if err != nil {
		return docs, fmt.Errorf("refunding an invoice: %w", err)
	}
	if s.recent(i.PaidAt) {
		docs = append(docs, DocumentID{InvoiceDocument, i.ID})
	}
	if done.CreditNote != "" {
		docs = append(docs, DocumentID{CreditNote, done.CreditNote})
	}
	if done.Made {
		s.o.Count(CountRefund)
		s.o.Logger.Warn("an invoice was refunded, as far as nobody should have paid it",
			"account", r.Account.ID, "subscription", sub.ID, "invoice", i.ID, "reason", string(why))
	}
	return docs, nil
}
