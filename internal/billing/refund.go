package billing

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/palmares-hq/palmares/internal/account"
)

// undue ends a subscription that nobody should have paid, and gives back what was paid of it since then. It
// returns the mails about it, which are to be written with what follows: a process that dies before that
// does it again, and finds the credit notes that are there. The customer is held.
func (s *Service) undue(
	ctx context.Context, r Record, sub Subscription, since time.Time, why RefundReason,
) (mails []MailRefund, err error) {
	if err := s.stop(ctx, sub); err != nil {
		return nil, err
	}
	invoices, err := s.o.Provider.Invoices(ctx, sub.ID)
	if err != nil {
		return nil, fmt.Errorf("asking for the invoices: %w", err)
	}
	since = since.Truncate(time.Second) // as precise as the provider is
	for _, i := range invoices {
		if i.State != InvoicePaid || i.Paid == 0 || i.PaidAt.Before(since) {
			continue
		}
		// Without the hour, unlike other keys: what is tried again much later is still the same refund.
		key := fmt.Sprintf("palmares-refund-%s-%s", i.ID, why)
		if err := s.o.Provider.Refund(ctx, Refund{Invoice: i.ID, Reason: why, Paid: i.Paid, Key: key}); err != nil {
			return nil, fmt.Errorf("refunding an invoice: %w", err)
		}
		s.o.Count(CountRefund)
		s.o.Logger.Warn("an invoice was refunded: nobody should have paid it",
			"account", r.Account.ID, "subscription", sub.ID, "invoice", i.ID, "reason", string(why))
		mails = append(mails, MailRefund{Customer: sub.Customer, Invoice: i.ID, Reason: why, Language: r.Account.Language})
	}
	return mails, nil
}

// stop ends a subscription that is not over, at once. What is open of it is void first: nobody pays for what
// is over, and a process that dies in between is told apart from one that did nothing
// (https://docs.stripe.com/billing/subscriptions/cancel leaves open invoices payable).
func (s *Service) stop(ctx context.Context, sub Subscription) error {
	if !sub.Live() && sub.Status != Incomplete {
		return nil
	}
	invoices, err := s.o.Provider.Invoices(ctx, sub.ID)
	if err != nil {
		return fmt.Errorf("asking for the invoices: %w", err)
	}
	for _, i := range invoices {
		if i.State != InvoiceOpen {
			continue
		}
		if err := s.o.Provider.Void(ctx, i.ID); err != nil {
			return fmt.Errorf("voiding an invoice: %w", err)
		}
	}
	if err := s.o.Provider.End(ctx, sub.ID); err != nil {
		return fmt.Errorf("ending the subscription: %w", err)
	}
	return nil
}

// A RefundNotice is a mail about a refund. Its address is the provider's: the account may be deleted.
type RefundNotice struct {
	ID       string // of the mail: the same for every attempt
	Email    string
	Language account.Language
	Reason   RefundReason
	Invoice  Invoice
}

// TellRefund is the job MailRefund. The address is asked for now, and kept nowhere.
func (s *Service) TellRefund(ctx context.Context, job MailRefund, send func(context.Context, RefundNotice) error) error {
	if s.o.Provider == nil {
		return ErrNoCheckout
	}
	email, err := s.o.Provider.Email(ctx, job.Customer)
	if errors.Is(err, ErrNoCustomer) || err == nil && email == "" {
		s.o.Logger.Warn("nobody is told of a refund: the provider has no address", "invoice", job.Invoice)
		return nil
	}
	if err != nil {
		return fmt.Errorf("asking for the customer's address: %w", err)
	}
	invoice, err := s.o.Provider.Invoice(ctx, job.Invoice)
	if err != nil {
		return fmt.Errorf("asking for the invoice: %w", err)
	}
	return send(ctx, RefundNotice{
		ID: "refund-" + job.Invoice + "-" + string(job.Reason), Email: email, Language: job.Language, Reason: job.Reason, Invoice: invoice,
	})
}
