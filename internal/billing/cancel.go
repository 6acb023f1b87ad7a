package billing

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/palmares-hq/palmares/internal/account"
)

// tellWithin is how long Cancel waits for the provider. The cancellation is stored by then.
const tellWithin = 8 * time.Second

// Cancel ends the subscription of an account at the end of its period, or returns ErrNotSubscribed. If its payment is
// failing it ends at once, and its open invoices are voided: there is no paid period left to use.
//
// The cancellation is stored before the provider is asked, and counts from then. If the provider does not answer, it is
// in Overview.Cancelling and a job tells the provider later; a period renewed meanwhile is ended and refunded.
//
// Only the account itself and the operator may cancel it. Returns account.ErrNoAccount otherwise.
func (s *Service) Cancel(ctx context.Context, by account.Actor, accountID string) (Overview, error) {
	r, err := s.find(ctx, by, accountID)
	switch {
	case err != nil:
		return Overview{}, err
	case r.Customer.ID == "":
		return Overview{}, ErrNotSubscribed
	}
	now, sub := s.o.Now(), r.Customer.Subscription
	if err := s.o.Store.Cancel(ctx, by, accountID, Cancellation{At: now, Failing: sub != nil && sub.Failing(now)}); err != nil {
		return Overview{}, err
	}
	soon, done := context.WithTimeout(ctx, tellWithin)
	defer done()
	switch err := s.carryOut(soon, by, accountID, waitFor); {
	case errors.Is(err, ErrNotSubscribed), errors.Is(err, account.ErrNoAccount):
		return Overview{}, err
	case err != nil:
		s.o.Logger.Warn("a cancellation is stored, and the payment provider is told later", "account", accountID, "error", err)
	}
	return s.Overview(ctx, by, accountID)
}

// CarryOut does the job CancelSubscription. Like Sync it returns ErrBusy.
func (s *Service) CarryOut(ctx context.Context, job CancelSubscription) error {
	if s.o.Provider == nil {
		return ErrNoCheckout
	}
	err := s.carryOut(ctx, account.Operator(), job.Account, 0)
	if errors.Is(err, ErrNotSubscribed) || errors.Is(err, account.ErrNoAccount) {
		return nil
	}
	return err
}

// carryOut tells the provider of the stored cancellation, if there is one. It returns ErrNotSubscribed if there was
// nothing to cancel.
func (s *Service) carryOut(ctx context.Context, by account.Actor, accountID string, wait time.Duration) error {
	var none bool
	err := s.hold(ctx, by, accountID, wait, func(ctx context.Context, r Record) (u *Update, err error) {
		switch {
		case r.Cancellation == nil, r.Account.Email == "": // done, undone, or left to the deletion
			return nil, nil
		case r.Customer.ID == "":
			u, none = &Update{Now: s.o.Now(), Customer: r.Customer}, true
		default:
			u, none, err = s.cancel(ctx, r)
		}
		if u != nil {
			u.CancellationDone = true
		}
		return u, err
	})
	if err == nil && none {
		err = ErrNotSubscribed
	}
	return err
}

// cancel carries out the cancellation of a held customer. It reports whether there was nothing to cancel.
func (s *Service) cancel(ctx context.Context, r Record) (u *Update, none bool, err error) {
	if u, err = s.ask(ctx, r); err != nil {
		return nil, false, err
	}
	sub := u.Customer.Subscription
	switch {
	case sub == nil:
		return u, true, nil
	case r.Cancellation.missed(*sub, u.Now):
		u, err = s.endMissed(ctx, r, *sub)
		return u, false, err
	case !sub.Live():
		return u, true, nil
	case sub.Failing(u.Now):
		u, err = s.endNow(ctx, r, *sub)
		return u, false, err
	case sub.cancelled():
		return u, false, nil
	}
	if err := s.o.Provider.SetCancel(ctx, sub.ID, true); err != nil {
		return nil, false, fmt.Errorf("changing the end of the subscription: %w", err)
	}
	u, err = s.ask(ctx, r)
	return u, false, err
}

// endMissed ends a subscription that was renewed or paid after its owner had cancelled it, and refunds what was paid
// since.
func (s *Service) endMissed(ctx context.Context, r Record, sub Subscription) (*Update, error) {
	docs, err := s.endAndRefund(ctx, r, sub, r.Cancellation.At, RefundCancelled)
	if err != nil {
		return nil, err
	}
	u, err := s.ask(ctx, r)
	if err == nil {
		u.Documents = append(docs, u.Documents...)
	}
	return u, err
}

// Resume undoes Cancel, or returns ErrNotSubscribed. It forgets a cancellation that the provider was not told of yet.
//
// Only the account itself and the operator may do this. Returns account.ErrNoAccount otherwise.
func (s *Service) Resume(ctx context.Context, by account.Actor, accountID string) (Overview, error) {
	if _, err := s.find(ctx, by, accountID); err != nil {
		return Overview{}, err
	}
	var none bool
	err := s.hold(ctx, by, accountID, waitFor, func(ctx context.Context, r Record) (*Update, error) {
		if r.Customer.ID == "" {
			none = true
			return nil, nil
		}
		u, err := s.resume(ctx, r, &none)
		switch {
		case err == nil:
			u.CancellationDone = true
		case r.Cancellation != nil && ctx.Err() == nil: // nobody told the provider
			return &Update{Now: s.o.Now(), Customer: r.Customer, CancellationDone: true}, nil
		}
		return u, err
	})
	switch {
	case err != nil:
		return Overview{}, err
	case none:
		return Overview{}, ErrNotSubscribed
	}
	return s.Overview(ctx, by, accountID)
}

// resume undoes the cancellation of a held customer's subscription at the provider, and sets none if there is no live
// one.
func (s *Service) resume(ctx context.Context, r Record, none *bool) (*Update, error) {
	u, err := s.ask(ctx, r)
	if err != nil {
		return nil, err
	}
	sub := u.Customer.Subscription
	if *none = sub == nil || !sub.Live(); *none || !sub.cancelled() {
		return u, nil
	}
	if err := s.o.Provider.SetCancel(ctx, sub.ID, false); err != nil {
		return nil, fmt.Errorf("changing the end of the subscription: %w", err)
	}
	return s.ask(ctx, r)
}

// endNow ends, at once, a held customer's subscription whose current period is unpaid. Its owner is told, even if Pro
// had ended already.
func (s *Service) endNow(ctx context.Context, r Record, sub Subscription) (*Update, error) {
	if err := s.stop(ctx, sub); err != nil {
		return nil, err
	}
	u, err := s.ask(ctx, r)
	if err != nil {
		return nil, err
	}
	for _, n := range u.Notices {
		if n.Kind == NoticeEnded {
			return u, nil
		}
	}
	u.Customer.Endings++
	u.Notices = append(u.Notices, NewNotice{sub.ID, NoticeEnded, strconv.Itoa(u.Customer.Endings)})
	return u, nil
}
