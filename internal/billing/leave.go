package billing

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/palmares-hq/palmares/internal/account"
)

// Leave is the job LeaveProvider. It returns ErrBusy as Sync does.
func (s *Service) Leave(ctx context.Context, job LeaveProvider) error {
	if s.o.Provider == nil {
		return ErrNoCheckout
	}
	err := s.hold(ctx, account.Operator(), job.Account, 0, func(ctx context.Context, r Record) (*Update, error) {
		if r.Account.Email != "" {
			return nil, nil
		}
		return s.leave(ctx, r)
	})
	if errors.Is(err, ErrNotSubscribed) {
		return nil
	}
	return err
}

// leave ends the subscriptions of the held customer of a deleted account, gives back what was paid after
// the deletion, and then forgets the customer. A checkout that is open is ended at the provider; while one
// is completed and not a subscription yet, the provider is asked again.
func (s *Service) leave(ctx context.Context, r Record) (*Update, error) {
	u := &Update{Now: s.o.Now(), Forget: true}
	if r.Customer.ID == "" {
		return u, nil
	}
	c := r.Customer
	if err := s.askCheckout(ctx, r, &c); err != nil {
		return nil, err
	}
	all, err := s.o.Provider.Subscriptions(ctx, c.ID)
	if errors.Is(err, ErrNoCustomer) {
		return u, nil
	}
	if err != nil {
		return nil, fmt.Errorf("asking for the subscriptions: %w", err)
	}
	subs := ours(all, r.Account.ID)
	for _, sub := range subs {
		if !sub.EndedAt.IsZero() && sub.EndedAt.Before(r.DeletedAt.Truncate(time.Second)) {
			continue // it was over
		}
		mails, err := s.undue(ctx, r, sub, r.DeletedAt, RefundDeleted)
		if err != nil {
			return nil, err
		}
		s.o.Logger.Info("the subscription of a deleted account was ended", "account", sub.Account, "subscription", sub.ID)
		u.Refunds = append(u.Refunds, mails...)
	}
	if c.Checkout == nil || c.Completed && c.arrived(subs) {
		return u, nil
	}
	c.SyncedAt = u.Now
	c.Subscription, c.GrantedPlan = nil, account.Developer
	c.NextSyncAt = c.nextSync(u.Now)
	return &Update{Now: u.Now, Customer: c, Processed: true, Refunds: u.Refunds}, nil
}
