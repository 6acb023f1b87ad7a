package billing

import (
	"context"
	"errors"
	"fmt"

	"github.com/palmares-hq/palmares/internal/account"
)

// ErrUnreadAccount says that the key may not read the account it belongs to, so that Adopt cannot use it.
var ErrUnreadAccount = errors.New("the key may not read the account it is of: give it that permission")

// An Adoption is the result of Adopt.
type Adoption struct {
	Report
	From Binding // zero where none was stored
	To   ProviderAccount
}

// Adopt binds our customers to the account that the key belongs to, after a move to another account at the provider or
// from its test mode to its live one. A customer that has a subscription there, or is known there, stays one. For all
// others Adopt forgets what the former account said, which puts them on Developer. Like Reconcile it returns ErrLosses
// if too many would lose Pro. The new account is stored last, so that a run that died can be repeated. If it is stored
// already, Adopt does nothing.
func (s *Service) Adopt(ctx context.Context, run Run) (a Adoption, err error) {
	if s.o.Provider == nil {
		return a, ErrNoCheckout
	}
	if a.From, err = s.o.Store.Binding(ctx); err != nil {
		return a, err
	}
	if a.To, err = s.o.Provider.Account(ctx); err != nil {
		return a, s.refused(fmt.Errorf("asking for the account: %w", err))
	}
	if a.To.ID == "" {
		return a, ErrUnreadAccount
	}
	r := s.newRun(run)
	if !a.From.Since.IsZero() && a.From.Account == a.To {
		a.Report = r.Report
		return a, nil
	}
	if err := r.list(ctx); err != nil {
		return a, err
	}
	if err := r.each(ctx, r.adopt); err != nil {
		return a, r.refused(err)
	}
	if a.Report, err = r.repairAll(ctx); err != nil || run.DryRun {
		return a, err
	}
	if err := s.o.Store.Bind(ctx, a.To, s.o.Now()); err != nil {
		return a, err
	}
	s.binding.mu.Lock()
	defer s.binding.mu.Unlock()
	s.binding.comparison = comparison{}
	return a, nil
}

// adopt looks up a customer at the account of the key, and adds the repair that moves or forgets it.
func (r *reconciliation) adopt(ctx context.Context, rec Record, subs []Subscription) error {
	if rec.pays() {
		r.payers++
	}
	customer, known := rec.Customer.ID, false
	now := r.o.Now()
	if counts, _ := choose(subs, now); counts != nil && counts.Live() {
		customer, known = counts.Customer, true
	}
	if customer == "" {
		return nil
	}
	if !known {
		var err error
		if known, err = r.o.Provider.Knows(ctx, customer); err != nil {
			return fmt.Errorf("asking for a customer: %w", err)
		}
	}
	if known && customer == rec.Customer.ID {
		return nil
	}
	kind, after := FoundMoved, rec.Customer
	if !known {
		kind, customer, subs = FoundUnknown, "", nil
	}
	after.ID = customer
	after, _ = afterSync(after, subs, now, now)
	r.loses(rec, after)
	r.later(func(ctx context.Context) { r.move(ctx, kind, rec, customer) })
	return nil
}

// move makes an account that customer at the adopted provider account, or no customer for "".
func (r *reconciliation) move(ctx context.Context, kind FindingKind, rec Record, customer string) {
	f := Finding{Kind: kind, Account: rec.Account.ID, Was: rec.Customer.ID, Is: customer}
	if rec.Account.Email == "" && customer == "" {
		f.Is = "of a deleted account: end there what is open"
	}
	if !r.DryRun {
		// Not with s.hold: that fails because the key belongs to another account than the stored one.
		f.Err = r.refused(r.o.Store.Hold(ctx, account.Operator(), rec.Account.ID, waitFor, func(ctx context.Context, rec Record) (*Update, error) {
			u, err := r.moved(ctx, rec, customer)
			if err == nil && !r.mayWrite(rec, u) {
				err = ErrLosses
			}
			return u, err
		}))
		f.Repaired = f.Err == nil
	}
	r.found(f)
}

// moved returns the update for a held customer that is another one, or none for "", at the adopted provider account.
func (r *reconciliation) moved(ctx context.Context, rec Record, customer string) (*Update, error) {
	if customer != "" {
		rec.Customer.ID = customer
		return r.look(ctx, rec, false)
	}
	u := &Update{Now: r.o.Now(), Processed: true, Synced: true, CancellationDone: true, Forget: rec.Account.Email == ""}
	c := rec.Customer
	c.ID, c.Checkout, c.Completed = "", nil, false
	c.Generation++
	u.Customer, u.Notices = afterSync(c, nil, u.Now, u.Now)
	return u, nil
}
