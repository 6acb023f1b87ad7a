package billing

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/palmares-hq/palmares/internal/account"
)

// missed reports whether, after the owner cancelled, the provider renewed the subscription, or took a payment that the
// owner had been told was no longer owed.
func (c Cancellation) missed(sub Subscription, now time.Time) bool {
	clicked := c.At.Truncate(time.Second) // as precise as the provider is
	renewed := sub.PeriodStart.After(c.At) && !sub.PeriodStart.After(now)
	return renewed || c.Failing && sub.Latest.State == InvoicePaid && !sub.Latest.PaidAt.Before(clicked)
}

// Leave does the job LeaveProvider: it ends the checkout and subscriptions of a deleted account, and erases its
// customer at the provider. Like Sync it returns ErrBusy.
func (s *Service) Leave(ctx context.Context, job LeaveProvider) error {
	_, _, err := s.leave(ctx, job.Account, 0)
	return err
}

// leave ends the checkout and subscriptions of a deleted account, and then erases its customer at the provider. It
// reports whether the customer is gone, and otherwise what is still under way, so that a later call has to go on.
// Refunds are stored before the customer is erased, so that a crash in between loses nothing.
func (s *Service) leave(ctx context.Context, accountID string, wait time.Duration) (left Pending, gone bool, err error) {
	if s.o.Provider == nil {
		return left, false, ErrNoCheckout
	}
	gone = true // unless there still is a customer
	over := false
	err = s.holdDeleted(ctx, accountID, wait, func(ctx context.Context, r Record) (u *Update, err error) {
		if u, left, over, err = s.endAll(ctx, r); u != nil {
			gone = u.Forget
		}
		return u, err
	})
	if err != nil || !over {
		return left, gone && err == nil, err
	}
	err = s.holdDeleted(ctx, accountID, wait, func(ctx context.Context, r Record) (u *Update, err error) {
		if u, left, err = s.erase(ctx, r); u != nil {
			gone = u.Forget
		}
		return u, err
	})
	return left, gone && err == nil, err
}

// holdDeleted is hold for the customer of a deleted account, if there still is one.
func (s *Service) holdDeleted(ctx context.Context, accountID string, wait time.Duration, decide Decide) error {
	err := s.hold(ctx, account.Operator(), accountID, wait, func(ctx context.Context, r Record) (*Update, error) {
		if r.Account.Email != "" {
			return nil, nil
		}
		return decide(ctx, r)
	})
	if errors.Is(err, ErrNotSubscribed) {
		return nil
	}
	return err
}

// endAll ends the checkout and subscriptions of the held customer of a deleted account, and refunds what was paid
// after the deletion. It reports whether all is over, so that the customer can be erased; it is not while a completed
// checkout has no subscription yet, and the provider is asked again later. Subscriptions made by hand are not ours to
// end, nor is the card that pays them ours to remove: they are returned in left. If the provider has no customer, the
// update forgets it.
func (s *Service) endAll(ctx context.Context, r Record) (u *Update, left Pending, over bool, err error) {
	c := r.Customer
	u = &Update{Now: s.o.Now(), Forget: true}
	if c.ID == "" {
		return u, left, false, nil
	}
	if err := s.askCheckout(ctx, r, &c); err != nil {
		return nil, left, false, err
	}
	all, err := s.subscriptions(ctx, c.ID)
	if errors.Is(err, ErrNoCustomer) {
		return u, left, false, nil
	}
	if err != nil {
		return nil, left, false, fmt.Errorf("asking for the subscriptions: %w", err)
	}
	u.Forget, u.Processed = false, true
	subs := ours(all, r.Account.ID)
	for _, sub := range subs {
		docs, err := s.endDeleted(ctx, r, sub, u.Now)
		if err != nil {
			return nil, left, false, err
		}
		u.Documents = append(u.Documents, docs...)
	}
	u.Documents = append(u.Documents, s.paidInvoices(subs)...)
	over = c.Checkout == nil || c.Completed && c.arrived(subs)
	c.SyncedAt, c.GrantedPlan = u.Now, account.Developer
	if c.Subscription, _ = choose(subs, u.Now); c.Subscription != nil && c.Subscription.Live() {
		c.Subscription.Status, c.Subscription.EndedAt = Canceled, u.Now
	}
	c.NextSyncAt = c.nextSync(u.Now)
	if over {
		c.Checkout, c.Completed = nil, false
		c.NextSyncAt = u.Now.Add(closedAfter) // unless it is erased at once
	}
	if left.Subscriptions = r.ByHand(all); left.Any() {
		over, c.NextSyncAt = false, u.Now.Add(eraseAgain)
		s.stays(r, left)
	}
	u.Customer = c
	return u, left, over, nil
}

// endDeleted ends one subscription of a deleted account and refunds what was paid after the deletion, or after a
// cancellation that the provider missed. One that ended before the deletion is only settled.
func (s *Service) endDeleted(ctx context.Context, r Record, sub Subscription, now time.Time) (docs []DocumentID, err error) {
	if !sub.EndedAt.IsZero() && sub.EndedAt.Before(r.DeletedAt.Truncate(time.Second)) { // it was over
		docs, _, err = s.settle(ctx, r, sub)
		return docs, err
	}
	since, why := r.DeletedAt, RefundDeleted
	if c := r.Cancellation; c != nil && c.missed(sub, now) {
		since, why = c.At, RefundCancelled
	}
	if docs, err = s.endAndRefund(ctx, r, sub, since, why); err == nil && sub.EndedAt.IsZero() {
		s.o.Logger.Info("the subscription of a deleted account was ended", "account", sub.Account, "subscription", sub.ID)
	}
	return docs, err
}

// eraseAgain is how long after a failed attempt a customer is erased again: an invoice or a refund takes days.
const eraseAgain = 24 * time.Hour

// erase removes the payment methods of the held customer of a deleted account, and deletes it at the provider unless
// something is under way there, which it returns. After a refusal, too, it is tried again only after eraseAgain: the
// operator has to look first.
func (s *Service) erase(ctx context.Context, r Record) (u *Update, left Pending, err error) {
	u = &Update{Now: s.o.Now(), Forget: true}
	id := r.Customer.ID
	if id == "" {
		return u, left, nil
	}
	left, err = s.eraseCustomer(ctx, id)
	switch {
	case errors.Is(err, ErrRefused):
		left = Pending{Refused: s.refused(err)}
	case err != nil && !errors.Is(err, ErrNoCustomer):
		return nil, left, err
	}
	if !left.Any() {
		s.o.Logger.Info("the customer of a deleted account was deleted at the payment provider", "account", r.Account.ID, "customer", id)
		return u, left, nil
	}
	s.stays(r, left)
	u.Forget, u.Customer = false, r.Customer
	u.Customer.NextSyncAt = u.Now.Add(eraseAgain)
	return u, left, nil
}

// stays logs why the customer of a deleted account is not erased yet.
func (s *Service) stays(r Record, left Pending) {
	s.o.Logger.Warn("the customer of a deleted account stays at the payment provider until nothing is under way there",
		"account", r.Account.ID, "customer", r.Customer.ID, "left", left.String())
}

// eraseCustomer removes a customer's payment methods at the provider, and deletes it unless something is under way,
// which it returns.
func (s *Service) eraseCustomer(ctx context.Context, id string) (left Pending, err error) {
	if err := s.o.Provider.DetachCards(ctx, id); err != nil {
		return left, fmt.Errorf("detaching the cards: %w", err)
	}
	if left, err = s.o.Provider.Pending(ctx, id); err != nil {
		return left, fmt.Errorf("asking what is under way: %w", err)
	}
	if left.Any() {
		return left, nil
	}
	if err := s.o.Provider.DeleteCustomer(ctx, id); err != nil {
		return left, fmt.Errorf("deleting the customer: %w", err)
	}
	return left, nil
}
