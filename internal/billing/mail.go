package billing

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/palmares-hq/palmares/internal/account"
)

// Mail does the job MailNotice. It sends a notice unless it was sent before or is no longer true: the
// invoice was paid meanwhile, the change was undone, or a later notice replaces it. send sends the mail.
func (s *Service) Mail(
	ctx context.Context, job MailNotice, send func(context.Context, Notice) error,
) error {
	kept, err := s.o.Store.Notice(ctx, job.Notice)
	if errors.Is(err, ErrNoNotice) { // deleted with its account
		return nil
	}
	if err != nil {
		return err
	}
	n, ok := notice(job.Notice, kept, s.o.Now())
	if !ok {
		return nil
	}
	switch n.Kind {
	case NoticeUnpaid:
		n.PayLink = s.payLink(ctx, n.Subscription.Unpaid)
	case NoticeDifference, NoticeOperatorDifference:
		if s.o.Provider == nil {
			return ErrNoCheckout
		}
		if n.Invoice, err = s.o.Provider.Invoice(ctx, kept.Occasion); err != nil {
			return fmt.Errorf("asking for the invoice: %w", err)
		}
	case NoticeWelcome, NoticeCancelled, NoticeResumed, NoticeEnded, NoticeVATRefused, NoticeVATRemoved:
	}
	if err := send(ctx, n); err != nil {
		return err
	}
	return s.o.Store.Sent(ctx, job.Notice, s.o.Now())
}

// notice returns a stored notice as it is now, and whether it is still to be sent.
func notice(id int64, kept StoredNotice, now time.Time) (n Notice, ok bool) {
	r, c := kept.Record, kept.Record.Customer
	if kept.Sent || r.Account.Email == "" || r.Account.Source == account.FromOperator && !kept.Kind.OfInvoices() {
		return n, false
	}
	n = Notice{
		ID: "billing-" + strconv.FormatInt(id, 10), Kind: kept.Kind, Account: r.Account,
		Subscription: Subscription{ID: kept.Subscription, Account: r.Account.ID},
	}
	sub := c.Subscription
	if sub != nil && sub.ID == kept.Subscription {
		n.Subscription = *sub
	}
	if kept.Kind == NoticeEnded {
		n.Void = n.Subscription.Status == Canceled && n.Subscription.Latest.State == InvoiceVoid
		n.SleepingKeys, n.PausedEndpoints = kept.ExtraKeys, kept.PausedEndpoints
		return n, r.Account.Plan != account.Pro && kept.Occasion == strconv.Itoa(c.Endings)
	}
	if kept.Kind == NoticeDifference || kept.Kind == NoticeOperatorDifference {
		n.Order = kept.Order
		return n, n.Order != nil
	}
	if sub == nil || sub.ID != kept.Subscription || sub.Plan(now) != account.Pro {
		return n, false
	}
	switch kept.Kind {
	case NoticeWelcome:
		n.Order = kept.Order
		return n, sub.Status == Active && !sub.cancelled()
	case NoticeCancelled:
		n.Until = sub.CancelAt
		return n, sub.cancelled() && kept.Occasion == cancelOccasion(*sub, c.Cancellations)
	case NoticeResumed:
		return n, r.Cancellation == nil && !sub.cancelled() && kept.Occasion == strconv.Itoa(c.Cancellations)
	case NoticeUnpaid:
		n.Day = unpaidDay(*sub, now)
		if !sub.UnpaidSince.IsZero() {
			n.Until = sub.UnpaidSince.Add(Grace)
		}
		return n, r.Cancellation == nil && sub.Status == PastDue && kept.Occasion == unpaidOccasion(*sub, now)
	case NoticeVATRefused:
		n.Until = c.vatUntil()
		return n, c.VATNumber == kept.Occasion
	case NoticeVATRemoved:
		n.Again = c.VATRefusals > 1
		return n, c.VATNumber == ""
	case NoticeEnded, NoticeDifference, NoticeOperatorDifference: // above
	}
	return n, false
}
